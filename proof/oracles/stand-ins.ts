import type { TruthMachine } from "../../simulator/index.ts";
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
  return strangers(evidence).flatMap((machine) => {
    const { claim = null, intent = null } = evidence.said.claims.get(machine.id) ?? {};
    return claim === null || intent === null ? [] : [standIn(evidence, machine, intent)];
  });
}

/**
 * Those that were taken for a launch's at a moment, and let go later, once they showed whose they are. At the
 * end no claim names them, but what was decided at that moment counted them. Only claims by looking alone: a
 * stranger's machine that was certainly ours for a while is a fault.
 */
export function letGoSince(evidence: Evidence, at: number): readonly StandIn[] {
  const { recorder, said } = evidence;
  return strangers(evidence).flatMap((machine) => {
    if ((said.claims.get(machine.id)?.intent ?? null) !== null) return [];
    const held = recorder.inferred.find(
      ({ id, from, until }) => id === machine.id && from <= at && until > at,
    );
    return held ? [standIn(evidence, machine, held.intent)] : [];
  });
}

function strangers({ truth, ours }: Evidence): readonly TruthMachine[] {
  const launched = new Set(ours.map(({ machine }) => machine.id));
  return truth.machines.filter(({ id }) => !launched.has(id));
}

function standIn(evidence: Evidence, machine: TruthMachine, intent: string): StandIn {
  const offer = askedFor(evidence, intent);
  const price = Math.max(Number(machine.statement.pricePerHour), Number(offer?.pricePerHour ?? 0));
  return { machine, gpus: Math.max(machine.gpus, offer?.gpus ?? 0), price };
}

/** Those that were there at a moment, living or believed to. */
export function standInsAt(evidence: Evidence, at: number): readonly StandIn[] {
  return standInsOf(evidence).filter(({ machine }) => machine.committedAt <= at);
}
