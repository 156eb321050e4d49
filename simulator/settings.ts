import { z } from "zod";

const seconds = z.number().nonnegative();
/** A seeded draw between both ends. */
const range = z
  .tuple([seconds, seconds])
  .refine(([from, to]) => from <= to, "expected [from, to] with from <= to");
const probability = z.number().min(0).max(1);

/**
 * How the simulated service behaves where the specification leaves it open. The defaults are inventions of
 * the simulator, except `healthCheckSeconds` and `cooldownSeconds` (specification, section 8).
 */
export const settingsSchema = z.strictObject({
  healthCheckSeconds: z.number().positive().default(300),
  /** How long a combination without capacity is suppressed. */
  cooldownSeconds: z.number().positive().default(60),
  /** How long a deployment stays in each state before running. */
  initializingSeconds: range.default([3, 10]),
  provisioningSeconds: range.default([20, 60]),
  connectingSeconds: range.default([5, 20]),
  stoppingSeconds: range.default([5, 20]),
  /** After the first hour: every started second as it passes, or every started hour in advance. */
  billing: z.enum(["perSecond", "perHour"]).default("perSecond"),
  /** Whether a stop of a running machine refunds unused paid time. Only "before running" is specified. */
  refundOnStop: z.boolean().default(false),
  /** A machine that cannot pay on is stopped, or the balance goes below zero. */
  emptyBalance: z.enum(["stop", "owe"]).default("stop"),
  /** The part of launches that fail by themselves. */
  failureRate: probability.default(0),
  /** How often a provider loses a running machine by itself, on average. */
  interruptionsPerDay: z.number().nonnegative().default(0),
  /** Whether a failed launch suppresses its combination for `cooldownSeconds`. */
  coolAfterFailure: z.boolean().default(false),
});

export type Settings = Readonly<z.output<typeof settingsSchema>>;
export type SettingsInput = Readonly<z.input<typeof settingsSchema>>;
