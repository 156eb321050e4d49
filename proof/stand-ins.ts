import type { TruthMachine } from "../simulator/index.ts";
import type { Evidence } from "./evidence.ts";
import { askedFor } from "./evidence.ts";

/** A stranger's machine that had to be claimed for a launch of ours: nobody could tell. */
export interface StandIn {
  readonly machine: TruthMachine;
  /** Those of the launch that it stands for, if more: until fields tell apart, it may stand for any. */
  readonly gpus: number;
  /** USD an hour, likewise. */
  readonly price: number;
}

export function standInsOf(evidence: Evidence): readonly StandIn[] {
  const { truth, said, ours } = evidence;
  const launched = new Set(ours.map(({ machine }) => machine.id));
  return truth.machines.flatMap((machine) => {
    const { claim = null, intent = null } = said.claims.get(machine.id) ?? {};
    if (launched.has(machine.id) || claim === null || intent === null) return [];
    const offer = askedFor(evidence, intent);
    const price = Math.max(Number(machine.statement.pricePerHour), Number(offer?.pricePerHour ?? 0));
    return [{ machine, gpus: Math.max(machine.gpus, offer?.gpus ?? 0), price }];
  });
}

/** Those that were there at a moment, living or believed to. */
export function standInsAt(evidence: Evidence, at: number): readonly StandIn[] {
  return standInsOf(evidence).filter(({ machine }) => machine.committedAt <= at);
}
