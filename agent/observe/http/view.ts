import type { Context } from "../../../launch/context.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { contextOf } from "../../../launch/keeper.ts";
import { livingOf, stuckStopping } from "../../../launch/occupancy.ts";
import { toBeJudged } from "../../../launch/slot.ts";
import { supportRequest } from "../../../launch/support-request.ts";
import type { History } from "../../../ledger/chart-history.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import { fleetPhase } from "../../fleet/fleet-phase.ts";
import type { Moments } from "../../fleet/format.ts";
import { ago } from "../../fleet/format.ts";
import { hourly, moneyOf } from "../../fleet/money.ts";
import { shortRunway } from "../../fleet/runway.ts";
import { parseWish } from "../../fleet/wish.ts";
import type { AccountStatus } from "../../status/account-status.ts";
import { accountStatus } from "../../status/account-status.ts";
import { calledName } from "../../status/owner-names.ts";
import { lossesOf } from "./losses.ts";
import type { Pulse } from "./pulse.ts";
import type { Range } from "./series.ts";
import { defaultRange, rangeMs } from "./series.ts";

export type View = Awaited<ReturnType<typeof viewOf>>;
export type FleetView = View["fleets"][number];
export type FleetStatus = AccountStatus["fleets"][number];

export interface ViewOptions {
  readonly keeper: Keeper;
  readonly history: History;
  readonly pulse: Pulse;
  readonly short: ReadonlyMap<string, number>;
  readonly moments: Moments;
  readonly version: string;
}

/** How old the shown list is; undefined if it is fresh, or if there is none. */
export function oldOf({ status: { list, fresh }, moments, now }: Pick<View, "status" | "moments" | "now">) {
  if (fresh || list === null) return undefined;
  const time = now - list < 20 * HOUR_MS ? moments.time(list) : moments.dayAndTime(list);
  return { time, text: `${time}, ${ago(list, now)}` };
}

const MOST_LOSSES = 50;
const MOST_EVENTS = 40;

/** All that one rendering of the page shows. `asked`: the range of the charts; undefined: a default one. */
export async function viewOf(options: ViewOptions, asked: Range | undefined) {
  const { keeper, history, pulse, short, moments, version } = options;
  const { ledger, account, service } = keeper;
  const context = contextOf(keeper);
  const draft = await readDraft(keeper);
  const status = await accountStatus(ledger, account, context);
  const losses = [...lossesOf(draft)].reverse();
  const { wall: now } = context.now;
  const stretches = await history.stretches(account, now - rangeMs(asked ?? "24h"));
  return {
    now,
    moments,
    version,
    status,
    fleets: status.fleets.map((fleet) => ({
      ...fleet,
      /** The count on the page. For a drained fleet it is what was asked for, not 0. */
      shownGpus: fleet.standing.kind === "drained" ? fleet.wishedGpus : fleet.desiredGpus,
      launches: status.launches.filter(({ owner }) => owner === fleetOwner(fleet.name)),
    })),
    money: moneyOf(draft),
    /** Machines of drained fleets that nothing stops: not surely ours, or the profile maps no stop. */
    leftOver: leftOver(draft, context),
    /** What the machines cost that nobody answers for. */
    strangers: hourly(draft, toBeJudged(draft, context.now)),
    /** Below this many ms, the runway is short. */
    shortRunway: shortRunway(draft),
    /** The highest floor of all fleets that are not drained. */
    floor: floorOf(draft, context),
    /** The newest losses first, 50 at most. `request` is the text for the service's support, if needed. */
    losses: losses.slice(0, MOST_LOSSES).map((loss) => ({
      ...loss,
      request: supportRequest(draft, loss.row, (code) => service.isRetryable(code)),
    })),
    lossCount: losses.length + draft.archive.losses().reduce((sum, { count }) => sum + count, 0),
    isRetryable: (code: string) => service.isRetryable(code),
    /** Machines that were told to stop long ago and are still `stopping`. */
    stuck: [...draft.deployments.values()].filter(
      (row) => row.end === null && row.owner !== null && stuckStopping(row, context),
    ),
    /** `name` is the owner's name for people. */
    events: (await ledger.events(account, MOST_EVENTS)).map((event) => ({
      ...event,
      name: event.owner === null ? null : calledName(draft, event.owner),
    })),
    failure: pulse.failure,
    /** The agent that serves the page is not the one that keeps the account. */
    isStandby: pulse.isStandby,
    /** What is wrong with the settings now. */
    problem: pulse.problem,
    /** Since when each fleet is below its count after a loss. */
    short,
    range: asked ?? defaultRange(stretches, now),
    stretches,
    /** When the ledger was made, wall time in ms. */
    ledgerCreated: history.created,
  };
}

function leftOver(draft: Draft, context: Context) {
  return [...draft.fleets.values()]
    .filter((fleet) => fleetPhase(draft, fleet, context).kind === "drained")
    .flatMap(({ name }) =>
      livingOf(draft, fleetOwner(name))
        .filter((row) => row.stop === null)
        .map(({ id }) => ({ fleet: name, id })),
    );
}

function floorOf(draft: Draft, context: Context): string | undefined {
  return [...draft.fleets.values()]
    .filter((fleet) => fleetPhase(draft, fleet, context).kind !== "drained")
    .flatMap((fleet) => parseWish(fleet.wish).budget.floor ?? [])
    .sort((one, other) => Number(other) - Number(one))[0];
}
