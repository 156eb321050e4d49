import type { Truth, TruthMachine } from "./truth.ts";

export type MachineFilter = (machine: TruthMachine) => boolean;

/** A machine counts from its commit until its stop is accepted or it ends. */
export interface CensusOptions {
  readonly where?: MachineFilter;
  /** Counts the machines that are stopping, too. */
  readonly stopping?: boolean;
}

/** The machines that lived at this time. */
export function aliveAt(truth: Truth, at: number, options: CensusOptions = {}): readonly TruthMachine[] {
  return counted(truth, options).filter((machine) => {
    const left = leftAt(machine, options);
    return machine.committedAt <= at && (left === undefined || at < left);
  });
}

/** The most machines that lived at one time, and when there were first so many. */
export function peakAlive(
  truth: Truth,
  options: CensusOptions = {},
): { readonly count: number; readonly at: number } {
  const changes: { at: number; change: number }[] = [];
  for (const machine of counted(truth, options)) {
    changes.push({ at: machine.committedAt, change: 1 });
    const left = leftAt(machine, options);
    if (left !== undefined) changes.push({ at: left, change: -1 });
  }
  // Ends come before commits: a replacement in the same millisecond is not a surplus.
  changes.sort((one, other) => one.at - other.at || one.change - other.change);
  let count = 0;
  let peak = { count: 0, at: truth.machines[0]?.committedAt ?? truth.now };
  for (const { at, change } of changes) {
    count += change;
    if (count > peak.count) peak = { count, at };
  }
  return peak;
}

function counted(truth: Truth, { where }: CensusOptions): readonly TruthMachine[] {
  return where === undefined ? truth.machines : truth.machines.filter(where);
}

function leftAt(machine: TruthMachine, { stopping = false }: CensusOptions): number | undefined {
  const leaving = stopping ? undefined : machine.states.find(({ state }) => state === "stopping");
  return leaving?.at ?? machine.endedAt ?? undefined;
}
