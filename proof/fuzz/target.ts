import type fc from "fast-check";

/** One thing that strangers write, and what is demanded of whoever reads it. */
export interface Target<T = unknown> {
  readonly name: string;
  /** How many runs CI has: they take about half a minute. */
  readonly runs: number;
  readonly inputs: fc.Arbitrary<T>;
  /** Throws what is broken. */
  readonly run: (input: T) => unknown;
  /** Ends what it opened. */
  readonly close?: () => Promise<void>;
}

/** Keeps the type of the input between what makes it and what reads it. */
export function target<T>(target: Target<T>): Target {
  return target as Target;
}
