import { planHolds } from "../../../launch/admit/holds.ts";
import { mayStop } from "../../../launch/ends/stop.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { holdText } from "../../../launch/facts/hold.ts";
import { machineHoldText } from "../../../launch/facts/machine-hold.ts";
import { claimedBy } from "../../../launch/facts/occupancy.ts";
import { wakeAgent } from "../../../launch/mark-wake.ts";
import { overBudget } from "../../../launch/money/budget.ts";
import { hourOf } from "../../../launch/money/price.ts";
import { overSharedBudget } from "../../../launch/money/shared-budget.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS, elapsed, HOUR_MS, type Instant, isBefore, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner, ownerParts } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, HealthRow } from "../../../ledger/rows.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import type { Health } from "../../fleet/wish/health-wish.ts";
import type { Answer } from "../../fleet/wish/machine-question.ts";
import { limitsOf, parseWish, type Wish } from "../../fleet/wish/wish.ts";
import type { ShortRow } from "../../json/parts.ts";
import { wouldChurn } from "../count/churn.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import { FLEET_RULES } from "../holds/fleet-holds.ts";
import { chooseStop } from "./before-stop.ts";
import { isReplacing, running } from "./readiness.ts";
import { isSetUp } from "./setup.ts";

export interface WatchedFleet {
  readonly name: string;
  readonly source: string;
  readonly wish: Wish;
  readonly health: Health;
  /** It may be changed now: it is neither paused nor drained. */
  readonly kept: boolean;
}

/** Two bad answers further apart say nothing of the time between them: nobody asked. */
const LONGEST_GAP_MS = 2 * MINUTE_MS;

/** A machine that is bad again and again is told of once in this time. */
const TOLD_AGAIN_MS = HOUR_MS;

/** After so many in a row within a day no machine is at fault: more would be paid for in vain. */
const MOST_IN_A_ROW = 3;

/** The fleets that say how their machines are asked whether they are healthy. */
export function watchedFleets(draft: Draft, context: Context): readonly WatchedFleet[] {
  return [...draft.fleets.values()].flatMap((fleet) => watchedFleet(draft, fleet, context) ?? []);
}

function watchedFleet(draft: Draft, fleet: FleetRow, context: Context): WatchedFleet | undefined {
  const wish = wishInForce(draft, fleet, context);
  const { kind } = fleetPhase(draft, fleet, context);
  const health = checkOf(wish);
  if (!health || kind === "drained") return undefined;
  const { name, source } = fleet;
  return { name, source, wish, health, kept: kind === "kept" };
}

/** The machines of it that were ready once; without a check of that, those that run and are set up. */
export function watched(draft: Draft, { name, wish }: WatchedFleet): readonly DeploymentRow[] {
  return running(draft, name).filter(
    (row) => isSetUp(row, wish) && (wish.ready === undefined || row.ready?.ever === true),
  );
}

/** What this check said of it last. */
function healthOf({ health: row }: DeploymentRow, health: Health): HealthRow | undefined {
  return row?.by === keyOf(health) ? row : undefined;
}

/** What its fleet's check said of it, as programs read it. */
export function healthFacts(draft: Draft, row: DeploymentRow): ShortRow["health"] {
  const fleet = row.owner !== null && draft.fleets.get(ownerParts(row.owner).name);
  const check = fleet && row.end === null ? checkOf(parseWish(fleet.wish)) : undefined;
  const found = check && healthOf(row, check);
  if (!found) return null;
  const { ok, since, bad } = found;
  return { good: ok, since: since.wall, badSeconds: (bad?.ms ?? 0) / 1000, why: bad?.why ?? null };
}

/** A check that names no address has that of `ready`. */
function checkOf({ health, ready }: Wish): Health | undefined {
  return health && { ...health, address: health.address ?? ready?.address };
}

/** True if it was seen bad for as long as the check says. */
function isUnhealthy(row: DeploymentRow, health: Health): boolean {
  return (healthOf(row, health)?.bad?.ms ?? -1) >= milliseconds(health.bad);
}

