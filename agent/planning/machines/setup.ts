import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { EventKind } from "../../../ledger/event-kind.ts";
import { elapsed, MINUTE_MS, type ProcessIdentity } from "../../../ledger/instant.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, SetupRow } from "../../../ledger/rows.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { addressOf } from "../../fleet/wish/machine-address.ts";
import type { Setup } from "../../fleet/wish/setup-wish.ts";
import { parseWish, type Wish } from "../../fleet/wish/wish.ts";
import type { SetupFacts } from "../../json/parts.ts";

/*
 * A fleet's setup is run once for each of its machines. A try is stored before its command starts, with a lease: as long as
 * that is not surely over, nobody begins another one. What has been set up stays so, whatever the command is later.
 */

/** What an agent adds to the time of a try, in which it ends the command and stores what came of it. */
const LEASE_MARGIN_MS = 30_000;
/** The wait after the first try that failed. It doubles: a machine may take minutes until it can be logged in to. */
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

/** True once nothing of a setup stands between the machine and its fleet. */
export function isSetUp({ setup }: Pick<DeploymentRow, "setup">, wish: Pick<Wish, "setup">): boolean {
  return wish.setup === undefined || setup?.state === "done";
}

/** The fleet of a machine that runs and is not to be stopped, and its setup; undefined: it has none. */
function toSetUp(
  draft: Draft,
  { owner, stop, end, status }: DeploymentRow,
): { readonly fleet: FleetRow; readonly wish: Wish; readonly setup: Setup } | undefined {
  const { kind, name } = owner === null ? {} : ownerParts(owner);
  const fleet = kind === "fleet" ? draft.fleets.get(name ?? "") : undefined;
  if (!fleet || end !== null || stop !== null || status !== "running") return undefined;
  const wish = parseWish(fleet.wish);
  return wish.setup && { fleet, wish, setup: wish.setup };
}

/** How the setup of a running machine stands. Undefined: its fleet has none, or it does not run. */
export function setupOf(draft: Draft, row: DeploymentRow): SetupFacts | undefined {
  const found = toSetUp(draft, row);
  if (!found) return undefined;
  const { state = "waiting", tries = 0, since = row.statusSince, said = null } = row.setup ?? {};
  const problem = row.setup ? undefined : addressProblem(row, found.wish);
  return { state, tries, since: since.wall, said: problem ?? said };
}

/** A setup that is not as it should be, in a word or two. Undefined: it is done, or there is none. */
export function setupText(setup: SetupFacts | null): string | undefined {
  if (setup === null || setup.state === "done") return undefined;
  return `setup ${setup.state}${setup.tries > 0 ? `, try ${setup.tries}` : ""}`;
}

/** Why its address is not known, where the command waits for one. */
function addressProblem(row: DeploymentRow, { setup, ready }: Wish): string | undefined {
  const detail = setup?.address ?? ready?.address;
  const address = detail === undefined ? undefined : addressOf(row, detail);
  return address && "problem" in address ? address.problem : undefined;
}

export interface Try {
  readonly fleet: FleetRow;
  readonly setup: Setup;
  readonly host: string | undefined;
  /** The row with the try that is to begin. */
  readonly row: DeploymentRow;
  /** What an agent that ended may have left running. */
  readonly leftBehind: ProcessIdentity | undefined;
}

/** The try that may begin now on this machine. Undefined: none. `self`: who would run it, and runs none on it now. */
export function nextTry(
  draft: Draft,
  row: DeploymentRow,
  self: ProcessIdentity,
  context: Context,
): Try | undefined {
  const found = toSetUp(draft, row);
  if (!found || !mayBegin(row.setup, self, context) || addressProblem(row, found.wish)) return undefined;
  const { fleet, wish, setup } = found;
  if (fleetPhase(draft, fleet, context).kind === "drained") return undefined;
  const { tries = 0, failures = 0, said = null, lease } = row.setup ?? {};
  const detail = setup.address ?? wish.ready?.address;
  const begun: SetupRow = {
    state: "running",
    since: context.now,
    tries: tries + 1,
    failures,
    said,
    lease: { agent: self, lasts: milliseconds(setup.within) + LEASE_MARGIN_MS },
  };
  const host = detail === undefined ? undefined : row.connection?.[detail];
  return { fleet, setup, host, row: { ...row, setup: begun }, leftBehind: lease?.program };
}

