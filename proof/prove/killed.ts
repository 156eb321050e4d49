import { oneOf } from "../arguments.ts";

/** Situations in which a real agent kills itself at each moment: test/proof/killed-agent.test.ts. */
export const KILLED_AGENT = ["a launch", "a launch whose answer is lost", "a scale-down"] as const;
export type KilledAgent = (typeof KILLED_AGENT)[number];

/** Commands in which a real host of Pulumi's providers does: test/proof/killed-host.test.ts. */
export const KILLED_HOST = [
  "up",
  "up after an interruption",
  "up with another offer",
  "destroy",
  "destroy with another ledger",
] as const;
export type KilledHost = (typeof KILLED_HOST)[number];

/** The variable that chooses one of them for a process. */
export const KILLED_IN = "FLEETKEEPER_KILLED_IN";

/** The one that the environment names, or all. */
export function chosenWays<T extends string>(names: readonly T[]): readonly T[] {
  const chosen = process.env[KILLED_IN];
  return chosen === undefined ? names : [oneOf(KILLED_IN, chosen, names)];
}
