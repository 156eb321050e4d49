/** One line of the bench: what was measured, and the limit or rival that was measured in the same run. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly against: string;
  /** Measured by limit or rival. */
  readonly ratio: number;
  /** What the project sets itself, such as `<= 2.0`. */
  readonly toReach: string;
}

/** Milliseconds of CPU, user and system, of this process since `begun`. Unlike time, it is no neighbour's. */
export function cpuSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

/** CPU of two kinds of work in turn, so that both meet the same noise. In ms, of all rounds together. */
export async function inTurn(
  rounds: number,
  one: () => unknown,
  other: () => unknown,
): Promise<readonly [number, number]> {
  let [ones, others] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const first = process.cpuUsage();
    await one();
    ones += cpuSince(first);
    const second = process.cpuUsage();
    await other();
    others += cpuSince(second);
  }
  return [ones, others];
}

export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
