import { z } from "zod";

const seconds = z.number().nonnegative();
/** A value is drawn between both ends, by the seed. */
const range = z
  .tuple([seconds, seconds])
  .refine(([from, to]) => from <= to, "expected [from, to] with from <= to");
const probability = z.number().min(0).max(1);

/**
 * How the simulated service behaves where the specification leaves it open. The defaults are invented, except
 * `healthCheckSeconds` and `cooldownSeconds` (specification, section 8).
 */
export const settingsSchema = z.strictObject({
  healthCheckSeconds: z.number().positive().default(300),
  /** Whether a GET by id asks the provider, and so shows a loss before the next health check. */
  getAsksProvider: z.boolean().default(false),
  /** How long a combination without capacity cools down. */
  cooldownSeconds: z.number().positive().default(60),
  /** How long a deployment stays in each state before running. */
  initializingSeconds: range.default([3, 10]),
  provisioningSeconds: range.default([20, 60]),
  connectingSeconds: range.default([5, 20]),
  stoppingSeconds: range.default([5, 20]),
  /** After the first hour: each started second as it passes, or each started hour in advance. */
  billing: z.enum(["perSecond", "perHour"]).default("perSecond"),
  /** Machines that live cost what they cost at their launch, or what their offer costs now, but for time that is paid already. */
  runningPrices: z.enum(["asLaunched", "float"]).default("asLaunched"),
  /** Whether a user's stop of a running machine refunds unused time. It is specified only before running. */
  refundOnStop: z.boolean().default(false),
  /** If the balance is empty, a machine is stopped, or the balance goes below zero. */
  emptyBalance: z.enum(["stop", "owe"]).default("stop"),
  /** The share of launches that fail by chance. */
  failureRate: probability.default(0),
  /** How often a provider loses a running machine by chance, on average. */
  interruptionsPerDay: z.number().nonnegative().default(0),
  /** Launches of an account that come faster one after the other are refused (429). */
  launchEverySeconds: z.number().nonnegative().default(0),
  /** Whether a failed launch lets its combination cool down for `cooldownSeconds`. */
  coolAfterFailure: z.boolean().default(false),
});

export type Settings = Readonly<z.output<typeof settingsSchema>>;
export type SettingsInput = Readonly<z.input<typeof settingsSchema>>;
