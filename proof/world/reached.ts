import type { HoldKind } from "../../launch/facts/hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { EventKind } from "../../ledger/event-kind.ts";
import type { Claim, End, IntentState } from "../../ledger/rows.ts";

/* States that drawn worlds must come to: what no world reaches is not proven by them. */

/** What a commit stored has reached. */
export function statesOf(change: Draft["changes"][number]): readonly string[] {
  switch (change.table) {
    case "event":
      return [`event ${change.row.kind}`];
    case "intent":
      return [`launch ${change.row.state}`];
    case "deployment": {
      const { claim, end } = change.row;
      return [...(claim ? [`claim ${claim}`] : []), ...(end ? [`end ${end}`] : [])];
    }
    case "fleet":
      return (change.row.holds ?? []).map(({ kind }) => `held ${kind}`);
    default:
      return [];
  }
}

interface Kinds {
  readonly launch: readonly IntentState[];
  readonly claim: readonly Claim[];
  readonly end: readonly End[];
  readonly event: readonly EventKind[];
  readonly held: readonly HoldKind[];
}

/**
 * What 2,000 drawn worlds must come to, each of it in one at least: trouble that is drawn no more, or never bites, would be
 * proof of nothing. What is not here is in stories, or in tests alone.
 */
const DRAWN: Kinds = {
  claim: ["certain", "disputed", "inferred"],
  end: ["failed", "gone", "interrupted", "stopped"],
  event: [
    "absent",
    "adopted",
    "claimed",
    "cooldown",
    "disputed",
    "distrust",
    "drained",
    "failed",
    "gone",
    "halted",
    "healthy",
    "interrupted",
    "launch",
    "lowered",
    "measured",
    "notSaved",
    "notServing",
    "refused",
    "renamed",
    "resumed",
    "returned",
    "running",
    "setUp",
    "stop",
    "stopHook",
    "stopped",
    "support",
    "unclaimed",
    "unhealthy",
    "unknown",
    "unmeasured",
    "unwritable",
    "workDone",
  ],
  held: [
    "beside",
    "blind",
    "churn",
    "cooling",
    "distrusted",
    "failing",
    "group",
    "leftAlone",
    "oldBalance",
    "otherSizes",
    "paced",
    "partlyStopping",
    "patience",
    "probe",
    "returned",
    "sharedPerDay",
    "sharedTotal",
    "sizes",
    "soldOut",
    "stale",
    "stopping",
    "tooDear",
    "tooMany",
    "unfit",
    "unreadBalance",
    "unsent",
    "usual",
    "vanished",
  ],
  launch: ["absent", "claimed", "disputed", "notSent", "open", "rejected"],
};

export const MUST_REACH: readonly string[] = Object.entries(DRAWN).flatMap(([of, kinds]) =>
  (kinds as readonly string[]).map((kind) => `${of} ${kind}`),
);
