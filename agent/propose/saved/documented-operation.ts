import type { Json } from "../../../service/contract/service.ts";
import type { JsonObject } from "../shape/lists.ts";
import type { Kind } from "./exchange.ts";
import type { StandIn } from "./schemas.ts";

/** One call of an OpenAPI document. */
export interface DocumentedOperation {
  readonly kind: Kind | undefined;
  readonly method: string;
  /** From `/api/v1` on, of another service from its origin on; with its parameters in braces. */
  readonly path: string;
  /** Its summary and its id: words for people. */
  readonly words: string;
  readonly query: readonly DocumentedParameter[];
  /** The schema of its body, without references. */
  readonly body: JsonObject | undefined;
  /** Its body is a form. */
  readonly isForm: boolean;
  /** Of another service: where the answer has the records, or the one. */
  readonly at?: string | undefined;
  /** Of its good answer. */
  readonly answer: StandIn | undefined;
  readonly errors: readonly StandIn[];
  /** Of all its answers, as they are written: `429`, `4XX`, `default`. */
  readonly statuses: readonly string[];
}

export interface DocumentedParameter {
  readonly name: string;
  readonly default: Json | undefined;
  readonly minimum: Json | undefined;
  /** All that it may be. Empty if the document does not say it. */
  readonly words: readonly Json[];
}
