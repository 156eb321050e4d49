import { portionOf, wholeOf } from "../../../agent/fleet/phase/part.ts";
import { nextSize } from "../../../agent/fleet/size/whole-size.ts";
import { type FleetReport, fleetReport, isOver } from "../../../agent/index.ts";
import { reasonsOf } from "../../../agent/planning/told/fleet-plan.ts";
import type { Context } from "../../../launch/index.ts";
import { ZERO_USD } from "../../../service/contract/money.ts";
import type { Seen } from "./fleet-source.ts";

/** How a fleet stands, wherever it is kept. */
export type Stands = Pick<
  FleetReport,
  "standing" | "desiredGpus" | "runningGpus" | "startingGpus" | "pricePerHour" | "reasons" | "met"
> & {
  readonly deployments: readonly (FleetReport["deployments"][number] & { readonly service?: string })[];
};

/** How a fleet of several services stands. Its first part comes first. */
export function wholeStands(seen: readonly Seen[], context: Context): Stands | undefined {
  const parts = seen
    .filter(({ draft, fleet }) => fleet.part && !isOver(draft, fleet))
    .map((each) => ({ ...each, report: fleetReport(each.draft, each.fleet.name, context) }));
  const [first] = parts;
  if (!first?.fleet.part || first.fleet.part.of !== first.fleet.name) return undefined;
  const sum = (of: (part: (typeof parts)[number]) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const { standing } = first.report;
  const wanted = wholeOf(first.fleet.part).gpus - sum(({ fleet }) => fleet.lowered ?? 0);
  const prices = parts.map(({ report }) => report.pricePerHour);
  // Portions that move, or are to move, leave a part that has met its own and not the whole's.
  const met =
    parts.every(({ fleet, report }) => report.met && isAtRest(fleet)) &&
    nextSize(first.fleet, context) === undefined;
  return {
    standing,
    desiredGpus: standing.kind === "kept" ? Math.max(0, wanted) : sum(({ report }) => report.desiredGpus),
    runningGpus: sum(({ report }) => report.runningGpus),
    startingGpus: sum(({ report }) => report.startingGpus),
    pricePerHour: prices.includes(null)
      ? null
      : prices.reduce((total, price) => total.plus(price ?? 0), ZERO_USD).toFixed(4),
    deployments: parts.flatMap(({ draft, report }) => {
      const service = draft.account.service?.name;
      return report.deployments.map((each) => ({ ...each, ...(service !== undefined && { service }) }));
    }),
    // Of a whole that lacks nothing, a part that has nothing has no reason.
    reasons: reasonsOfParts(
      parts.filter(({ report }) => !met || report.deployments.length > 0),
      context,
    ),
    met,
  };
}

function isAtRest(fleet: Seen["fleet"]): boolean {
  if (!fleet.part || fleet.part.given.length > 0) return false;
  const { gpus } = portionOf(fleet, fleet.part);
  const isLeft = fleet.removed || fleet.part.leaving === "declaration";
  return gpus >= 0 && !(isLeft && gpus > 0);
}

/** That others are chosen just now is the reason of the whole, once. */
function reasonsOfParts(parts: readonly Seen[], context: Context): readonly string[] {
  const choosing = parts.flatMap(({ fleet }) => fleet.holds?.filter(({ kind }) => kind === "choosing") ?? []);
  const own = parts.flatMap(({ draft, fleet }) => {
    const holds = (fleet.holds ?? []).filter(({ kind }) => kind !== "choosing");
    const { name } = draft.account.service ?? { name: fleet.name };
    return reasonsOf(holds, fleet.reasons, context.now).map((reason) => `${name}: ${reason}`);
  });
  return [...own, ...reasonsOf(choosing, [], context.now)];
}