function mayBegin(setup: SetupRow | undefined, self: ProcessIdentity, context: Context): boolean {
  if (!setup) return true;
  const since = elapsed(setup.since, context.now);
  switch (setup.state) {
    case "waiting":
      return since >= waitAfter(setup.failures);
    case "running":
      return isOver(setup, self, context);
    default:
      return false;
  }
}

function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);
}

/**
 * True once nobody can be running this try: its time is over, or its agent has ended and what that may have left running is
 * known, or it is this process, which runs none.
 */
function isOver({ since, lease }: SetupRow, self: ProcessIdentity, { now, isAlive }: Context): boolean {
  if (!lease) return true;
  if (elapsed(since, now) > lease.lasts || isSame(lease.agent, self)) return true;
  return lease.program !== undefined && !isAlive(lease.agent);
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.started === other.started && one.boot === other.boot;
}

/** The row, if this try of it is still ours to end. */
export function heldTry(
  draft: Draft,
  { row: { id, setup } }: Try,
  self: ProcessIdentity,
): DeploymentRow | undefined {
  const row = draft.deployments.ever(id);
  const { state, tries, lease } = row?.setup ?? {};
  const isOurs = state === "running" && tries === setup?.tries && lease && isSame(lease.agent, self);
  return isOurs ? row : undefined;
}

/** How a try ended. `unknown`: its agent ended it, or it could not be run here, so it says nothing of the machine. */
export type TryEnd = { readonly kind: "done" | "failed" | "unknown"; readonly said: string };

/** Stores how a try ended, and tells it. */
export function endTry(
  draft: Draft,
  row: DeploymentRow,
  { setup }: Try,
  end: TryEnd,
  context: Context,
): void {
  const { tries = 1, failures: before = 0 } = row.setup ?? {};
  const failures = before + (end.kind === "failed" ? 1 : 0);
  const isLast = failures > setup.retries;
  const state = end.kind === "done" ? "done" : isLast ? "failed" : "waiting";
  const said = end.said === "" ? null : end.said;
  draft.putDeployment({ ...row, setup: { state, since: context.now, tries, failures, said } });
  const news = TOLD[end.kind === "failed" ? state : end.kind];
  if (!news) return;
  const text = `${row.id} ${news.what}, try ${tries}${said === null ? "" : `: ${said}`}${news.then}`;
  note(draft, context, news.kind, text, { owner: row.owner, deployment: row.id });
}

/** What is told of a try. Of one that says nothing, nothing is. */
const TOLD: Readonly<
  Record<string, { readonly kind: EventKind; readonly what: string; readonly then: string }>
> = {
  done: { kind: "setUp", what: "is set up", then: "" },
  waiting: { kind: "setupTried", what: "could not be set up", then: "; it is tried again" },
  failed: { kind: "setupFailed", what: "runs and could not be set up", then: "; no other try follows" },
};

/** Setups that cannot begin for as long as a try may take: people should know of them. */
export function stuckSetups(
  draft: Draft,
  context: Context,
): readonly { readonly row: DeploymentRow; readonly text: string }[] {
  return [...draft.deployments.of("life", "living")].flatMap((row) => {
    const found = toSetUp(draft, row);
    const { state = "waiting", said, failures = 0 } = row.setup ?? {};
    if (!found || state !== "waiting" || failures > 0) return [];
    const problem = said ?? addressProblem(row, found.wish);
    const isLate = elapsed(row.statusSince, context.now) > milliseconds(found.setup.within);
    return problem && isLate ? [{ row, text: `${row.id} runs and waits for its setup: ${problem}` }] : [];
  });
}
