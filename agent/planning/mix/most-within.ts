/** Of machines those that make the most GPUs which are no more than `most`; among equal choices the first ones. */
export function mostWithin<Of>(all: readonly Of[], gpusIn: (of: Of) => number, most: number): readonly Of[] {
  const sums = sumsFrom(all.map(gpusIn), Math.max(0, most));
  let left = highest(sums[0] ?? 1n);
  return all.filter((of, index) => {
    const after = left - gpusIn(of);
    if (after < 0 || !includes(sums[index + 1] ?? 1n, after)) return false;
    left = after;
    return true;
  });
}

/**
 * For each index, the sums up to `most` that the numbers from there on make: bit n of a set stands for n. The
 * sum 0 is always there. One more set stands at the end, for no numbers.
 */
function sumsFrom(numbers: readonly number[], most: number): readonly bigint[] {
  const within = (1n << BigInt(most + 1)) - 1n;
  const sums = [1n];
  for (const number of [...numbers].reverse()) {
    const rest = sums[0] ?? 1n;
    sums.unshift((rest | (rest << BigInt(number))) & within);
  }
  return sums;
}

function includes(sums: bigint, sum: number): boolean {
  return ((sums >> BigInt(sum)) & 1n) === 1n;
}

function highest(sums: bigint): number {
  return sums.toString(2).length - 1;
}
