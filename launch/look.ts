import type { Instant } from "../ledger/instant.ts";

/** What showed a deployment: a full list, a GET by its id, or only its launch's answer (`asked` is null). */
export interface Look {
  readonly by: "list" | "get" | "launch";
  /** When the request was sent. */
  readonly asked: Instant | null;
}
