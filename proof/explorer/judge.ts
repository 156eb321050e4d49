import { claimedBy } from "../../launch/facts/occupancy.ts";
import { toBeJudged } from "../../launch/people/slot.ts";
import { Draft } from "../../ledger/draft.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { tablesOf } from "../../ledger/tables.ts";
import type { Case } from "./case.ts";
import { contextOf } from "./decide.ts";
import type { State } from "./state.ts";
import { isAlive } from "./state.ts";

/** What is wrong in this state, judged from the truth; undefined: nothing. Holds for every state. */
export function wrongIn(world: Case, state: State): string | undefined {
  if (state.wrong !== null) return state.wrong;
  const { machines, rows, slots } = state;
  for (const row of rows.deployments) {
    const machine = machines.find(({ id }) => id === row.id);
    if (machine && isAlive(machine) && row.end !== null)
      return `${row.id} bills, and is taken for ${row.end}`;
  }
  if (!world.prompt) return undefined;
  const paid = machines.filter(
    (machine) => machine.slot !== null && isAlive(machine) && !isToStop(rows.deployments, machine.id),
  );
  if (!isExact(world)) {
    // Nobody can tell a machine's slot here: one may fill another's place, and doubtful ones are reported.
    const reported = reportedIn(world, state);
    const counted = paid.filter(({ id }) => !reported.has(id));
    if (counted.length <= slots.length) return undefined;
    return `${counted.length} machines are paid for, for ${slots.length} slots, and nobody is told`;
  }
  // No machine is ever a surplus here: one that is stopped was another slot's, which rents again.
  const stopped = rows.deployments.find((row) => row.stop !== null && row.end === null);
  if (stopped && slots.every(({ wish }) => wish === "wanted"))
    return `${stopped.id} is to be stopped, and is wanted`;
  for (const { id } of slots) {
    const own = paid.filter(({ slot }) => slot === id);
    if (own.length > 1) return `${id} is paid for twice: ${own.map((machine) => machine.id).join(", ")}`;
  }
  return undefined;
}

/** What is wrong once nothing but lists and time goes on by itself. */
export function wrongAtRest(world: Case, state: State): string | undefined {
  const draft = new Draft(tablesOf(state.rows));
  const reported = reportedIn(world, state);
  const exact = isExact(world);
  const living = state.machines.filter(isAlive);
  const isLiving = ({ id }: { readonly id: string }): boolean => living.some((machine) => machine.id === id);
  for (const { id, wish } of state.slots) {
    const owner = slotOwner(id);
    const held = claimedBy(draft, owner).filter((row) => row.end === null);
    const disputed = [...draft.deployments.values()].filter(
      (row) => row.owner === owner && row.claim === "disputed" && row.end === null,
    );
    const doubtful = disputed.length > 0 || held.some(({ claim }) => claim === "inferred");
    if (wish !== "wanted") {
      if (wish === "deleted" ? held.length === 0 : doubtful && !exact) continue;
      if (wish === "retiring" && !exact) continue;
      return `${id} is ${wish}, and stays so with ${held.map((row) => row.id).join(", ") || "nothing"}`;
    }
    if (disputed.length > 0 && !exact) continue;
    // On a shared account a machine that only seems ours is reported, and not stopped.
    const [first, ...others] = exact ? held : held.filter(({ id: machine }) => !reported.has(machine));
    if (first === undefined) return `${id} stays empty`;
    if (others.length > 0 || first.stop !== null)
      return `${id} stays with ${held.map((row) => row.id).join(", ")}`;
    if (exact && first.claim !== "certain") return `${id} has ${first.id}, which is only ${first.claim}`;
    if (!isLiving(first)) return `${id} has ${first.id}, which is over`;
  }
  for (const machine of living) {
    const claim = draft.deployments.ever(machine.id)?.claim;
    const known = claim === "certain" || claim === "inferred";
    if (machine.slot === null) {
      if (claim === "certain") return `${machine.id} is a stranger's, and is certainly ours`;
      if (!known && claim !== "foreign" && !reported.has(machine.id))
        return `${machine.id} is reported nowhere`;
    } else if (exact ? claim !== "certain" : !known && !reported.has(machine.id)) {
      return `${machine.id} is ours, bills, and is ${exact ? `only ${claim}` : "reported nowhere"}`;
    }
  }
  const wanted = state.slots.filter(({ wish }) => wish === "wanted").length;
  const ours = living.filter(({ slot }) => slot !== null);
  if (exact && ours.length !== wanted) return `${ours.length} machines of ours bill for ${wanted} slots`;
  return undefined;
}

/** True if the count must be exact: an exclusive account, or each launch has a marker. */
export function isExact(world: Case): boolean {
  return world.tenure === "exclusive" || (world.shows === "marker" && world.proven);
}

function isToStop(rows: readonly DeploymentRow[], id: string): boolean {
  return rows.some((row) => row.id === id && row.stop !== null);
}

/** The machines that the product asks people to judge. */
function reportedIn(world: Case, state: State): ReadonlySet<string> {
  const { now } = contextOf(world, state);
  return new Set(toBeJudged(new Draft(tablesOf(state.rows)), now).map(({ id }) => id));
}
