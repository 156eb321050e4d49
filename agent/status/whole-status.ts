import type { Context } from "../../launch/facts/context.ts";
import { hold, holdText } from "../../launch/facts/hold.ts";
import { billsOf, countedBy } from "../../launch/money/spend.ts";
import type { Draft } from "../../ledger/draft.ts";
import { HOUR_MS } from "../../ledger/instant.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { amountText, formatUsd, parseUsd, USD, type Usd, ZERO_USD } from "../../service/contract/money.ts";
import { isOver } from "../fleet/declare/fleets.ts";
import { moneyOf } from "../fleet/money/money.ts";
import { spentBy } from "../fleet/money/spend.ts";
import { untilDeadline } from "../fleet/phase/fleet-phase.ts";
import { wholeOf as amountOf, portionOf, serviceOf } from "../fleet/phase/part.ts";
import { partsByWhole, type SeenPart } from "../fleet/phase/whole-parts.ts";
import { gpusText } from "../fleet/text/text.ts";
import { parseWish, type Wish } from "../fleet/wish/wish.ts";
import type { FleetReport } from "../json/status.ts";
import type { WholePart, WholeStatus } from "../json/whole.ts";
import { count } from "../planning/count/count.ts";
import { isChosen } from "../planning/holds/fleet-holds.ts";
import { isRecent } from "../planning/parts/offered.ts";
import { fleetReport } from "./fleet-report.ts";
import { outageOf } from "./outage.ts";

/** Whether an agent keeps this account. */
type IsKept = (account: string, draft: Draft) => boolean;

/** Each fleet that several accounts keep, as one, by the rows of them all. */
export function wholesOf(
  drafts: ReadonlyMap<string, Draft>,
  isKept: IsKept,
  context: Context,
): readonly WholeStatus[] {
  return [...partsByWhole(drafts).values()].flatMap((all) => {
    const parts = all.filter(({ draft, fleet }) => !isOver(draft, fleet));
    return parts.length === 0 ? [] : [wholeOf(parts, isKept, context)];
  });
}

type Reported = SeenPart & { readonly report: FleetReport };

/** How many GPUs the whole lacks, and whether any part was chosen for them. */
interface Lack {
  readonly short: number;
  readonly wishedGpus: number;
  readonly isElsewhere: boolean;
}

