import { combinationKey } from "../../service/contract/contract.ts";
import type { Truth } from "../../simulator/index.ts";
import type { FleetSpec } from "../scenario/scenario.ts";
import { traitsOf } from "../scenario/scenario.ts";
import { isLimited } from "../world/fleet-file.ts";
import type { World } from "../world/world.ts";
import { timeBegun } from "./billed.ts";
import { isLiving } from "./evidence.ts";

/** The balance blurs a launch from a settle time before it to the first read a settle time after it. */
const BLURRED_MS = 6 * 60_000;

/**
 * GPUs of a fleet that none of its budgets can forbid once everything is available. Computed from the truth,
 * rather too few than too many. A budget is no excuse to launch nothing.
 */
export function affordableGpus(world: World, fleet: FleetSpec, asked: number): number {
  if (!isLimited(fleet)) return asked;
  const { scenario, recorder } = world;
  // Machines claimed by looking alone count in the sums, too, and the truth does not know for whom.
  if (!traitsOf(scenario).clear) return 0;
  // What another fleet of its team has launched may be all that both may spend.
  if (fleet.team !== undefined) return 0;
  const { perGpuHour, perHour, floor, perDay, total, churn, overshoot } = fleet;
  const all = fleet.select ? scenario.offers : fleet.candidates;
  const choices = all.filter((each) => gpuPrice(each) <= Number(perGpuHour ?? Number.POSITIVE_INFINITY));
  const [first] = choices;
  if (!first) return 0;
  const cheapest = Math.min(...choices.map(({ pricePerHour }) => Number(pricePerHour)));
  const smallest = Math.min(...choices.map(({ gpus }) => gpus));
  const truth = world.truth();
  const machines = truth.machines.filter(
    ({ origin, parameters }) => origin.by === "hand" || parameters.owner === fleet.owner,
  );
  // Prices change: what the fleet has may be dearer than what is on offer.
  const held = machines.map(({ statement, gpus }) => Number(statement.pricePerHour) / gpus);
  const dearest = Math.max(...choices.map(gpuPrice), ...held);
  const paid = machines.reduce((sum, machine) => sum + timeBegun(machine, truth.now), 0);
  const need = asked * dearest;
  const moved = recorder.jumps.length > 0;
  const isHeld =
    (floor !== undefined && Number(truth.accounts[0]?.balance ?? 0) - need < Number(floor)) ||
    (perDay !== undefined && (moved || paid + need > Number(perDay))) ||
    // A fleet is drained before an hour that would pass its total begins.
    (total !== undefined && (moved || paid + 2 * need > Number(total))) ||
    (churn !== undefined && machines.some(({ endedAt }) => endedAt !== null));
  if (isHeld || looksDear(world, truth) || wasDear(world, truth)) return 0;
  // A count that no mix of its machines makes exactly is not begun. Nor is one beside a machine that was
  // cheap once.
  const has = machines.filter((each) => isLiving(each, truth.now)).reduce((sum, { gpus }) => sum + gpus, 0);
  if (overshoot < smallest - 1 && (asked % smallest > 0 || (asked - has) % smallest > 0)) return 0;
  if (perHour === undefined) return asked;
  // However dear its machines are, one more of the cheapest fits while that much is left.
  return Math.max(0, Math.min(asked, Math.floor((Number(perHour) - cheapest) / dearest + 1e-9) + 1));
}

/**
 * True if somebody moved the balance of an exclusive account just when a launch took its first hour. Nobody
 * can tell that from a dearer machine: launches with a limit halt, and a person is told (rule 4.10).
 */
export function looksDear({ scenario, started }: Pick<World, "scenario" | "started">, truth: Truth): boolean {
  if (scenario.tenure !== "exclusive") return false;
  const moved = scenario.events.flatMap(({ kind, at }) => (kind === "balance" ? [started + at] : []));
  return truth.launches.some(({ at }) => moved.some((when) => Math.abs(when - at) < BLURRED_MS));
}

/**
 * True if a machine was launched at a price that has fallen since. If nobody read the offers before it fell, nobody can
 * tell that from a profile that reads a wrong price: launches with a limit halt, and a person is told (rule 4).
 */
function wasDear({ scenario }: World, { machines }: Truth): boolean {
  const now = new Map(scenario.offers.map((offer) => [combinationKey(offer), Number(offer.pricePerHour)]));
  return machines.some(
    ({ combination, statement }) =>
      Number(statement.pricePerHour) > (now.get(combinationKey(combination)) ?? Number.POSITIVE_INFINITY),
  );
}

function gpuPrice({ pricePerHour, gpus }: FleetSpec["candidates"][number]): number {
  return Number(pricePerHour) / gpus;
}
