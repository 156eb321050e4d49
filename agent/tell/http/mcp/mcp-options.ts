import type { Right } from "../../../../ledger/rows.ts";
import type { AccountApi } from "../../../remote/agent-client.ts";
import type { Confirmations } from "./confirmations.ts";

export interface McpOptions {
  /** As whoever calls the tools may use it. */
  readonly api: AccountApi;
  /** Its tools are of all accounts of an agent with several services, and not of one account. */
  readonly ofAll?: boolean;
  /** What whoever calls them may. Undefined: to read. */
  readonly may: () => Promise<Right | undefined>;
  readonly confirmations: Confirmations;
  /** Whose confirmation ids these are: it tells tokens apart, also two of one name. */
  readonly owner: string;
  readonly version: string;
  /** Monotonic, in ms. */
  readonly now: () => number;
  /** Takes secrets out of a text. */
  readonly hide: (text: string) => string;
}