function wholeOf(seen: readonly SeenPart[], isKept: IsKept, context: Context): WholeStatus {
  const parts = seen.map((part) => ({ ...part, report: fleetReport(part.draft, part.fleet.name, context) }));
  const [first] = parts as [Reported];
  const wish = parseWish(first.part.whole);
  const { gpus: wishedGpus } = amountOf(first.part);
  const isWanted = parts.some(({ report }) => report.standing.kind !== "drained");
  const lowered = sum(parts.map(({ fleet }) => fleet.lowered ?? 0));
  const desiredGpus = isWanted ? Math.max(0, wishedGpus - lowered) : 0;
  const runningGpus = sum(parts.map(({ report }) => report.runningGpus));
  const startingGpus = sum(parts.map(({ report }) => report.startingGpus));
  const short = Math.max(0, desiredGpus - runningGpus - startingGpus);
  const isElsewhere = parts.some(({ part }) => isChosen(part, context));
  const services = parts.map((part) => partOf(part, { wishedGpus, short, isElsewhere }, isKept, context));
  const currencies = new Set(services.map(({ currency }) => currency));
  const isOne = currencies.size === 1;
  const prices = services.map(({ pricePerHour }) => pricePerHour);
  const readies = services.flatMap(({ readyGpus }) => readyGpus ?? []);
  const { perHour = null, perDay = null, total = null } = wish.budget;
  return {
    name: first.part.of,
    wishedGpus,
    ...{ desiredGpus, runningGpus, startingGpus },
    stoppingGpus: sum(services.map(({ stoppingGpus }) => stoppingGpus)),
    readyGpus: readies.length === 0 ? null : sum(readies),
    movingGpus: movingIn(parts),
    met: runningGpus >= desiredGpus && parts.every(({ report }) => report.met),
    currency: isOne ? (services[0]?.currency ?? USD) : null,
    pricePerHour: isOne && !prices.includes(null) ? formatUsd(moneySum(prices)) : null,
    limits: { perHour, perDay, total },
    spent: isOne ? spentTogether(services) : null,
    runway: isOne ? runwayOf(parts, wish, context) : null,
    services,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function moneySum(amounts: readonly (string | null)[]): Usd {
  return amounts.reduce<Usd>((total, each) => total.plus(each ?? ZERO_USD), ZERO_USD);
}

/** Of a grant that was taken already its giver may not know yet. */
function movingIn(parts: readonly SeenPart[]): number {
  const takers = new Map(parts.map(({ fleet, part }) => [fleet.name, part]));
  return sum(
    parts.flatMap(({ fleet, part }) =>
      part.given
        .filter(({ to, sequence }) => sequence > (takers.get(to)?.taken[fleet.name] ?? 0))
        .map(({ amount }) => amount.gpus),
    ),
  );
}

function spentTogether(services: readonly WholePart[]): NonNullable<WholeStatus["spent"]> {
  const of = (key: "today" | "refundedToday" | "ever") =>
    formatUsd(moneySum(services.map(({ spent }) => spent[key])));
  return {
    today: of("today"),
    refundedToday: of("refundedToday"),
    ever: of("ever"),
    unpriced: sum(services.map(({ spent }) => spent.unpriced)),
  };
}

function partOf(seen: Reported, lack: Lack, isKept: IsKept, context: Context): WholePart {
  const { draft, fleet, part, report } = seen;
  const [state, why] = standOf(seen, lack, isKept, context);
  return {
    service: serviceOf(fleet),
    fleet: fleet.name,
    account: draft.account.email,
    portion: portionOf(fleet, part).gpus,
    runningGpus: report.runningGpus,
    startingGpus: report.startingGpus,
    stoppingGpus: count(draft, fleet, context).stopping,
    readyGpus: report.readyGpus,
    unknownLaunches: [...draft.intents.of("owner", fleetOwner(fleet.name))].filter(
      ({ state: each }) => each === "open",
    ).length,
    pricePerHour: report.pricePerHour,
    currency: draft.account.currency ?? USD,
    spent: spentBy(draft, fleet.name, context),
    state,
    why,
  };
}

/** That parts wait for a choice says nothing of one of them. */
export const CHOOSING = holdText(hold("choosing", {}));

/** How a part stands to what the whole lacks. An agent that does not look tells nothing of what there is. */
function standOf(
  { account, draft, fleet, part, report }: Reported,
  { wishedGpus, short, isElsewhere }: Lack,
  isKept: IsKept,
  context: Context,
): readonly [WholePart["state"], string | null] {
  const { standing, holds } = report;
  const [reason = null] = report.reasons.filter((text) => text !== CHOOSING);
  if (standing.kind !== "kept") return [standing.kind, standing.why];
  if (part.leaving) return ["drained", holdText(hold("leaving", {}))];
  const outage = outageOf(draft.account);
  if (outage)
    return [
      "away",
      `${outage.kind === "refused" ? "the service refuses the key" : "the service cannot be read"}: ${outage.reason}`,
    ];
  if (!isKept(account, draft)) return ["away", "no agent keeps its account"];
  if (short === 0) return ["complete", null];
  if (isChosen(part, context)) return ["launches", reason];
  if (holds.some(({ kind }) => kind !== "choosing")) return ["held", reason];
  const { offered } = part;
  if (!offered || !isRecent(offered, context))
    return ["unknown", reason ?? "it has not said yet what can be had there"];
  if (offered.hold) return ["held", holdText(offered.hold, context.now.wall)];
  const most = Math.ceil(wishedGpus / (part.atLeast ?? 1));
  const { runningGpus, startingGpus } = report;
  const room = most - runningGpus - startingGpus - count(draft, fleet, context).stopping;
  const fitting = offered.costs.filter(([gpus]) => gpus <= room);
  const best = fitting.findLast(([gpus]) => gpus <= short) ?? fitting[0];
  if (!best && offered.costs.length > 0)
    return ["held", `no service has more than ${gpusText(most)} of it (spread)`];
  if (!best) return ["held", "nothing that fits can be had there and paid for now"];
  const [gpus, usd] = best;
  const could = `${gpusText(gpus)} could be had there for ${amountText(usd, draft.account.currency)} an hour`;
  return isElsewhere
    ? ["dearer", `${could}, and others were chosen`]
    : ["held", `${could}, and nothing is chosen yet, or a limit of the whole fleet leaves too little`];
}

/** The first of what ends something of it at the present cost. A day's limit ends nothing. */
function runwayOf(parts: readonly Reported[], wish: Wish, context: Context): WholeStatus["runway"] {
  const ends: { ms: number; ends: "total" | "until" | "balance"; service: string | null }[] = [];
  const left = untilDeadline(wish, context);
  if (left !== undefined) ends.push({ ms: left, ends: "until", service: null });
  const prices = parts.map(({ report }) => report.pricePerHour);
  const total = wish.budget.total === undefined ? undefined : parseUsd(wish.budget.total);
  const perHour = moneySum(prices);
  if (total && !prices.includes(null) && perHour.gt(0)) {
    const spent = parts.map(({ draft, fleet }) => {
      const owner = fleetOwner(fleet.name);
      return countedBy(draft, owner, billsOf(draft, owner, context), wish.budget.totalOf).toFixed();
    });
    const rest = total.minus(moneySum(spent));
    ends.push({ ms: Math.max(0, Number(rest.div(perHour)) * HOUR_MS), ends: "total", service: null });
  }
  for (const { draft, fleet, report } of parts) {
    const { runway } = moneyOf(draft);
    if (report.deployments.length === 0 || runway === undefined) continue;
    ends.push({ ms: runway, ends: "balance", service: serviceOf(fleet) });
  }
  const [soonest] = ends.sort((one, other) => one.ms - other.ms);
  if (!soonest) return null;
  const { ms, ...rest } = soonest;
  return { seconds: Math.floor(ms / 1000), ...rest };
}
