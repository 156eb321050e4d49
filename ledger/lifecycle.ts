import type { Claim, DeploymentRow, FleetRow, IntentRow, IntentState } from "./rows.ts";
import { unsound } from "./unsound.ts";

/*
 * The life of a launch, of a machine and of a fleet in the ledger. Only these tables say which change is legal. `Draft`
 * checks each row that is put, so a decision with an illegal change is rolled back and stores nothing.
 */

/** "new": the ledger has no such row yet. */
export type IntentFrom = IntentState | "new";
/** "none": the row is nobody's (`claim` is null). */
export type ClaimState = Claim | "none";
export type ClaimFrom = ClaimState | "new";

interface Move<From, To> {
  readonly from: readonly From[];
  readonly to: readonly To[];
  /** The function that makes this move. */
  readonly by: string;
}

const ANSWERED_LATE = ["open", "claimed", "absent", "disputed"] as const;

/** Every way in which an intent changes its state. Any other is a mistake of the program. */
export const INTENT_MOVES = {
  /** Nothing speaks against the launch: it is written down before it is sent. */
  admit: { from: ["new"], to: ["open"], by: "admit" },
  /** The last look before the POST found a reason against it. */
  giveUp: { from: ["open"], to: ["notSent"], by: "stampForSend" },
  /** The service refused it. A definite answer overrules what was concluded while it was under way. */
  refuse: { from: ANSWERED_LATE, to: ["rejected"], by: "storeAnswer, lookAgain" },
  /** No byte of it left this machine. */
  notSend: { from: ANSWERED_LATE, to: ["notSent"], by: "storeAnswer" },
  /** Its answer named the machine. An answer that is shown late overrules everything. */
  confirm: {
    from: [...ANSWERED_LATE, "rejected", "notSent"],
    to: ["claimed"],
    by: "confirm",
  },
  /** A list shows a machine that it explains, or with its marker. A refused POST may have been sent twice. */
  claim: { from: [...ANSWERED_LATE, "rejected", "notSent"], to: ["claimed"], by: "claim" },
  /** Lists showed nothing for the whole settle time, or for an hour nothing of the id in its answer. */
  callAbsent: { from: ["open", "claimed"], to: ["absent"], by: "settle, neverWas" },
  /** More machines are there than it can explain, and the account is shared. */
  dispute: { from: ["open", "claimed"], to: ["disputed"], by: "dispute" },
  /** The machine is not the one that it made. Absent if another open intent of its group is looked for. */
  lookAgain: { from: ["claimed", "disputed"], to: ["open", "absent"], by: "lookAgain" },
  /** A person said which machine it made. */
  adopt: { from: ["open", "disputed"], to: ["claimed"], by: "adopt" },
} as const satisfies Readonly<Record<string, Move<IntentFrom, IntentState>>>;

export type IntentMove = keyof typeof INTENT_MOVES;

/** The states in which an intent may be deleted: it made nothing, and no rule reads it any more. */
const FORGETTABLE: readonly IntentState[] = ["rejected", "notSent"];

const ANY_CLAIM = ["none", "inferred", "certain", "disputed", "foreign"] as const;

/** Every way in which a row's claim or owner changes. A row begins as nobody's, without a move. */
export const CLAIM_MOVES = {
  /** A launch of ours certainly made it. */
  claim: { from: ["none", "inferred", "disputed"], to: ["certain"], by: "claim, claimSurplus, confirmTaken" },
  /** A list shows it while a launch of ours is looked for, and the account is shared. */
  infer: { from: ["none"], to: ["inferred"], by: "claim" },
  /** It is one of several that a launch of ours may have made. */
  dispute: { from: ["none", "inferred"], to: ["disputed"], by: "dispute" },
  /** The launch that it was claimed for did not make it, or nothing ever showed it. */
  letGo: {
    from: ["inferred", "disputed", "certain"],
    to: ["none"],
    by: "release, withdraw, adopt, neverWas",
  },
  /**
   * A fleet that lacks GPUs, or the state of a Pulumi stack, takes what runs already. What was disputed on a
   * shared account is ours once the account is exclusive.
   */
  take: {
    from: ["none", "disputed"],
    to: ["certain", "inferred"],
    by: "adoptInitially, matchFurther, takeOver",
  },
  /** A person says that it is ours, and whose. */
  adopt: { from: ANY_CLAIM, to: ["certain"], by: "adopt" },
  /** A person says that it is not ours. */
  disown: { from: ANY_CLAIM, to: ["foreign"], by: "disown, abandon" },
  /** Its owner is renamed, or hands it over. */
  passOn: {
    from: ["inferred", "certain", "disputed"],
    to: ["inferred", "certain", "disputed"],
    by: "rename, handOver",
  },
  /** On a shared account its id shows another machine: it only seems ours until a person decides. */
  doubt: { from: ["certain"], to: ["inferred"], by: "doubtLiving" },
  /** It has ended and its id is given anew: its row goes on under another name. */
  putAside: { from: ["new"], to: ["inferred", "certain", "disputed"], by: "putAside" },
  /** Then the id begins anew as nobody's. */
  beginAnew: { from: ["inferred", "certain", "disputed"], to: ["none"], by: "putAside" },
} as const satisfies Readonly<Record<string, Move<ClaimFrom, ClaimState>>>;

export type ClaimMove = keyof typeof CLAIM_MOVES;

/** Further fields of a row. A foreign one keeps its launch, for people. @internal Exported for its test. */
export const CLAIM_NEEDS: Readonly<
  Record<ClaimState, Readonly<Record<"owner" | "intent" | "claimed", "set" | "null" | "any">>>
