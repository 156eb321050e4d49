import { z } from "zod";
import { budgetsSchema } from "./budgets.ts";
import {
  count,
  currency,
  holdsSchema,
  labelsSchema,
  machineSchema,
  moment,
  olderSchema,
  ownerSchema,
  type Said,
  text,
  usd,
} from "./parts.ts";
import { fleetSpentSchema } from "./spend.ts";
import { wholeSchema } from "./whole.ts";

const by = z.enum(["removal", "operator", "deadline", "total"]);
const phaseSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("kept") }),
    z.object({ kind: z.literal("paused"), why: text }),
    z.object({ kind: z.literal("drained"), by, why: text }),
  ])
  .describe(
    "kept: machines are launched and stopped until its count is met. paused: what runs stays, and nothing is launched or stopped. drained: what is certainly its own is stopped",
  );
export type FleetPhase = Said<typeof phaseSchema>;

const ready = z
  .boolean()
  .nullable()
  .describe("null: the fleet has no check of its own, or this does not run");
const idleSince = moment
  .nullable()
  .describe(
    "since when the fleet's idle check calls it idle without a break, milliseconds since 1970; null: busy, not known, or no such check",
  );
const fleetReportSchema = z.object({
  standing: phaseSchema,
  desiredGpus: count.describe("0 while it is drained"),
  runningGpus: count,
  startingGpus: count.describe("with those of launches whose outcome is not known"),
  readyGpus: count.nullable().describe("by the fleet's own check; null: it has none"),
  deployments: z.array(machineSchema.extend({ ready, idleSince })),
  idleGpus: count.nullable().describe("idle for as long as the fleet says; null: it has no such check"),
  givenBackIdle: z
    .object({ gpus: count, pricePerHour: usd.describe("what that saves an hour, at least") })
    .nullable()
    .describe("given back as idle since the whole count was last asked for; null: nothing"),
  olderWish: olderSchema,
  updateHeld: z
    .object({ since: moment, why: text })
    .nullable()
    .describe(
      "nothing is replaced since then, as what came was not ready in time; null: no update is paused",
    ),
  pricePerHour: usd.nullable().describe("an hour of what lives; null: a price is not known"),
  holds: holdsSchema,
  reasons: z.array(text).describe("what is missing, and why, as the last round of an agent stored it"),
  met: z.boolean().describe("as many GPUs run as are asked for, and nothing else is under way"),
});
export type FleetReport = Said<typeof fleetReportSchema>;

const scheduleSchema = z.object({
  timeZone: text,
  gpus: count.describe("asked for now, given back or not"),
  next: z
    .object({ at: moment, gpus: count })
    .nullable()
    .describe("when another number is asked for, milliseconds since 1970; null: never"),
});

const metricSchema = z.object({
  value: text.nullable().describe("what it said last, an exact decimal; null: nothing that was believed yet"),
  at: moment.nullable().describe("when that was asked for"),
  gpus: count.nullable().describe("what it asks for after its steps; null: gpus.at counts"),
  unknown: z
    .object({ since: moment, why: text })
    .nullable()
    .describe("since when no answer is believed, and the size stays; null: the last one was"),
});

export const askSchema = z.object({
  asked: count.describe("as the person said"),
  gpus: count.describe("what counts of it by gpus.min and gpus.max"),
  until: moment.nullable().describe("milliseconds since 1970; null: until it is taken back"),
  why: text.nullable().describe("what for; null: nobody said"),
});

export type FleetAsk = Said<typeof askSchema>;

const workSchema = z.object({
  gpuHours: z.number().describe("to be done"),
  by: text.describe("until when, ISO 8601"),
  done: z.number().describe("GPU-hours of machines that ran, since it began"),
  gpus: count.describe("asked for now, of those that its declaration allows"),
  maxPricePerGpuHour: usd.nullable().describe("what it waits for; null: what its limits allow"),
  noReturn: moment.describe(
    "from when on all of its GPUs are wanted at any price that its limits allow, milliseconds since 1970",
  ),
  state: z
    .enum(["early", "late", "done", "missed"])
    .describe("before its point of no return, past it, all done, or not done by its deadline"),
});