/**
 * Stores an answer. Bad ones count from the first on, whatever their causes, until a good one. Unknown neither begins nor
 * ends that, and its time does not count: neither does time in which nobody asked.
 */
export function storeHealth(
  draft: Draft,
  id: string,
  { answer, at }: { readonly answer: Answer; readonly at: Instant },
  health: Health,
  context: Context,
): void {
  const row = draft.deployments.ever(id);
  if (!row || row.end !== null || row.stop !== null || row.status !== "running") return;
  const before = healthOf(row, health);
  const next = heard(before, answer, at, health);
  if (next === before) return;
  const put = (news: Partial<HealthRow> = {}): void => {
    draft.putDeployment({ ...row, health: { ...next, ...news } });
  };
  const tell = (kind: "healthy" | "unhealthy", text: string): void =>
    note(draft, context, kind, `${id} ${text}`, { owner: row.owner, deployment: id });
  put();
  if (next.told?.open && next.ok) {
    tell("healthy", "is healthy again");
    put({ told: { ...next.told, open: false } });
  }
  if (next.told?.open || !next.bad || next.bad.ms < milliseconds(health.bad)) return;
  if (next.told && elapsed(next.told.at, at) < TOLD_AGAIN_MS) return;
  tell("unhealthy", unhealthyText(next.bad, health));
  put({ told: { at, open: true } });
}

function unhealthyText({ why }: NonNullable<HealthRow["bad"]>, { bad }: Health): string {
  return `is unhealthy, for ${bad}: ${why}`;
}

function heard(before: HealthRow | undefined, answer: Answer, at: Instant, health: Health): HealthRow {
  const state = { since: at, by: keyOf(health), ...(before?.told && { told: before.told }) };
  const isProven = before?.proven || (before?.ok && elapsed(before.since, at) >= milliseconds(health.bad));
  const kept = { ...state, ...(isProven && { proven: true as const }) };
  if (answer.kind === "good") return before?.ok ? before : { ...kept, ok: true };
  if (answer.kind === "unknown") {
    if (!before?.bad?.seen) return before as HealthRow;
    return { ...before, bad: { ...before.bad, seen: null } };
  }
  const { why } = answer;
  if (!before?.bad) return { ...kept, ok: false, bad: { why, ms: 0, seen: at } };
  const { ms, seen } = before.bad;
  const gap = seen === null ? 0 : elapsed(seen, at);
  return { ...before, bad: { why, ms: ms + (gap > LONGEST_GAP_MS ? 0 : gap), seen: at } };
}

/**
 * Asks to stop machines that are unhealthy, where their fleet says `replace`: one of a fleet at a time, by its newest answer,
 * and while nothing is in the way of the stop or of what comes in its place. Those in `asking` wait for that answer.
 */
export function replaceUnhealthy(draft: Draft, asking: ReadonlySet<string>, context: Context): void {
  for (const fleet of watchedFleets(draft, context)) {
    const { name, health } = fleet;
    const sick = health.then === "replace" ? unhealthyOf(draft, fleet) : [];
    if (sick.length === 0 || whyKept(draft, fleet, context) !== undefined) continue;
    const row = sick.find(
      (each) =>
        !asking.has(each.id) &&
        isFresh(each.health?.bad?.seen, context) &&
        whyKeptOne(draft, fleet, each, context) === undefined,
    );
    if (!row?.health?.bad || isReplacing(draft, name, context)) continue;
    if (!chooseStop(draft, row.id, `it ${unhealthyText(row.health.bad, health)}`, context)) continue;
    const asked = draft.deployments.ever(row.id) ?? row;
    draft.putDeployment({ ...asked, health: { ...row.health, gaveUp: true } });
    wakeAgent(draft);
  }
}

