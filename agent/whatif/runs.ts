import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { type Billing, paidMs } from "../../service/contract/billing.ts";
import type { Run } from "./play.ts";
import { pricesOf } from "./prices.ts";
import type { Tape } from "./tape.ts";

/* What machines that somebody held come to. */

/** How many GPUs are wanted from a moment on, in ms since the tape began, in order; the first at its begin. */
export type Asked = readonly { readonly at: number; readonly gpus: number }[];

interface BilledBy {
  /** Who holds a machine pays the price of the moment. */
  readonly floats?: boolean;
  /** Absent: time counts as it passes, and a machine that somebody stops within its first hour has paid it (specification, section 1). */
  readonly billing?: Billing | undefined;
}

/** USD for these machines until the tape ends. */
export function costOf(
  tape: Tape,
  runs: readonly Run[],
  { floats = tape.floats, billing }: BilledBy = {},
): number {
  const prices = pricesOf(tape);
  const end = tape.days * DAY_MS;
  return within(runs, end).reduce((sum, { offer, from, to, lost }) => {
    const least = billing ? paidMs(billing, to - from, true) : lost ? 0 : HOUR_MS;
    const paid = to === end ? to : Math.max(to, from + least);
    const held = (paid - from) / HOUR_MS;
    return sum + (floats ? prices.between(offer, from, paid) : prices.at(offer, from) * held);
  }, 0);
}

/** GPU-hours that were wanted, and those of them that were had. */
export function gpuHours(
  runs: readonly Run[],
  wanted: Asked,
  end: number,
): { readonly asked: number; readonly had: number } {
  let [asked, had] = [0, 0];
  for (const { ms, wants, has } of stretches(runs, wanted, end)) {
    asked += (wants * ms) / HOUR_MS;
    had += (Math.min(wants, has) * ms) / HOUR_MS;
  }
  return { asked, had };
}

/** A time in which nothing changed. */
interface Stretch {
  readonly at: number;
  readonly ms: number;
  readonly wants: number;
  readonly has: number;
  /** It began as a machine was lost. */
  readonly lost: boolean;
}

export function stretches(runs: readonly Run[], wanted: Asked, end: number): readonly Stretch[] {
  const changes = [
    ...wanted.map(({ at, gpus }, index) => change(at, gpus - (wanted[index - 1]?.gpus ?? 0), 0)),
    ...within(runs, end).flatMap(({ from, to, gpus, lost }) => [
      change(from, 0, gpus),
      ...(to < end ? [change(to, 0, -gpus, lost)] : []),
    ]),
    change(end, 0, 0),
  ].sort((one, other) => one.at - other.at);
  let [wants, has] = [0, 0];
  return changes.flatMap(({ at, more, came, lost }, index): Stretch[] => {
    wants += more;
    has += came;
    const ms = (changes[index + 1]?.at ?? end) - at;
    return at < end ? [{ at, ms, wants, has, lost }] : [];
  });
}

function change(at: number, more: number, came: number, lost = false) {
  return { at: Math.max(0, at), more, came, lost };
}

/** The times, in minutes, from a loss that left too few GPUs until there were enough. */
export function recoveries(runs: readonly Run[], wanted: Asked, end: number): readonly number[] {
  const times: number[] = [];
  let since = Number.NaN;
  for (const { at, wants, has, lost } of stretches(runs, wanted, end)) {
    if (has >= wants && !Number.isNaN(since)) {
      times.push((at - since) / MINUTE_MS);
      since = Number.NaN;
    }
    if (has < wants && lost && Number.isNaN(since)) since = at;
  }
  return times;
}

/** What ran before the end, until then. @internal Exported for the bench. */
export function within(runs: readonly Run[], end: number): readonly Run[] {
  return runs.map((run) => ({ ...run, to: Math.min(run.to, end) })).filter(({ from, to }) => to > from);
}

/** Of values in any order, the one that this share of them is at or below; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
