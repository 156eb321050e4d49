import type { Draft } from "../../ledger/draft.ts";
import type { EventKind } from "../../ledger/event-kind.ts";
import type { Owner } from "../../ledger/rows.ts";
import type { Context } from "./context.ts";

/** Writes down what happened, for people. */
export function note(
  draft: Draft,
  context: Context,
  kind: EventKind,
  text: string,
  about: {
    readonly owner?: Owner | null;
    readonly deployment?: string | null;
    readonly intent?: string | null;
  } = {},
): void {
  const { owner = null, deployment = null, intent } = about;
  const { actor } = context;
  const by = { ...(intent && { intent }), ...(actor !== undefined && { actor }) };
  draft.note({ at: context.now.wall, kind, owner, deployment, ...by, text });
}