const fleetSchema = fleetReportSchema.extend({
  name: text,
  source: text.describe("who declared it: a fleet file or a stack"),
  removed: z.boolean(),
  labels: labelsSchema.describe("of its next launch"),
  wishedGpus: count.describe("what its declaration asks for, whatever an operator or a deadline says"),
  until: text
    .nullable()
    .describe("when it is drained, ISO 8601: its deadline, or the end of its life, if that comes before"),
  life: z
    .object({ of: text, ends: moment.nullable().describe("null: not all of its GPUs have run yet") })
    .nullable()
    .describe("null: it has none"),
  schedule: scheduleSchema.nullable().describe("null: its count follows no schedule"),
  metric: metricSchema.nullable().describe("null: its count follows no metric"),
  ask: askSchema.nullable().describe("how many GPUs a person asks for; null: nobody does"),
  askable: z
    .object({ min: count, max: count })
    .nullable()
    .describe("between which numbers a person may ask; null: nobody may"),
  work: workSchema.nullable().describe("null: it has no work by a deadline"),
  spent: fleetSpentSchema,
});

const outageSchema = z
  .object({ kind: z.enum(["unreadable", "refused"]), since: moment, reason: text })
  .describe("told to people, and it lasts: no list was believed for ten minutes, or the key is refused");
export type Outage = Said<typeof outageSchema>;

const agentSchema = z.object({ pid: count, host: text, since: moment.nullable() });
const headSchema = z.object({
  account: text.describe("its e-mail address"),
  baseUrl: text,
  tenure: z.enum(["exclusive", "shared", "unstated"]).describe("who else launches there"),
  agent: agentSchema.nullable().describe("null: none keeps it"),
  list: moment.nullable().describe("when the newest believed list was asked for, milliseconds since 1970"),
  fresh: z.boolean().describe("false: what the list shows may have changed since"),
});
export type AccountHead = Said<typeof headSchema>;

const runwaySchema = z.object({
  seconds: count.nullable().describe("null: the balance is not known, or nothing of a known price is spent"),
  short: z.boolean().describe("below the limit of the alert"),
  pricePerHour: usd.describe("an hour of all that lives in the account"),
  unpriced: count.describe("machines of unknown price: it lasts at most so long, and costs at least so much"),
});

const unaccountedSchema = machineSchema.extend({
  disputed: z.boolean().describe("one of several that one launch may have made"),
  unheld: text.nullable().describe("whose it is, if its stack's state does not hold that any more"),
  reused: text.nullable().describe("whose it was before its id showed another offer and size"),
});

const badRecordSchema = z.object({ deployment: text.nullable().describe("null: it has no id"), text });
const launchSchema = z.object({ place: text, owner: ownerSchema, state: text, detail: text });
const slotSchema = z.object({ name: text, deployments: z.array(machineSchema) });
const eventSchema = z.object({
  at: moment,
  kind: text,
  owner: ownerSchema.nullable(),
  name: text.nullable(),
  text,
});
const ofOurs = z.object({ id: text, owner: ownerSchema.nullable() });
const accountStatusSchema = headSchema.extend({
  balance: z.object({ amount: usd, at: moment }).nullable(),
  currency,
  billing: text.describe("how the costs are estimated, for people"),
  runway: runwaySchema.describe("how long the balance lasts"),
  budgets: budgetsSchema,
  outage: outageSchema.nullable(),
  slowSince: moment
    .nullable()
    .describe("lists take longer than one poll since then, milliseconds since 1970"),
  halted: z.array(text).describe("why nothing is launched under a profile or in a combination"),
  returned: z.array(ofOurs.extend({ why: text })).describe("came back from their end: their owners are held"),
  notStopping: z.array(ofOurs.extend({ text })).describe("told to stop long ago, and they live and bill"),
  notServing: z
    .array(ofOurs.extend({ text }))
    .describe("they bill and do not serve, by a state that the profile says to replace"),
  unkept: z.array(text).describe("what has a deadline or a total, and no agent that ends it"),
  fleets: z.array(fleetSchema),
  deployments: z.array(slotSchema).describe("Pulumi deployments with what lives in them"),
  launches: z.array(launchSchema).describe("not resolved yet, or of an id that nothing shows (unshown)"),
  unaccounted: z.array(unaccountedSchema).describe("machines that nobody here answers for"),
  matching: z.array(text).describe("fleets that may take these; empty: a person judges them now"),
  badRecords: z.array(badRecordSchema).describe("records of the service that cannot be read in full"),
  cooldowns: z.array(z.object({ place: text, seconds: count.describe("until it may be asked again") })),
  events: z.array(eventSchema).describe("the newest eight, the newest last"),
});
export type AccountStatus = Said<typeof accountStatusSchema>;

/** `status --json` and `GET /api/status`. */
export const statusSchema = z.object({
  ledger: text.describe("where it is, without a password"),
  wholes: z
    .array(wholeSchema)
    .describe("each fleet that several services keep, as one; its parts are fleets of the accounts"),
  accounts: z.array(accountStatusSchema),
});
export type LedgerStatus = Said<typeof statusSchema>;