> = {
  none: { owner: "null", intent: "null", claimed: "null" },
  inferred: { owner: "set", intent: "any", claimed: "set" },
  certain: { owner: "set", intent: "any", claimed: "set" },
  disputed: { owner: "set", intent: "set", claimed: "set" },
  foreign: { owner: "null", intent: "any", claimed: "any" },
};

/** A name whose fleet is over stays removed. An order, a deadline and a total change no state: see fleet-phase.ts. */
export type FleetState = "unborn" | "born" | "removed";

/**
 * Every way in which a fleet's state changes. None leads from `born` to `unborn`: what was matched once would be rented
 * again. @internal Exported for its test, and for docs/how/lives.md.
 */
export const FLEET_MOVES = {
  /** A file or a stack asks for it, or once more before it is over. Over, it begins a new life. */
  declare: { from: ["new", "removed"], to: ["unborn"], by: "declareFleet" },
  askAgain: { from: ["removed"], to: ["unborn", "born"], by: "declareFleet" },
  /** What two agreeing lists show was matched: it may launch. */
  beBorn: { from: ["unborn"], to: ["born"], by: "adoptInitially" },
  /** It takes a name that is free, and is all that it was. Its old name stays removed. */
  rename: { from: ["new", "removed"], to: ["unborn", "born"], by: "renameFleet" },
  /** Its owner asks for it no more. */
  remove: { from: ["unborn", "born"], to: ["removed"], by: "removeFleet, renameFleet" },
} as const satisfies Readonly<Record<string, Move<FleetState | "new", FleetState>>>;

/** Throws UNSOUND if no move leads from the fleet's state to the new row's. */
export function checkFleet(before: FleetRow | undefined, after: FleetRow): void {
  const [from, to] = [before ? fleetState(before) : "new", fleetState(after)] as const;
  if (from === to || Object.values(FLEET_MOVES).some((move) => allows(move, from, to))) return;
  illegal(`fleet ${after.name}`, undefined, from, to);
}

function fleetState({ removed, born }: FleetRow): FleetState {
  return removed ? "removed" : born ? "born" : "unborn";
}

/** Throws UNSOUND if this move does not lead from the draft's state to the new row's. */
export function checkIntentMove(move: IntentMove, before: IntentRow | undefined, after: IntentRow): void {
  const from: IntentFrom = before?.state ?? "new";
  if (allows(INTENT_MOVES[move], from, after.state)) return;
  illegal(`launch ${after.id}`, move, from, after.state);
}

/** Throws UNSOUND if a row that is put without a move changes the state of its intent. */
export function checkIntentKept(before: IntentRow | undefined, after: IntentRow): void {
  if (before?.state === after.state) return;
  illegal(`launch ${after.id}`, undefined, before?.state ?? "new", after.state);
}

/** Throws UNSOUND if an intent may not be deleted. */
export function checkForgettable(id: string, intent: IntentRow | undefined): void {
  if (intent === undefined || FORGETTABLE.includes(intent.state)) return;
  illegal(`launch ${id}`, "forget", intent.state, "deleted");
}

/** Throws UNSOUND if this move does not lead to the new row's claim, or its fields do not fit the claim. */
export function checkClaimMove(
  move: ClaimMove,
  before: DeploymentRow | undefined,
  after: DeploymentRow,
): void {
  const [from, to] = [claimOf(before), after.claim ?? "none"];
  const [isLegal, problem] = [allows(CLAIM_MOVES[move], from, to), whyIncomplete(after)];
  if (isLegal && !problem) return;
  illegal(`deployment ${after.id}`, move, from, isLegal ? `${to} ${problem}` : to);
}

/**
 * Throws UNSOUND if a row that is put without a move changes its claim, owner or launch. Unchanged fields
 * are not checked: a row of an older version may be incomplete.
 */
export function checkClaimKept(before: DeploymentRow | undefined, after: DeploymentRow): void {
  const [from, to] = [claimOf(before), after.claim ?? "none"];
  if (from === "new" ? to === "none" && !whyIncomplete(after) : isKept(before, after)) return;
  const what = ({ owner, intent }: Pick<DeploymentRow, "owner" | "intent">): string =>
    `owner ${owner}, launch ${intent}`;
  illegal(
    `deployment ${after.id}`,
    undefined,
    before ? `${from} (${what(before)})` : from,
    `${to} (${what(after)})`,
  );
}

function isKept(before: DeploymentRow | undefined, after: DeploymentRow): boolean {
  return (
    before?.claim === after.claim &&
    before.owner === after.owner &&
    before.intent === after.intent &&
    (before.claimed === null) === (after.claimed === null)
  );
}

function claimOf(row: DeploymentRow | undefined): ClaimFrom {
  return row === undefined ? "new" : (row.claim ?? "none");
}

function allows<From, To>({ from, to }: Omit<Move<From, To>, "by">, before: From, after: To): boolean {
  return from.includes(before) && to.includes(after);
}

/** The field that does not fit its claim; undefined if all do. */
function whyIncomplete(row: DeploymentRow): string | undefined {
  const needs = CLAIM_NEEDS[row.claim ?? "none"];
  const wrong = (["owner", "intent", "claimed"] as const).find((field) => {
    const need = needs[field];
    return need !== "any" && (row[field] === null) === (need === "set");
  });
  return wrong && `with ${wrong} ${row[wrong] === null ? "null" : "set"}`;
}

function illegal(what: string, move: string | undefined, from: string, to: string): never {
  const how = move === undefined ? "without a move" : `by ${move}`;
  return unsound(
    "lifecycle",
    `${what} would go from ${from} to ${to} ${how}, and ledger/lifecycle.ts allows no such change`,
  );
}
