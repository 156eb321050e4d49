/** A bug to be planted into the product at load: one exact text of one file, and what stands there instead. */
export interface Plant {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly instead: string;
  /** The case in which the explorer must find a bad state. */
  readonly world: string;
  /** The ledger's unique index would stop it first: it is taken away with it. */
  readonly withoutIndex?: boolean;
}

export const PLANTS: readonly Plant[] = [
  {
    name: "two open intents in one group",
    file: "launch/admit.ts",
    text: `other.state === "open" && overlap(other, ours)`,
    instead: `other.state === "open" && other.owner === wish.owner && overlap(other, ours)`,
    world: "exclusive, late, 2 slots",
    withoutIndex: true,
  },
  {
    name: "two open intents for one slot",
    file: "launch/slot.ts",
    text: `if (intents.length > 0) return "a launch into it is not resolved yet";`,
    instead: "",
    world: "marker, 2 slots",
  },
  {
    name: "a late arrival judged beside an open intent",
    file: "launch/resolve.ts",
    text: `if (inState(draft, "open").some((open) => overlap(open, intent))) return;`,
    instead: "",
    world: "exclusive, late, 2 slots",
  },
  {
    name: "new launches beside a late arrival that is not judged yet",
    file: "launch/admit.ts",
    text: `other.state === "absent" && overlap(other, ours)`,
    instead: `other.state === "absent" && overlap(other, ours) && false`,
    world: "exclusive, late, 2 slots",
  },
  {
    name: "absent after one list",
    file: "launch/resolve.ts",
    text: "waited.covered >= ms && waited.lists >= settings.settleLists",
    instead: "waited.lists >= 1 && ms + settings.settleLists > 0",
    world: "exclusive, 2 slots",
  },
  {
    name: "a launch whose sender still waits is judged",
    file: "launch/resolve.ts",
    text: "elapsed(intent.stamped, context.now) < intent.timeout",
    instead: "elapsed(intent.stamped, context.now) < 0",
    world: "exclusive, two processes",
  },
  {
    name: "a sender that was given up sends all the same",
    file: "launch/admit.ts",
    text: `if (intent?.state !== "open" || intent.answer !== null) return false;`,
    instead: "if (intent === undefined) return false;",
    world: "exclusive, two processes",
  },
  {
    name: "an old stamp is good enough",
    file: "launch/admit.ts",
    text: "if (age(intent.stamped, now) > settings.stampAge)",
    instead: "if (age(intent.stamped, now) > settings.stampAge + 1e9)",
    world: "exclusive, two processes",
  },
  {
    name: "no baseline",
    file: "launch/admit.ts",
    text: `baseline: draft.account.sequence, detail: "sending"`,
    instead: `baseline: 0, detail: "sending"`,
    world: "shared, stranger",
  },
  {
    name: "what only seems ours is stopped",
    file: "launch/stop.ts",
    text: `return row.claim === "certain" && row.end === null;`,
    instead: `return (row.claim === "certain" || row.claim === "inferred") && row.end === null;`,
    world: "shared, stranger",
  },
  {
    name: "an answer after absent is not claimed",
    file: "launch/answer.ts",
    text: "confirm(draft, answered, fresh, context);",
    instead: `if (intent.state === "open") confirm(draft, answered, fresh, context);`,
    world: "shared, late",
  },
  {
    name: "a deletion does not keep a sender from sending",
    file: "launch/admit.ts",
    text: `if (slotOf(draft, intent.owner)?.closing) return "its deployment is being deleted";`,
    instead: "",
    world: "pulumi, exclusive",
  },
  {
    name: "a stop that is not answered is not repeated",
    file: "launch/stop.ts",
    text: "if (row.stop.attempted === null) return true;",
    instead: "return row.stop.attempted === null;",
    world: "pulumi, exclusive",
  },
  {
    name: "surplus is not stopped",
    file: "launch/slot.ts",
    text: "const keep = slot.closing ? undefined : slotMachine(draft, slot.id);",
    instead: "if (!slot.closing) continue; const keep = undefined as DeploymentRow | undefined;",
    world: "exclusive, late, 2 slots",
  },
];
