import Big from "big.js";
import { parsePrice } from "../service/contract/money.ts";
import type { AccountRow, DeploymentRow, FleetRow, GrantRow, IntentRow, Portion } from "./rows.ts";
import { unsound } from "./unsound.ts";

/*
 * What no change of a row takes away: asserted as it is put, against the row before. docs/how/assertions.md has the rules.
 * ledger/agreed.ts has what rows say of each other.
 */

/** What was sent is what was written down. */
const SENT = ["offer", "provider", "location", "gpus", "marker", "profile", "group"] as const;

export function keepIntent(before: IntentRow | undefined, after: IntentRow): void {
  if (!before) return;
  const { id } = after;
  const changed = SENT.find((name) => after[name] !== before[name]);
  if (changed)
    unsound("sentOnce", `the launch ${id} would have another ${changed} than it was written down with`);
  if (after.baseline !== before.baseline) {
    const isUnsent =
      before.state === "open" && before.answer === null && after.answer === null && after.state === "open";
    if (!isUnsent || after.baseline < before.baseline)
      unsound(
        "baseline",
        `the launch ${id} would have the baseline ${after.baseline} after ${before.baseline}, once it was sent`,
      );
  }
  if (before.pricePerHour === after.pricePerHour) return;
  const [cost, costs] = [parsePrice(before.pricePerHour), parsePrice(after.pricePerHour)];
  if (cost && (!costs || costs.lt(cost)))
    unsound(
      "price",
      `the launch ${id} would cost ${after.pricePerHour ?? "nobody knows what"} after ${before.pricePerHour}`,
    );
}

interface Known {
  readonly account: AccountRow;
  readonly intents: { ever(id: string): IntentRow | undefined };
}

export function keepDeployment(
  { account, intents }: Known,
  before: DeploymentRow | undefined,
  after: DeploymentRow,
): void {
  const { id, stop, claim } = after;
  const had = before?.stop ?? null;
  // What nothing ever showed is let go while a call may be on its way: that one is written down.
  const isCalled = stop !== null && (had === null || stop.attempts > had.attempts);
  if (isCalled && claim !== "certain" && after.end === null)
    unsound("onlyOurs", `${id} would be stopped, and is ${claim === null ? "nobody's" : claim}`);
  if (before?.claim !== "certain" || claim === "certain" || claim === "foreign") return;
  if (claim === "inferred" && after.reused && account.tenure !== "exclusive") return;
  if (claim === null && !isCertainFor(before, after, intents)) return;
  unsound("certainty", `${id} is certainly ${before.owner}'s, and would be ${claim ?? "nobody's"}`);
}

/** False: nothing ever showed it, its id begins anew, or its launch has it by looking alone. */
function isCertainFor(before: DeploymentRow, after: DeploymentRow, intents: Known["intents"]): boolean {
  if (before.lastSeen === null && after.end === "gone") return false;
  if (before.end !== null && after.reused) return false;
  const intent = before.intent === null ? undefined : intents.ever(before.intent);
  return (
    !intent ||
    intent.answer?.id === before.id ||
    intent.marker === before.marker ||
    intent.owner !== before.owner
  );
}

const AMOUNTS = ["gpus", "overshoot", "surge", "perHour", "perDay", "total", "churn"] as const;

/** Shares of a fleet over several accounts: what was given was lowered, what came was taken once, and the wish follows. */
export function keepShares(before: FleetRow | undefined, after: FleetRow): void {
  const { part } = after;
  const had = before?.part;
  // Another fleet begins under the name of one that is over.
  if (!part || !had || before.source !== after.source || (before.removed && !after.removed)) return;
  const fresh = part.given.filter((grant) => !had.given.some((old) => isSame(old, grant)));
  const isTaken = Object.entries(part.taken).some(([from, sequence]) => sequence > (had.taken[from] ?? 0));
  for (const [from, sequence] of Object.entries(had.taken))
    if ((part.taken[from] ?? 0) < sequence)
      fail(after, `would forget that it took grant ${sequence} of ${from}`);
  for (const { to, sequence } of fresh)
    if (sequence <= (had.sent[to] ?? 0)) fail(after, `would give the grant ${sequence} to ${to} once more`);
  for (const name of AMOUNTS) {
    const given = fresh.reduce((sum, { amount }) => sum.plus(amount[name] ?? 0), Big(0));
    const gained = of(part.net, name).minus(of(had.net, name)).plus(given);
    if (isTaken ? gained.lt(0) : !gained.eq(0))
      fail(
        after,
        `would have ${of(part.net, name)} of ${name} after ${of(had.net, name)}, and give ${given}`,
      );
  }
}

function isSame(one: GrantRow, other: GrantRow): boolean {
  return one.to === other.to && one.sequence === other.sequence;
}

function of(portion: Portion, name: (typeof AMOUNTS)[number]): Big {
  return Big(portion[name] ?? 0);
}

function fail({ name }: FleetRow, what: string): never {
  return unsound("shares", `the fleet ${name} ${what}`);
}
