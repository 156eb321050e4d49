import { supportRequest } from "../../../../launch/ends/support-request.ts";
import type { Context } from "../../../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../../../launch/facts/occupancy.ts";
import { toBeJudged } from "../../../../launch/people/slot.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { fleetOwner } from "../../../../ledger/owner.ts";
import { hourly, moneyOf } from "../../../fleet/money/money.ts";
import { shortRunway } from "../../../fleet/money/runway.ts";
import { fleetPhase } from "../../../fleet/phase/fleet-phase.ts";
import type { AccountStatus } from "../../../json/status.ts";
import { wishInForce } from "../../../planning/count/wish-in-force.ts";
import { draftStatus } from "../../../status/account-status.ts";
import { lossesOf } from "../measures/losses.ts";
import { basicsOf, type PageOptions, type Reader } from "./basics.ts";
import { reasonsForGuests } from "./for-guests.ts";
import { defaultRange, type Range, rangeMs } from "./series.ts";
import { shownWholes } from "./whole-shown.ts";

export type PageData = Awaited<ReturnType<typeof pageData>>;
export type FleetPageData = PageData["fleets"][number];
export type FleetStatus = AccountStatus["fleets"][number];

const MOST_LOSSES = 50;
const MOST_EVENTS = 40;

/** All that one rendering of the page shows. `asked`: the range of the charts; undefined: a default one. */
export async function pageData(options: PageOptions, asked: Range | undefined, reader: Reader) {
  const { keeper, history, pulse, short } = options;
  const { ledger, account, service } = keeper;
  const basics = await basicsOf(options, reader);
  const { draft, lease, context, now, isGuest } = basics;
  const status = await draftStatus(draft, lease, ledger, context);
  const losses = [...lossesOf(draft)].reverse();
  const stretches = await history.stretches(account, now - rangeMs(asked ?? "24h"));
  return {
    ...basics,
    status,
    /** The fleets that this account keeps with others, as one. A guest sees no other account. */
    wholes: await shownWholes(options),
    fleets: status.fleets.map((fleet) => ({
      ...fleet,
      reasons: isGuest ? reasonsForGuests(draft.fleets.get(fleet.name), context.now) : fleet.reasons,
      /** Of one over several services, which is what is judged. */
      isPart: draft.fleets.get(fleet.name)?.part !== undefined,
      /** The count on the page. For a drained fleet it is what was asked for, not 0. */
      shownGpus: fleet.standing.kind === "drained" ? fleet.wishedGpus : fleet.desiredGpus,
      /** Launches whose outcome is not known yet. */
      launches: unresolvedOf(draft, fleetOwner(fleet.name)),
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
    events: await ledger.events(account, MOST_EVENTS),
    failure: pulse.failure,
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
    .flatMap((fleet) => wishInForce(draft, fleet, context).budget.floor ?? [])
    .sort((one, other) => Number(other) - Number(one))[0];
}
