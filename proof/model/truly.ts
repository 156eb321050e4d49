import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import type { Evidence } from "../oracles/evidence.ts";

/* What truly happened in a world, as far as the model speaks of it. */

export type Trace = Pick<Evidence, "truth" | "recorder" | "ours" | "scenario">;

/** All that a launch is waited for: the POST's timeout, and a settle time of lists. */
export const WAITS_MS: number = DEFAULT_SETTINGS.postTimeout + DEFAULT_SETTINGS.settle;
/** As in proof/oracles/evidence.ts: so late may a launch take effect, if lists lag no longer than what is left of all waits. */
const LATE_MS = 195_000;

type TruthMachine = Evidence["truth"]["machines"][number];

export interface Truly {
  /** The number of the POST that was sent for this marker. */
  readonly entryOf: (marker: string) => number | undefined;
  /** The marker of the launch that made this machine; undefined: none of ours did. */
  readonly makerOf: (id: string) => string | undefined;
  /** The machine that a POST made: the first one, where a gateway sent it twice. */
  readonly madeBy: (entry: number) => TruthMachine | undefined;
  /** No launch of ours made it, or a gateway sent one twice, and it is the second. */
  readonly isOfOthers: (id: string) => boolean;
  /** It was made by a launch of ours, and comes late. */
  readonly isLateOne: (id: string) => boolean;
  /** The launch that made it was answered with its id. */
  readonly isAnswered: (id: string) => boolean;
  /** It takes effect, or is listed, after all waits; or nothing will ever show it. */
  readonly isLate: (entry: number) => boolean;
  /** So many ms after it arrived nothing can come of it any more, if it made nothing. */
  readonly overAfter: (entry: number) => number;
  /** How it was right before this moment, by the truth or by what the service insists on. */
  readonly lifeAt: (id: string, at: number) => "Over" | "Halted" | "denied" | "Listed";
}

export function trulyOf({ truth, recorder, ours, scenario }: Trace): Truly {
  const anew = recorder.witness.all.find((each) => each.kind === "anew");
  /** Under the id that it had before it was given anew. */
  const idOf = ({ id, origin }: TruthMachine): string =>
    id === anew?.is ? anew.was : id === anew?.was && origin.by === "hand" ? anew.is : id;
  const all = truth.machines.map((machine) => ({ ...machine, id: idOf(machine) }));
  const machines = new Map(all.map((machine) => [machine.id, machine]));
  const made = new Map<number, TruthMachine>();
  for (const machine of all) {
    const { origin } = machine;
    if (origin.by === "request" && !made.has(origin.number)) made.set(origin.number, machine);
  }
  const entries = new Map(recorder.posts.map(({ marker, entry }) => [marker, entry]));
  const markers = new Map(recorder.posts.map(({ marker, entry }) => [entry, marker]));
  const late = new Set(ours.flatMap((each) => (each.late ? [idOf(each.machine)] : [])));

  const secondsOf = (entry: number): number => {
    const { fault, outcome } = truth.launches[entry - 1] ?? {};
    // What is refused at once vanishes at no later moment.
    if (fault?.kind === "vanish" && outcome?.kind === "refused") return 0;
    return fault?.kind === "commitLate" || fault?.kind === "vanish" ? (fault.seconds ?? 0) : 0;
  };
  const isUnseen = (id: string): boolean =>
    scenario.quirk !== undefined || recorder.forgotten.has(id) || recorder.hidden.has(id);
  const lagSince = (from: number): number => {
    const lags = truth.faults.flatMap(({ fault, target, at }) =>
      fault.kind === "lag" && target === "deployments" && at >= from && at < from + WAITS_MS
        ? [fault.seconds * 1000]
        : [],
    );
    return Math.max(0, ...lags);
  };
  const isLate = (entry: number): boolean => {
    const { at = 0 } = truth.launches[entry - 1] ?? {};
    const { id = "", committedAt = at } = made.get(entry) ?? {};
    const shown = isUnseen(id) ? (recorder.seen.get(id) ?? Number.POSITIVE_INFINITY) : committedAt;
    const takes = Math.max(shown - at, secondsOf(entry) * 1000);
    return late.has(id) || takes > LATE_MS || takes + lagSince(committedAt) > WAITS_MS;
  };
  /** The POST of ours that made it. */
  const entryOf = (id: string): number | undefined => {
    const { origin } = machines.get(id) ?? {};
    return origin?.by === "request" && markers.has(origin.number) ? origin.number : undefined;
  };
  return {
    entryOf: (marker) => entries.get(marker),
    makerOf: (id) => markers.get(entryOf(id) ?? 0),
    madeBy: (entry) => made.get(entry),
    isOfOthers: (id) => machines.has(id) && made.get(entryOf(id) ?? 0)?.id !== id,
    isLateOne: (id) => {
      const entry = entryOf(id);
      return entry !== undefined && isLate(entry);
    },
    isAnswered: (id) => {
      const { answer, fault } = truth.launches[(entryOf(id) ?? 0) - 1] ?? {};
      const names = fault?.kind === "errorAfter" && fault.withId === true;
      return answer?.kind === "answer" && (answer.status < 300 || names);
    },
    isLate,
    overAfter: (entry) => secondsOf(entry) * 1000,
    lifeAt: (id, at) => {
      const { endedAt = null, states = [] } = machines.get(id) ?? {};
      if (endedAt !== null && endedAt <= at) return "Over";
      if (recorder.forgotten.has(id)) return "denied";
      return states.findLast((each) => each.at <= at)?.state === "halted" ? "Halted" : "Listed";
    },
  };
}
