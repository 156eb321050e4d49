import type { Deployment } from "../../service/service.ts";
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
export function madeBy(state: State, request: Request, listed: boolean): Machine {
  const { intent, slot, sent } = request;
  const marker = state.rows.intents.find(({ id }) => id === intent)?.marker ?? null;
  return {
    id: nextId(state),
    slot,
    intent,
    marker,
    place: placeOf(state, slot),
    status: "running",
    listed,
    sent,
  };
}

export function strangers(state: State, place: Slot["place"]): Machine {
  const { now: sent } = state;
  return {
    id: nextId(state),
    slot: null,
    intent: null,
    marker: null,
    place,
    status: "running",
    listed: true,
    sent,
  };
}

function placeOf(state: State, slot: string): Slot["place"] {
  const found = state.slots.find(({ id }) => id === slot);
  if (found === undefined) throw new Error(`no slot ${slot}`);
  return found.place;
}

function nextId(state: State): string {
  return `m${state.machines.length + 1}`;
}
