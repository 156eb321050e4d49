import type { Deployment } from "../../service/contract/service.ts";
import type { Case } from "./case.ts";
import type { Machine, Request, Slot, State } from "./state.ts";

/** The service as a list or a GET shows it now, whatever the status (specification, section 4). */
export function shownBy(world: Case, state: State): readonly Deployment[] {
  return state.machines.filter(({ listed }) => listed).map((machine) => shown(world, machine));
}

export function shown(world: Case, machine: Machine): Deployment {
  const { id, status, place, marker } = machine;
  return {
    id,
    status,
    ...(world.shows === "combination" ? place : {}),
    ...(world.shows === "marker" && marker !== null ? { marker } : {}),
  };
}

/** The machine that a request makes. */
export function madeBy(state: State, { intent, slot, sent }: Request): Machine {
  const marker = state.rows.intents.find(({ id }) => id === intent)?.marker ?? null;
  return { ...strangers(state, placeOf(state, slot)), slot, intent, marker, sent };
}

/** A machine that somebody else launches now. */
export function strangers(state: State, place: Slot["place"]): Machine {
  const id = `m${state.machines.length + 1}`;
  const nobodys = { slot: null, intent: null, marker: null };
  return { id, ...nobodys, place, status: "running", listed: true, sent: state.now };
}

function placeOf(state: State, slot: string): Slot["place"] {
  const found = state.slots.find(({ id }) => id === slot);
  if (found === undefined) throw new Error(`no slot ${slot}`);
  return found.place;
}
