import { z } from "zod";
import type { Ledger } from "../../ledger/ledger.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import type { Json } from "../../service/contract/service.ts";
import { leavePart, pauseFleet } from "../fleet/phase/fleet-orders.ts";
import { isStopped, serviceOf } from "../fleet/phase/part.ts";
import type { SeenPart } from "../fleet/phase/whole-parts.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { readAll } from "../status/account-status.ts";
import { serviceParts } from "../status/services-report.ts";
import { FILE_ORDERS_OVER } from "./file-over.ts";
import { FLEET_ORDERS } from "./fleet-orders.ts";
import type { LedgerOrder, OrderedPart } from "./ledger-order.ts";
import { type Order, order } from "./order.ts";
import { refusal } from "./refusal.ts";

/** Fleets that are declared in one account alone have no order here. */
const OF_THE_FIRST = ["ask", "end-ask"];
const OF_ALL_PARTS = ["pause", "resume", "drain", "wake", ...OF_THE_FIRST];

/**
 * The share of a part that is drained goes to the others, which rent it. So none of them launches any more before the first one is
 * drained, whatever dies in between.
 */
const STILL = order({
  name: "pause",
  about: "fleet",
  needs: "operate",
  says: "",
  input: z.strictObject({}),
  give: (draft, name, _, context) => {
    const isDrained = draft.fleets.get(name)?.drained?.by === "operator";
    if (!isDrained) pauseFleet(draft, name, context, "as an operator drains all of its parts");
    return {};
  },
});

const asBeforeStill = (fleet: FleetRow): FleetRow => ({ ...fleet, paused: false });

const LEAVE = order({
  name: "leave",
  about: "fleet",
  needs: "operate",
  says: "",
  input: z.strictObject({}),
  give: (draft, name, _, context) => {
    leavePart(draft, name, context);
    return { surge: parseWish(draft.fleets.get(name)?.part?.whole).surge };
  },
});

const ofAllParts = FLEET_ORDERS.filter(({ name }) => OF_ALL_PARTS.includes(name)).map(
  (each): LedgerOrder => ({
    ...each,
    ...(each.name === "drain" ? { first: STILL } : {}),
    each: each.name === "drain" ? { ...each, sameAs: asBeforeStill } : each,
    about: "fleet",
    says: `${each.says} Of a fleet in several services: for all of ${OF_THE_FIRST.includes(each.name) ? "it" : "its parts"}.`,
    partsOf: ({ ledger }, target) =>
      (OF_THE_FIRST.includes(each.name) ? firstPartOf : partsOfFleet)(ledger, target),
  }),
);

/** What people ask for is asked of the whole: its first part, which has its name, says it. */
async function firstPartOf(ledger: Ledger, target: string): Promise<readonly OrderedPart[]> {
  const parts = await partsOfFleet(ledger, target);
  const first = parts.filter(({ fleet }) => fleet === target);
  return first.length === 0 ? parts : first;
}

const inService = z.strictObject({
  fleet: z.string().optional().describe("of this fleet alone; without: of all that several services keep"),
});

function ofService(name: "pause" | "resume" | "drain", each: Order, says: string): LedgerOrder {
  const { needs, goesOn } = each;
  return {
    ...{ name, about: "service", method: "POST", needs, says, input: inService, goesOn, each },
    partsOf: ({ ledger }, service, input) => partsInService(ledger, service, input),
  };
}

function fleetOrder(name: string): Order {
  const found = FLEET_ORDERS.find((each) => each.name === name);
  if (!found) throw new Error(`there is no order ${name} of a fleet`);
  return found;
}

export const LEDGER_ORDERS: readonly LedgerOrder[] = [
  ...ofAllParts,
  ofService(
    "pause",
    fleetOrder("pause"),
    "What fleets in several services have in this one is kept, and nothing is launched or stopped there, until it is resumed.",
  ),
  ofService("resume", fleetOrder("resume"), "Ends a pause or a drain of the service."),
  {
    ...ofService(
      "drain",
      { ...LEAVE, goesOn: true },
      "The share of its fleets moves to their other services: machines there stop as others run, as far as each fleet's surge allows.",
    ),
    refuse: refuseLast,
  },
  ...FILE_ORDERS_OVER,
];

/** The first part stands first. Empty: there is no such fleet. */
export async function partsOfFleet(ledger: Ledger, name: string): Promise<readonly OrderedPart[]> {
  const { drafts } = await readAll(ledger);
  const parts = [...drafts].flatMap(([account, { fleets }]) =>
    [...fleets.values()]
      .filter((fleet) => fleet.name === name || (fleet.part?.of === name && !fleet.removed))
      .map((fleet) => ({
        account,
        fleet: fleet.name,
        of: fleet.part?.of ?? fleet.name,
        service: fleet.part ? serviceOf(fleet) : null,
      })),
  );
  const isFirst = (part: OrderedPart): number => Number(part.fleet === name);
  // The others by themselves have no whole: the name is to be had again.
  if (!parts.some(isFirst)) return [];
  // A first part that is removed stops anyway, and takes no order: the others may be wanted still.
  const there = parts.filter((part) => drafts.get(part.account)?.fleets.get(part.fleet)?.removed === false);
  return (there.length > 0 ? there : parts).sort(
    (one, other) => isFirst(other) - isFirst(one) || one.fleet.localeCompare(other.fleet),
  );
}

/** Fleets that several services keep, as far as they are wanted still. */
async function partsThere(ledger: Ledger): Promise<readonly SeenPart[]> {
  return (await serviceParts(ledger)).filter(({ fleet }) => !fleet.removed);
}

async function partsInService(
  ledger: Ledger,
  service: string,
  { fleet }: Readonly<Record<string, Json>>,
): Promise<readonly OrderedPart[]> {
  const all = await partsThere(ledger);
  const wholes = [...new Set(all.map(({ part }) => part.of))];
  if (wholes.length === 0) throw refusal(`${service}: ${NO_FLEET}`);
  if (typeof fleet === "string" && !wholes.includes(fleet))
    throw refusal(
      `${fleet}: no fleet of this name is kept by several services; there are: ${wholes.join(", ")}.`,
    );
  const its = all.filter(({ part }) => fleet === undefined || part.of === fleet);
  const parts = its.filter((each) => serviceOf(each.fleet) === service);
  if (parts.length > 0)
    return parts.map(({ account, fleet: { name }, part }) => ({
      account,
      fleet: name,
      of: part.of,
      service,
    }));
  const names = [...new Set(its.map((each) => serviceOf(each.fleet)))];
  throw refusal(
    `${service}: no fleet in several services has this one; there are: ${names.join(", ")}. A fleet in one service alone: fleetkeeper pause, drain or resume FLEET`,
  );
}

export const NO_FLEET =
  "No fleet is kept by several services: name them in a fleet file, as in services: [north, south] of the fleet.";

function takes({ fleet, part }: SeenPart): boolean {
  return !part.leaving && !isStopped(fleet);
}

/** Throws CONFIG where nobody would take the share. */
async function refuseLast(ledger: Ledger, service: string, parts: readonly OrderedPart[]): Promise<void> {
  const all = await partsThere(ledger);
  for (const { of, fleet } of parts)
    if (!all.some((each) => each.part.of === of && each.fleet.name !== fleet && takes(each)))
      throw refusal(
        `${service}: it is the only service left that takes machines of ${of}. Resume another one first, or stop all of it: fleetkeeper drain ${of}`,
      );
}
