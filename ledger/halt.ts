import type { Change, Draft } from "./draft.ts";
import type { UnsoundRow } from "./rows.ts";
import { Unsound } from "./unsound.ts";

/**
 * What a second transaction stores where a decision was refused so: the account is halted, with the evidence, and people are
 * told. Undefined: it failed for another reason. `now`: wall time in ms, as the account's events have it.
 */
export function haltFor(
  error: unknown,
  tried: Draft | undefined,
  now: () => number,
): ((draft: Draft) => void) | undefined {
  if (!(error instanceof Unsound)) return undefined;
  const { rule, what, message } = error;
  const at = now();
  const halted: UnsoundRow = {
    rule,
    what,
    at,
    changes: (tried?.changes ?? []).flatMap(gistOf).slice(-MOST_CHANGES),
  };
  return (draft) => {
    const { unsound: before } = draft.account;
    // It may be tried again with each list: people are told once, and the first evidence is kept.
    if (before && !before.looked) return;
    draft.putAccount({ ...draft.account, unsound: halted });
    draft.note({ at, kind: "halted", owner: null, deployment: null, text: message });
  };
}

const MOST_CHANGES = 20;

/** What the rules are about, and nothing that is secret: no parameters, no connection, no record of the service. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  intent: ["id", "owner", "state", "group", "baseline", "gpus", "pricePerHour", "deployment", "reported"],
  deployment: [
    "id",
    "sequence",
    "claim",
    "owner",
    "intent",
    "marker",
    "gpus",
    "pricePerHour",
    "status",
    "end",
    "reused",
  ],
  fleet: ["name", "born", "removed", "paused"],
  slot: ["id", "closing", "until"],
};

function gistOf(change: Change): readonly UnsoundRow["changes"][number][] {
  const { table } = change;
  const names = TOLD[table];
  if (!names || !("row" in change)) return [];
  const row = change.row as unknown as Readonly<Record<string, string | number | boolean | null | undefined>>;
  return [
    {
      table,
      ...Object.fromEntries(names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]]))),
    },
  ];
}
