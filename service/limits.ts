/*
 * How much of what a service says is taken in (docs/wire-profile.md). What is beyond a limit is no value of its kind: its error
 * names the limit. Without them one answer could fill memory and ledger, or make a sum that nothing can be done with.
 */

/** GPUs of one machine, and of a fleet. */
export const MOST_GPUS = 10_000;
