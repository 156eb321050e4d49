import { overlap } from "../../launch/claim/groups.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import type { WireName } from "../scenario/wires.ts";
import { broken, type Finite, nothing, take, type Value } from "./finite.ts";

/* A state of the model beside a world that is played: what the rows of the ledger say, and what the model knows more. */

/** What happened is not a step of the model. */
export class NoStep extends Error {}

/** Each list is a new one: whoever decides has looked right before, at what it could see. */
const HOST = "list";

export interface Launch {
  row: IntentRow;
  /** Its ledger and account. */
  readonly where: string;
  readonly place: string;
  /** When it was written, or was looked for anew. */
  since: number;
  /** The process that sent it. */
  process?: string;
}

/** What a list shows to whoever looks for a launch. */
export interface Look {
  readonly isSettled: boolean;
  /** The machine that is taken shows nothing yet by which launches are told apart. */
  readonly tellsNothing: boolean;
  readonly shows: (machine: string) => boolean;
}

export type Ghost = ReturnType<typeof ghostOf>;

export function ghostOf(wire: WireName) {
  const steps: Record<string, number> = {};
  const launches = new Map<string, Launch>();
  let looked: (Look & { readonly launch: string }) | undefined;
  let tellsNothing = false;

  const isAlike = (one: Value, other: Value): boolean => {
    const [a, b] = [launches.get(String(one)), launches.get(String(other))];
    if (!a || !b || a.where !== b.where) return false;
    // Whatever the product takes them for: this wire does not tell them apart.
    const isSame =
      wire === "nothing" || (wire === "combination" && combinationKey(a.row) === combinationKey(b.row));
    return a === b || isSame || tellsNothing || overlap(a.row, b.row);
  };
  const world: Finite = nothing({
    fills: (launch, place) => launches.get(String(launch))?.place === place,
    account: (launch) => launches.get(String(launch))?.where ?? "",
    sender: () => "",
    liar: () => false,
    alike: isAlike,
    chosen: (launch) => looked?.isSettled === true && looked.launch === launch,
    shown: (machine) => looked?.shows(String(machine)) ?? false,
    unanswered: () => false,
    listedAtOnce: () => false,
  });
  world.things.Host?.push(HOST);

  const get = (name: string, of: string): Value | undefined => world.state[name]?.get(of);
  const rowOf = (launch: string): Value => get("row", launch) ?? "None";
  const lifeOf = (machine: string): Value => get("life", machine) ?? "Unborn";
  const makerOf = (machine: string): string => String(get("of", machine) ?? "");
  const count = (name: string): void => {
    steps[name] = (steps[name] ?? 0) + 1;
  };
  const named = (id: string): string => {
    const { row } = launches.get(id) ?? {};
    if (row) return `${id} (${row.owner}, ${String(rowOf(id))})`;
    return world.things.Machine?.includes(id)
      ? `${id.slice(0, 8)} (${String(lifeOf(id))}, of ${makerOf(id)})`
      : id;
  };
  const step = (name: string, ...about: readonly string[]): void => {
    const told = about.map(named).join(", ");
    const guard = take(world, name, about);
    if (guard !== undefined) throw new NoStep(`${name} of ${told}: ${guard}`);
    count(name);
  };
  return {
    steps,
    launches,
    rowOf,
    lifeOf,
    makerOf,
    count,
    step,
    is: (what: "waiting" | "ready" | "flying" | "late", launch: string): boolean =>
      get(what, launch) === true,
    /** Machines that launches of ours made, once each. */
    has: (machine: string): boolean => world.things.Machine?.includes(machine) === true,
    machines: (): readonly string[] => world.things.Machine ?? [],
    set: (name: string, of: string, value: Value): void => void world.state[name]?.set(of, value),
    add(sort: "Intent" | "Machine" | "Account" | "Place", thing: string): void {
      const things = world.things[sort] ?? [];
      if (!things.includes(thing)) things.push(thing);
    },
    /** A step by a list that is looked at for this launch. */
    stepByList(name: string, launch: string, look: Look, ...about: readonly string[]): void {
      looked = { launch, ...look };
      step("Ask", HOST);
      looked = undefined;
      tellsNothing = look.tellsNothing;
      step(name, HOST, ...about);
      tellsNothing = false;
    },
    /** What the model does not have: whatever it is, the invariant must hold after it. */
    beside(name: string, act: () => void): void {
      act();
      const [clause] = broken(world);
      if (clause !== undefined) throw new NoStep(`${name}: ${clause} does not hold after it`);
      count(`(${name})`);
    },
  };
}

/** True if this record shows that the launch did not make it. Its marker says that it did, whatever else is shown. */
export function tellsApart(launch: IntentRow, row: DeploymentRow): boolean {
  if (row.marker === launch.marker) return false;
  return (
    (row.marker !== null && row.marker !== launch.marker) ||
    (["offer", "provider", "location"] as const).some(
      (field) => row[field] !== null && row[field] !== launch[field],
    )
  );
}
