import type { Plant as Planted } from "../plants.ts";

/** A bug to be planted into the product, and the case in which the explorer must find a bad state. */
export interface Plant extends Pick<Planted, "name" | "edits"> {
  readonly world: string;
  /** The ledger's unique index would stop it first: it is taken away with it. */
  readonly withoutIndex?: boolean;
}

export const PLANTS: readonly Plant[] = [
  {
    name: "two open intents in one group",
    edits: [
      {
        file: "launch/admit.ts",
        text: `other.state === "open" && overlap(other, ours)`,
        instead: `other.state === "open" && other.owner === wish.owner && overlap(other, ours)`,
      },
    ],
    world: "exclusive, 2 slots",
    withoutIndex: true,
  },
  {
    name: "two open intents for one slot",
    edits: [
      {
        file: "launch/slot.ts",
        text: `if (intents.length > 0) return "a launch into it is not resolved yet";`,
        instead: "",
      },
    ],
    world: "marker, 2 slots",
  },
  {
    name: "a late arrival judged beside an open intent",
    edits: [
      {
        file: "launch/absence.ts",
        text: `if (inState(draft, "open").some((open) => overlap(open, intent))) return;`,
        instead: "",
      },
      // It would wait for the other launch's answer all the same.
      {
        file: "launch/absence.ts",
        text: "lateOnes(draft, intent, context, trust).filter((each) => !isContested(draft, each, context))",
        instead: "lateOnes(draft, intent, context, trust)",
      },
    ],
    world: "exclusive, 2 slots",
  },
  {
    name: "a machine taken that a launch under way may be answered with",
    edits: [
      {
        file: "launch/candidates.ts",
        text: "(other) => underWay(other, context) && isCandidate(draft, row, other, context),",
        instead: "(other) => underWay(other, context) && isCandidate(draft, row, other, context) && false,",
      },
    ],
    world: "combination, 3 slots",
  },
  {
    name: "absent after one list",
    edits: [
      {
        file: "launch/absence.ts",
        text: "waited.covered >= ms && waited.lists >= settings.settleLists",
        instead: "waited.lists >= 1 && ms + settings.settleLists > 0",
      },
    ],
    world: "exclusive, 2 slots",
  },
  {
    name: "absent by one long sleep",
    edits: [
      {
        file: "launch/absence.ts",
        text: "covered: settle.covered + Math.min(gap, context.settings.poll),\n    lists: settle.lists + 1,",
        instead: "covered: settle.covered + context.settings.settle + gap,\n    lists: settle.lists + 2,",
      },
    ],
    world: "exclusive, 2 slots",
  },
  {
    name: "an old stamp is good enough",
    edits: [
      {
        file: "launch/admit.ts",
        text: "if (age(intent.stamped, now) > settings.stampAge)",
        instead: "if (age(intent.stamped, now) > settings.stampAge + 1e9)",
      },
    ],
    world: "exclusive, two processes",
  },
  {
    name: "the baseline is taken after the POST",
    edits: [
      {
        file: "launch/answer.ts",
        text: "draft.putIntent({ ...intent, answer: { at: context.now, id: null, reason }, detail: reason });",
        instead:
          "draft.putIntent({ ...intent, baseline: draft.account.sequence, answer: { at: context.now, id: null, reason }, detail: reason });",
      },
    ],
    world: "exclusive, 2 slots",
  },
  {
    name: "a reboot is taken for a wait",
    edits: [
      {
        file: "launch/absence.ts",
        text: "context.settings.settle + (rebooted ? intent.timeout : 0)",
        instead: "0 * context.settings.settle * (rebooted ? intent.timeout : 0)",
      },
    ],
    world: "exclusive, booted anew",
  },
  {
    name: "what only seems ours is stopped",
    edits: [
      {
        file: "launch/stop.ts",
        text: `return row.claim === "certain" && row.end === null;`,
        instead: `return (row.claim === "certain" || row.claim === "inferred") && row.end === null;`,
      },
    ],
    world: "shared, stranger",
  },
  {
    name: "a second machine that only seems to be a slot's is reported nowhere",
    edits: [
      {
        file: "launch/slot.ts",
        text: "return [...unaccounted(draft), ...seeming, ...reused]",
        instead: "return [...unaccounted(draft), ...reused]",
      },
    ],
    world: "shared, late",
  },
  {
    name: "what was disowned is not looked for again",
    edits: [
      {
        file: "launch/claim.ts",
        text: "if (!seemed && (!disputed || others)) return true;",
        instead: "if (!seemed || !disputed || others) return true;",
      },
    ],
    world: "shared, stranger",
  },
  {
    name: "a deletion does not keep a sender from sending",
    edits: [
      {
        file: "launch/admit.ts",
        text: `if (slot?.closing) return "its deployment is being deleted";`,
        instead: "",
      },
    ],
    world: "pulumi, exclusive",
  },
  {
    name: "a stop that is not answered is not repeated",
    edits: [
      {
        file: "launch/stop.ts",
        text: "if (row.stop.attempted === null) return true;",
        instead: "return row.stop.attempted === null;",
      },
    ],
    world: "pulumi, exclusive",
  },
  {
    name: "one list without it, and a machine is gone",
    edits: [
      {
        file: "launch/missing.ts",
        text: "if (asked && missing.lists >= 2 && elapsed(missing.since, begun) >= long) {",
        instead: "if (missing.lists >= 1) {",
      },
    ],
    world: "exclusive, cut lists",
  },
];
