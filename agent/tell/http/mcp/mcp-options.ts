import type { z } from "zod";
import type { RemoteOrder } from "../../../remote/agent-client.ts";
import type { Confirmations } from "./confirmations.ts";

/** The agent's API, as whoever calls the tools may use it. */
export interface CalledApi {
  read<T>(path: string, answers: z.ZodType<T>): Promise<T>;
  order<T>(order: RemoteOrder, answers: z.ZodType<T>): Promise<T>;
}

export interface McpOptions {
  readonly api: CalledApi;
  readonly confirmations: Confirmations;
  /** Whose confirmation ids these are: it tells tokens apart, also two of one name. */
  readonly owner: string;
  readonly version: string;
  /** Monotonic, in ms. */
  readonly now: () => number;
  /** Takes secrets out of a text. */
  readonly hide: (text: string) => string;
}
