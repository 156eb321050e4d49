import type { Truth } from "../simulator/truth.ts";

/** What a client's time at the service came to, by the service's own books. */
export interface Books {
  /** GPU-hours that were paid for beyond what was wanted. */
  readonly doubled: number;
  /** GPU-hours that were wanted and did not run. */
  readonly short: number;
  /** Machines that live on though nothing is wanted any more. */
  readonly left: number;
  readonly launches: number;
  readonly usd: string;
}

/** From this moment on so many GPUs are wanted, wall time of the service in ms. In order. */
export type Wanted = readonly { readonly at: number; readonly gpus: number }[];

const HOUR = 3_600_000;

/** Between the first wish and `until`. What is being stopped is paid for, and may take `grace` ms. */
export function booksOf(truth: Truth, wanted: Wanted, until: number, grace: number): Books {
  const moments = [
    ...wanted.flatMap(({ at }) => [at, at + grace]),
    ...truth.machines.flatMap(({ committedAt, endedAt, states }) => [
      committedAt,
      endedAt ?? until,
      ranAt(states) ?? until,
    ]),
    until,
  ]
    .filter((at) => at <= until)
    .sort((one, other) => one - other);
  let [doubled, short] = [0, 0];
  for (const [index, at] of moments.entries()) {
    const ms = (moments[index + 1] ?? at) - at;
    const living = truth.machines.filter(
      ({ committedAt, endedAt }) => committedAt <= at && (endedAt ?? until) > at,
    );
    const paid = sum(living.map(({ gpus }) => gpus));
    const running = sum(
      living.filter(({ states }) => (ranAt(states) ?? until) <= at).map(({ gpus }) => gpus),
    );
    const now = wanted.findLast((each) => each.at <= at)?.gpus ?? 0;
    // What was wanted a moment ago may still be on its way out.
    const most = Math.max(
      now,
      ...wanted
        .filter((each, next) => (wanted[next + 1]?.at ?? until) + grace > at && each.at <= at)
        .map(({ gpus }) => gpus),
    );
    doubled += (Math.max(0, paid - most) * ms) / HOUR;
    short += (Math.max(0, now - running) * ms) / HOUR;
  }
  return {
    doubled,
    short,
    left: truth.machines.filter(({ endedAt }) => endedAt === null).length,
    launches: truth.launches.length,
    usd: truth.machines.reduce((all, { statement }) => all + Number(statement.charged), 0).toFixed(2),
  };
}

function ranAt(states: Truth["machines"][number]["states"]): number | undefined {
  return states.find(({ state }) => state === "running")?.at;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
