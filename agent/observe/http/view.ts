import type { Context } from "../../../launch/context.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { contextOf } from "../../../launch/keeper.ts";
import { claimedBy, stuckStopping } from "../../../launch/occupancy.ts";
import { toBeJudged } from "../../../launch/slot.ts";
import { supportRequest } from "../../../launch/support-request.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { History, Stretch } from "../../../ledger/history.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow, StoredEvent } from "../../../ledger/rows.ts";
import { fleetPhase } from "../../fleet/fleet-phase.ts";
import type { Moments } from "../../fleet/format.ts";
import { ago } from "../../fleet/format.ts";
import type { Money } from "../../fleet/money.ts";
import { hourly, moneyOf } from "../../fleet/money.ts";
import { shortRunway } from "../../fleet/runway.ts";
import { parseWish } from "../../fleet/wish.ts";
import type { AccountStatus } from "../../status/account-status.ts";
import { accountStatus } from "../../status/account-status.ts";
import { calledName } from "../../status/owner-names.ts";
import type { Loss } from "./losses.ts";
import { lossesOf } from "./losses.ts";
import type { Failure, Pulse } from "./pulse.ts";
import type { Range } from "./series.ts";
import { defaultRange, rangeMs } from "./series.ts";

/** Everything that one rendering of the page shows, as one look at the ledger found it. */
export interface View {
  readonly now: number;
  readonly moments: Moments;
  readonly version: string;
  readonly status: AccountStatus;
  readonly fleets: readonly FleetView[];
  readonly money: Money;
  /** Machines of drained fleets that nobody stops: they may be somebody else's, or the profile maps no stop. */
  readonly leftOver: readonly { readonly fleet: string; readonly id: string }[];
  /** What the machines cost that nobody here answers for. */
  readonly strangers: Pick<Money, "perHour" | "unpriced">;
  /** A runway below this many ms is worth a word. */
  readonly shortRunway: number;
  /** The highest balance that some fleet keeps as its floor. */
  readonly floor: string | undefined;
  /** The newest first, not all of them. */
  /** With the text for the service's support, where one is due. */
  readonly losses: readonly (Loss & { readonly request: string | undefined })[];
  readonly lossCount: number;
  readonly isRetryable: (failureCode: string) => boolean | undefined;
  /** Machines that were told to stop long ago, and are still `stopping`. */
  readonly stuck: readonly DeploymentRow[];
  /** With their owners as people call them. */
  readonly events: readonly (StoredEvent & { readonly name: string | null })[];
  readonly failure: Failure | undefined;
  /** What is wrong with the settings as they stand now. */
  readonly problem: string | undefined;
  /** Since when fleets are below their count after a loss. */
  readonly short: ReadonlyMap<string, number>;
  readonly range: Range;
  readonly stretches: readonly Stretch[];
  /** When the ledger was made, wall time in ms. */
  readonly ledgerCreated: number;
}

export type FleetStatus = AccountStatus["fleets"][number];

export interface FleetView extends FleetStatus {
  /** Of how many it is shown to have some: a fleet that is drained was asked for, too. */
  readonly shownGpus: number;
  readonly launches: AccountStatus["launches"];
}

export interface ViewOptions {
  readonly keeper: Keeper;
  readonly history: History;
  readonly pulse: Pulse;
  readonly short: ReadonlyMap<string, number>;
  readonly moments: Moments;
  readonly version: string;
}

/** What is shown is as old as this; undefined: it is fresh, or there is nothing yet. */
export function oldOf({
  status,
  moments,
  now,
}: View): { readonly time: string; readonly text: string } | undefined {
  const { list, fresh } = status;
  if (fresh || list === null) return undefined;
  const time = now - list < 20 * HOUR_MS ? moments.time(list) : moments.dayAndTime(list);
  return { time, text: `${time}, ${ago(list, now)}` };
}

const MOST_LOSSES = 50;
const MOST_EVENTS = 40;

/** `asked`: the time that charts show; undefined leaves it to what there is to show. */
export async function viewOf(options: ViewOptions, asked: Range | undefined): Promise<View> {
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
      shownGpus: fleet.standing.kind === "drained" ? fleet.wishedGpus : fleet.desiredGpus,
      launches: status.launches.filter(({ owner }) => owner === fleetOwner(fleet.name)),
    })),
    money: moneyOf(draft),
    leftOver: leftOver(draft, context),
    strangers: hourly(draft, toBeJudged(draft, context.now)),
    shortRunway: shortRunway(draft),
    floor: floorOf(draft, context),
    losses: losses.slice(0, MOST_LOSSES).map((loss) => ({
      ...loss,
      request: supportRequest(draft, loss.row, (code) => service.isRetryable(code)),
    })),
    lossCount: losses.length,
    isRetryable: (code) => service.isRetryable(code),
    stuck: [...draft.deployments.values()].filter(
      (row) => row.end === null && row.owner !== null && stuckStopping(row, context),
    ),
    events: (await ledger.events(account, MOST_EVENTS)).map((event) => ({
      ...event,
      name: event.owner === null ? null : calledName(draft, event.owner),
    })),
    failure: pulse.failure,
    problem: pulse.problem,
    short,
    range: asked ?? defaultRange(stretches, now),
    stretches,
    ledgerCreated: history.created,
  };
}

function leftOver(draft: Draft, context: Context): View["leftOver"] {
  return [...draft.fleets.values()]
    .filter((fleet) => fleetPhase(draft, fleet, context).kind === "drained")
    .flatMap(({ name }) =>
      claimedBy(draft, fleetOwner(name))
        .filter((row) => row.end === null && row.stop === null)
        .map(({ id }) => ({ fleet: name, id })),
    );
}

function floorOf(draft: Draft, context: Context): string | undefined {
  return [...draft.fleets.values()]
    .filter((fleet) => fleetPhase(draft, fleet, context).kind !== "drained")
    .flatMap((fleet) => parseWish(fleet.wish).budget.floor ?? [])
    .sort((one, other) => Number(other) - Number(one))[0];
}
