import { claimedBy, occupancy, unaccounted } from "../../launch/facts/occupancy.ts";
import { adopt, disown } from "../../launch/people/operator.ts";
import { enterSlot, slotMachine } from "../../launch/people/slot.ts";
import { Draft } from "../../ledger/draft.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { tablesOf } from "../../ledger/tables.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Case } from "./case.ts";
import { contextOf, decide } from "./decide.ts";
import { isExact } from "./judge.ts";
import type { Slot, State, Step, Task } from "./state.ts";
import { isAlive } from "./state.ts";
import { SETTINGS } from "./time.ts";

/** What Pulumi does to slots, and what a person decides. */
export function peopleSteps(world: Case, state: State): readonly Step[] {
  return [...pulumiSteps(world, state), ...(world.person ? personSteps(world, state) : [])];
}

/**
 * A slot's delete closes it, waits until lists show it empty, and returns. A slot's `--replace` fills a new
 * one first. (A machine's `--replace` is only another create for the same slot, which any process may try at
 * any time, and a delete that does nothing.)
 */
function pulumiSteps(world: Case, state: State): readonly Step[] {
  const steps: Step[] = [];
  const { budget } = state;
  for (const slot of state.slots) {
    if (slot.wish === "wanted" && budget.destroys > 0) {
      // The slots that it was to replace go with it.
      const all = state.slots.filter(
        (each) => each === slot || (each.wish === "retiring" && each.successor === slot.id),
      );
      const without = all.reduce((now, each) => closed(world, now, each), state);
      const next = { ...without, budget: { ...budget, destroys: budget.destroys - 1 } };
      steps.push({ words: `PULUMI deletes ${slot.id}`, free: false, next });
    }
    if (slot.wish === "wanted" && budget.replaces > 0) {
      const next = { ...succeeded(world, state, slot), budget: { ...budget, replaces: budget.replaces - 1 } };
      steps.push({ words: `PULUMI replaces ${slot.id}`, free: false, next });
    }
    if (slot.wish === "retiring" && isFilled(state, slot.successor ?? "")) {
      const words = `pulumi deletes ${slot.id}, now that ${slot.successor} is filled`;
      steps.push({ words, free: true, next: closed(world, state, slot) });
    }
    if (slot.wish === "looked" && isEmpty(world, state, slot.id)) {
      const next = {
        ...withSlot(state, { ...slot, wish: "deleted" }),
        wrong: wrongToReturn(world, state, slot.id),
      };
      steps.push({ words: `the delete of ${slot.id} returns`, free: true, next });
    }
  }
  return steps;
}

function closed(world: Case, state: State, slot: Slot): State {
  const { rows } = decide(world, state, (draft) => {
    const row = draft.slots.get(slot.id);
    if (row) draft.putSlot({ ...row, closing: true });
  });
  return withSlot({ ...state, rows }, { ...slot, wish: "closing" });
}

function succeeded(world: Case, state: State, slot: Slot): State {
  const id = `slot${state.slots.length + 1}`;
  const { rows } = decide(world, state, (draft, context) => enterSlot(draft, id, id, context));
  const successor: Slot = { id, place: slot.place, wish: "wanted", successor: null };
  const retiring = withSlot({ ...state, rows }, { ...slot, wish: "retiring", successor: id });
  return { ...retiring, slots: [...retiring.slots, successor] };
}

function isFilled(state: State, slot: string): boolean {
  return slotMachine(new Draft(tablesOf(state.rows)), slot) !== undefined;
}

/** As provider/runtime/stop/empty-slot.ts judges it. */
function isEmpty(world: Case, state: State, slot: string): boolean {
  const draft = new Draft(tablesOf(state.rows));
  const owner = slotOwner(slot);
  return (
    claimedBy(draft, owner).every((row) => row.end !== null) &&
    occupancy(draft, owner, contextOf(world, state)).intents.length === 0
  );
}

/**
 * No destroy succeeds while something of its slot bills, or may yet. One exception: a stranger's machine had
 * to be claimed for the slot, since nobody can tell it from the slot's own.
 */
function wrongToReturn(world: Case, state: State, slot: string): string | null {
  if (!world.prompt) return null;
  const bills = state.machines.find((machine) => machine.slot === slot && isAlive(machine));
  const owner = slotOwner(slot);
  const mistaken = state.rows.deployments.some(
    (row) =>
      row.owner === owner && state.machines.some(({ id, slot: whose }) => id === row.id && whose !== slot),
  );
  if (bills && mistaken && !isExact(world)) return null;
  if (bills) return `the delete of ${slot} returns while ${bills.id} bills`;
  const may = state.requests.find((request) => request.slot === slot);
  return may
    ? `the delete of ${slot} returns while the POST of ${may.intent} may still make a machine`
    : null;
}

/** A person who knows whose each machine is, and says so of those that are reported or only seem ours. */
function personSteps(world: Case, state: State): readonly Step[] {
  const draft = new Draft(tablesOf(state.rows));
  // People are slow: a launch under way is not judged.
  const { now } = state;
  const underWay = ({ intent: id, process }: Task): boolean =>
    draft.intents.ever(id)?.state === "open" &&
    (!state.processes[process]?.paused ||
      now - (draft.intents.ever(id)?.stamped.mono ?? 0) < SETTINGS.postTimeout);
  if (state.tasks.some(underWay)) return [];
  const seeming = [...draft.deployments.values()].filter(
    (row) => row.claim === "inferred" && row.end === null,
  );
  return [...unaccounted(draft), ...seeming].flatMap(({ id }) => {
    const slot = state.machines.find((machine) => machine.id === id)?.slot;
    if (slot === undefined) return [];
    try {
      const { rows } = decide(world, state, (next, context) =>
        slot === null ? disown(next, id, context) : adopt(next, id, slotOwner(slot), context),
      );
      const words = slot === null ? `PERSON: disowns ${id}` : `PERSON: adopts ${id} for ${slot}`;
      return [{ words, free: false, next: { ...state, rows } }];
    } catch (error) {
      // The person is told why, and leaves it.
      if (error instanceof FleetkeeperError && REFUSALS.includes(error.code)) return [];
      throw error;
    }
  });
}

/** What somebody who adopts or disowns is told: it is wrong, or is to be tried later. */
const REFUSALS: readonly string[] = ["CONFIG", "BUSY"];

function withSlot(state: State, slot: Slot): State {
  return { ...state, slots: state.slots.map((each) => (each.id === slot.id ? slot : each)) };
}
