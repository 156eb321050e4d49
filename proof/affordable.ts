import type { TruthMachine } from "../simulator/index.ts";
import { isLiving } from "./evidence.ts";
import { isLimited } from "./fleet-file.ts";
import type { FleetSpec } from "./scenario.ts";
import { traitsOf } from "./scenario.ts";
import type { World } from "./world.ts";

const HOUR = 3_600_000;
/** A launch is held against the balance from a settle time before it to the first read that is a settle time after it. */
const BLURRED_MS = 6 * 60_000;

/**
 * So many of the GPUs that a fleet asks for no budget of it can keep from it, once everything is to be had: computed from
 * the truth, and rather too few than too many. A budget is no leave to launch nothing.
 */
export function affordableGpus(world: World, fleet: FleetSpec, asked: number): number {
  if (!isLimited(fleet)) return asked;
  const { scenario, recorder, simulator } = world;
  // What was taken for ours by looking alone is in the sums too, and the truth does not know whose it was taken for.
  if (!traitsOf(scenario).clear) return 0;
  const { perGpuHour, perHour, floor, perDay, total, churn, overshoot } = fleet;
  const all = fleet.select ? scenario.offers : fleet.candidates;
  const choices = all.filter((each) => gpuPrice(each) <= Number(perGpuHour ?? Number.POSITIVE_INFINITY));
  const [first] = choices;
  if (!first) return 0;
  const cheapest = Math.min(...choices.map(({ pricePerHour }) => Number(pricePerHour)));
  const smallest = Math.min(...choices.map(({ gpus }) => gpus));
  const truth = simulator.truth();
  const machines = truth.machines.filter(
    ({ origin, parameters }) => origin.by === "hand" || parameters.owner === fleet.owner,
  );
  // What it has may be dearer than what is to be had: prices change.
  const held = machines.map(({ statement, gpus }) => Number(statement.pricePerHour) / gpus);
  const dearest = Math.max(...choices.map(gpuPrice), ...held);
  const paid = machines.reduce((sum, machine) => sum + wholeHours(machine, truth.now), 0);
  const need = asked * dearest;
  const moved = recorder.jumps.length > 0;
  const isHeld =
    (floor !== undefined && Number(truth.accounts[0]?.balance ?? 0) - need < Number(floor)) ||
    (perDay !== undefined && (moved || paid + need > Number(perDay))) ||
    // Whose next hour would pass the total is drained before it begins.
    (total !== undefined && (moved || paid + 2 * need > Number(total))) ||
    (churn !== undefined && machines.some(({ endedAt }) => endedAt !== null));
  if (isHeld || looksDear(world)) return 0;
  // What no mix of its machines makes exactly is not begun either: the fleet says so. So it is beside one that was cheap once.
  const has = machines.filter((each) => isLiving(each, truth.now)).reduce((sum, { gpus }) => sum + gpus, 0);
  if (overshoot < smallest - 1 && (asked % smallest > 0 || (asked - has) % smallest > 0)) return 0;
  if (perHour === undefined) return asked;
  // However dear those are that it has, the cheapest one more fits as long as so much is left: it ends with more than these.
  return Math.max(0, Math.min(asked, Math.floor((Number(perHour) - cheapest) / dearest + 1e-9) + 1));
}

/**
 * Somebody moved the balance of an exclusive account just when a launch took its first hour from it: nobody can tell that from a
 * dearer machine, so launches with a limit are halted, and a person is told (rule 4.10).
 */
function looksDear({ scenario, started, simulator }: World): boolean {
  if (scenario.tenure !== "exclusive") return false;
  const moved = scenario.events.flatMap(({ kind, at }) => (kind === "balance" ? [started + at] : []));
  return simulator.truth().launches.some(({ at }) => moved.some((when) => Math.abs(when - at) < BLURRED_MS));
}

function gpuPrice({ pricePerHour, gpus }: FleetSpec["candidates"][number]): number {
  return Number(pricePerHour) / gpus;
}

/** USD for the hours that began until a moment, without any refund; `price` an hour, where its own is not what is meant. */
export function wholeHours(
  { committedAt, endedAt, statement }: TruthMachine,
  at: number,
  price = Number(statement.pricePerHour),
): number {
  return (Math.floor((Math.min(endedAt ?? at, at) - committedAt) / HOUR) + 1) * price;
}