/** The machines of a fleet that are unhealthy, and why those that could be replaced stay. No answer: a text that changes is written at each tick. */
export function unhealthyTexts(draft: Draft, of: FleetRow, context: Context): readonly string[] {
  const fleet = watchedFleet(draft, of, context);
  if (!fleet) return [];
  const all = fleet.health.then === "replace" ? whyKept(draft, fleet, context) : undefined;
  return unhealthyOf(draft, fleet).map((row) => {
    const why = fleet.health.then === "replace" ? (all ?? whyKeptOne(draft, fleet, row, context)) : undefined;
    return `${row.id} is unhealthy${why === undefined ? "" : ` and is not replaced: ${why}`}`;
  });
}

/** The machines of a fleet that are bad for as long as its check says. */
export function unhealthyOf(draft: Draft, fleet: WatchedFleet): readonly DeploymentRow[] {
  return watched(draft, fleet).filter((row) => isUnhealthy(row, fleet.health));
}

/** Why none of its machines is replaced for its health now. */
function whyKept(draft: Draft, fleet: WatchedFleet, context: Context): string | undefined {
  if (!fleet.kept) return "the fleet is paused";
  const launched = { owner: fleetOwner(fleet.name), limits: limitsOf(fleet.wish), rules: FLEET_RULES };
  // A part of a fleet in several services is chosen once it lacks something.
  const held = planHolds(draft, launched, context).find(({ kind }) => kind !== "choosing");
  return whyDoubted(draft, fleet, context) ?? (held && holdText(held));
}

/** Why this one is not: the next one would be refused for what the fleet has paid, or for what this one's end would lose. */
function whyKeptOne(
  draft: Draft,
  { name, wish }: WatchedFleet,
  row: DeploymentRow,
  context: Context,
): string | undefined {
  if (!mayStop(row)) return "it may be somebody else's: fleetkeeper adopt or disown";
  const held = machineHoldText(row, context.now);
  const fleet = draft.fleets.get(name);
  if (held !== undefined || !fleet) return held;
  if (wouldChurn(draft, fleet, [row], context))
    return "with it, too much would be lost to machines that ended young";
  const { perDay, total, totalOf, churn } = limitsOf(wish);
  const priced = {
    owner: fleetOwner(name),
    gpus: gpusOf(draft, row),
    pricePerHour: hourOf(draft, row)?.toFixed() ?? null,
  };
  const over =
    overBudget(draft, { ...priced, limits: { perDay, total, totalOf, churn } }, context) ??
    overSharedBudget(draft, priced, context);
  return over && holdText(over);
}

/** Why no more machines of it are replaced for their health; undefined: they are. */
export function whyDoubted(
  draft: Draft,
  { name, health }: Pick<WatchedFleet, "name" | "health">,
  context: Context,
): string | undefined {
  if (health.then !== "replace") return undefined;
  const { now } = context;
  const rows = claimedBy(draft, fleetOwner(name));
  const good = rows.filter((row) => isProven(row, health, now)).flatMap(({ claimed }) => claimed ?? []);
  const inARow = rows.filter(({ health: found, stop }) => {
    if (!found?.gaveUp || found.by !== keyOf(health) || !stop) return false;
    return elapsed(stop.asked, now) < DAY_MS && !good.some((claimed) => isBefore(stop.asked, claimed, now));
  }).length;
  if (inARow < MOST_IN_A_ROW) return undefined;
  return `${inARow} machines in a row were replaced because they were unhealthy, and none that came since was good: no more are before one is, or a day has passed. Check the health check itself, and what the machines run`;
}

function isProven(row: DeploymentRow, health: Health, now: Instant): boolean {
  const found = healthOf(row, health);
  // One that went in the meantime was good until then, and no longer.
  const until = row.stop?.asked ?? row.ended ?? now;
  return (
    found?.proven === true || (found?.ok === true && elapsed(found.since, until) >= milliseconds(health.bad))
  );
}

function isFresh(seen: Instant | null | undefined, { now }: Context): boolean {
  return seen != null && elapsed(seen, now) <= LONGEST_GAP_MS;
}

/** Identifies a check. What was found by another one does not count for it. */
function keyOf({ bad: _bad, then: _then, ...check }: Health): string {
  return JSON.stringify(check);
}
