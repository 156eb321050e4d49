import { z } from "zod";
import { commandsOf, isProgramName } from "../../../agent/fleet/phase/commands.ts";
import { momentSchema } from "../../../agent/fleet/text/moment.ts";
import { type BeforeStop, beforeStopSchema } from "../../../agent/fleet/wish/before-stop-wish.ts";
import { fittingWish } from "../../../agent/fleet/wish/fitting-wish.ts";
import { labelsSchema } from "../../../agent/fleet/wish/labels-wish.ts";
import { oneWay, questionShape } from "../../../agent/fleet/wish/machine-question.ts";
import { type metricInput, metricProblems } from "../../../agent/fleet/wish/metric-wish.ts";
import { amongProblem, SPREAD_ALONE, servicesShape } from "../../../agent/fleet/wish/services-wish.ts";
import { fittingStackSize, stackSizeOf, stackSizeShape } from "../../../agent/fleet/wish/sized.ts";
import {
  addressedChecks,
  oneSource,
  pricedCandidates,
  someGpus,
  usd,
  type Wish,
  wishSchema,
  wishShape,
} from "../../../agent/fleet/wish/wish.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { NO_PRICE, parsePrice } from "../../../service/contract/money.ts";
import { explainIssue, IN_A_PROGRAM } from "../../../service/document/issue-text.ts";
import { createSchemaMap, type SchemaMap } from "../../../service/document/schema-map.ts";
import { durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { nameSchema } from "../../../service/text/name.ts";
import type { Checked, CheckFailure, Properties } from "./resource-kind.ts";
import { hasUnknown } from "./unknown.ts";

const NO_TEXT = "expected a text that is not empty";
const text = z.string({ error: NO_TEXT }).min(1, NO_TEXT);

const price = usd.refine((text) => parsePrice(text) !== undefined, NO_PRICE);

const duration = durationSchema.optional();
const timeouts = z.strictObject({ create: duration, update: duration, delete: duration });

const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** Milliseconds that a method may wait, from the property `timeouts`. */
export function timeoutOf(props: Properties, which: "create" | "update" | "delete"): number {
  const parsed = timeouts.safeParse(props.timeouts);
  const said = parsed.success ? parsed.data[which] : undefined;
  return said === undefined ? DEFAULT_TIMEOUT_MS : milliseconds(said);
}

/** The resource's name for messages: NAME of the label `PROJECT/STACK/NAME`. */
export function nameOf(props: Properties): string {
  return String(props.label).split("/").slice(2).join("/");
}

const gpus = someGpus.optional();

const candidate = z.strictObject({
  offer: nameSchema,
  provider: nameSchema,
  location: nameSchema,
  gpus,
  pricePerHour: price.optional(),
});

/** From a state, whose program was checked. */
export function beforeStopOf(props: Properties): BeforeStop | undefined {
  return beforeStopSchema.optional().parse(props.beforeStop ?? undefined);
}

const combination = {
  offer: nameSchema.optional(),
  provider: nameSchema.optional(),
  location: nameSchema.optional(),
  candidates: z.array(candidate).nonempty("expected at least one candidate").optional(),
  parameters: z.record(z.string(), z.json()).optional(),
  beforeStop: beforeStopSchema.optional(),
  onDelete: z.enum(["stop", "abandon"], { error: 'expected "stop" or "abandon"' }).optional(),
  timeouts: timeouts.optional(),
};

/** Demands one combination or a list of them. Of an incomplete combination each missing property is named. */
function oneChoice(
  given: { readonly [key in "offer" | "provider" | "location" | "candidates"]?: unknown },
  context: z.RefinementCtx,
): void {
  const parts = ["offer", "provider", "location"] as const;
  const there = parts.filter((key) => given[key] !== undefined);
  const complain = (path: readonly string[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  if (given.candidates !== undefined) {
    for (const key of there) complain([key], "expected either candidates or one combination, not both");
  } else if (there.length === 0) {
    complain(
      [],
      "expected either offer, provider and location, or candidates: a list of such, the preferred first",
    );
  } else {
    for (const key of parts.filter((each) => !there.includes(each))) complain([key], NO_TEXT);
  }
}

/** A hash: triggers may be secrets, so their values are stored nowhere. */
const triggers = text.optional();

export const slotInputs = z.strictObject({ label: text, ...combination, triggers }).superRefine(oneChoice);

const ready = z
  .strictObject({ ...questionShape, within: durationSchema.default("10m") })
  .superRefine(oneWay(["tcp", "http", "command"]));
export type DeploymentReady = z.output<typeof ready>;

/** Who does not wait until it runs cannot wait until it is ready. */
function waitedFor(
  given: { readonly awaitRunning?: unknown; readonly ready?: unknown },
  context: z.RefinementCtx,
): void {
  if (given.ready === undefined || given.awaitRunning !== false) return;
  const message = "expected true, or no ready: what is to be ready is waited for";
  context.addIssue({ code: "custom", path: ["awaitRunning"], message });
}

export const machineInputs = z
  .strictObject({
    label: text,
    slot: text,
    /** Where the slot was made: see ownership/ledger-of-origin.ts. */
    ledger: text,
    /** A digest of the URN of the `Deployment`. */
    resource: text.optional(),
    ...combination,
    gpus,
    pricePerHour: price.optional(),
    budget: z.strictObject({ floor: usd.optional(), perHour: usd.optional() }).optional(),
    labels: labelsSchema.optional(),
    until: momentSchema.optional(),
    adopt: nameSchema.optional(),
    awaitRunning: z.boolean("expected true or false").optional(),
    ready: ready.optional(),
    triggers,
  })
  .superRefine(oneChoice)
  .superRefine(waitedFor);
export type MachineInputs = z.output<typeof machineInputs>;

/** When the machine has to end, in milliseconds of the epoch, from the property `until`. Null: never. */
export function deadlineOf({ until }: { readonly until?: unknown }): number | null {
  const at = typeof until === "string" ? Date.parse(until) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const fleetName = text.regex(/^[\w.-]+$/, "expected letters, digits, dots, hyphens and underscores");

export const fleetInputs = z.strictObject({ label: text, name: fleetName, timeouts: timeouts.optional() });

/** Programs are run by the agent, which runs those of one folder for stacks. */
function namedCommands(
  { reconcile, ...wish }: { readonly reconcile?: unknown },
  context: z.RefinementCtx,
): void {
  for (const { key, program } of commandsOf(wish)) {
    const complain = (path: PropertyKey[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    if (reconcile === "inline")
      complain(["reconcile"], `expected "agent": the command of ${key} is run by an agent`);
    if (!isProgramName(program))
      complain(
        [key, "command", 0],
        `expected the name of a program in the agent's folder FLEETKEEPER_COMMANDS, such as join.sh, got ${program}`,
      );
  }
}

const FOLLOWED = ["work", "schedule", "metric", "range"] as const;

/** An up looks once: what it launched in a window, nobody would stop after it. */
function followedByAgent(
  fleet: Partial<Readonly<Record<(typeof FOLLOWED)[number] | "reconcile", unknown>>>,
  context: z.RefinementCtx,
): void {
  const what = FOLLOWED.find((key) => fleet[key] !== undefined);
  if (what === undefined || fleet.reconcile !== "inline") return;
  const message = `expected "agent": between two ups nobody else follows the ${what}`;
  context.addIssue({ code: "custom", path: ["reconcile"], message });
}

/** Who declares a stack may not have secrets of the agent's sent to an address. */
function outsideMetric(
  { metric }: { readonly metric?: z.output<typeof metricInput> | undefined },
  context: z.RefinementCtx,
): void {
  for (const way of ["prometheus", "http"] as const)
    if (metric?.[way]?.secret !== undefined)
      context.addIssue({
        code: "custom",
        path: ["metric", way, "secret"],
        message: "expected none in a program: the agent sends its secrets for fleets of a fleet file only",
      });
  // The address may hold a password: no message quotes it.
  for (const { path, message } of metric ? metricProblems(metric, ["metric"], "take it out") : [])
    context.addIssue({
      code: "custom",
      path: path.slice(0, -1),
      message: `expected another url: ${message}`,
    });
}

/** What goes with services, and what a fleet in several of them cannot have. */
function keptInSeveral(
  {
    services,
    spread,
    reconcile,
    triggers,
  }: { readonly reconcile?: unknown; readonly triggers?: unknown } & z.output<
    z.ZodObject<typeof servicesShape>
  >,
  context: z.RefinementCtx,
): void {
  const complain = (key: string, message: string): void =>
    context.addIssue({ code: "custom", path: [key], message });
  if (services === undefined) {
    if (spread !== undefined) complain("spread", SPREAD_ALONE);
    return;
  }
  const among = services === "all" ? undefined : amongProblem(services, spread);
  if (among) complain(among.key, among.message);
  if (triggers !== undefined)
    complain(
      "triggers",
      "expected none beside services: one service knows of its own machines alone, and several at once could be down",
    );
  if (reconcile === "inline")
    complain(
      "reconcile",
      'expected "agent": what several services keep takes agents, as a stack has the key of one',
    );
}

export const wishInputs = z
  .strictObject({
    label: text,
    /** The ledger's name for the stack's resource: a fleet name has one owner. */
    source: text,
    name: fleetName,
    ledger: text,
    awaitReady: z.boolean("expected true or false").optional(),
    reconcile: z.enum(["agent", "inline"], { error: 'expected "agent" or "inline"' }).optional(),
    timeouts: timeouts.optional(),
    triggers,
    ...servicesShape,
    ...wishShape,
    ...stackSizeShape,
  })
  .superRefine(fittingStackSize)
  .superRefine(oneSource)
  .superRefine(addressedChecks)
  .superRefine(pricedCandidates)
  .superRefine((wish, context) => fittingWish({ ...wish, gpus: wish.range?.max ?? wish.gpus }, context))
  .superRefine(outsideMetric)
  .superRefine(namedCommands)
  .superRefine(followedByAgent)
  .superRefine(keptInSeveral);
export type WishInputs = z.output<typeof wishInputs>;

export function wishOf(inputs: WishInputs): Wish {
  const asked = Object.entries(inputs).filter(([key]) => key in wishShape);
  return wishSchema.parse({ ...Object.fromEntries(asked), ...stackSizeOf(inputs) });
}

/** A machine's inputs as the state has them: the program gives what concerns its slot as one property. */
export function flattened(news: Properties): Properties {
  const { slot } = news;
  if (typeof slot !== "object" || slot === null) return news;
  const { id, ...of } = slot as Properties;
  return { ...news, ...of, slot: id };
}

/** Properties that the halves of a resource pass to each other: no arguments of a program. */
const OWN = ["label", "slot", "source", "ledger", "resource"];

/**
 * Names every bad value by its property. Unknown values, as in a preview, are accepted. `known` has the
 * arguments of the whole resource; this half takes some of them.
 */
export function checked(schema: z.ZodObject, news: Properties, known: z.ZodObject = schema): Checked {
  const { __provider, ...given } = news;
  // Of unknown values a wrong name is still found, and the other half's properties count as given.
  const looked = Object.entries(given).flatMap(([key, value]) =>
    !hasUnknown(value) ? [[key, value]] : key in schema.shape && !OWN.includes(key) ? [] : [[key, "?"]],
  );
  const parsed = schema.safeParse(Object.fromEntries(looked));
  if (parsed.success) return { inputs: given, failures: [] };
  const words = argumentsOf(known);
  const failures: readonly CheckFailure[] = parsed.error.issues
    .filter(({ code, path }) => code === "unrecognized_keys" || !isUnknownHere(given, path))
    .flatMap((issue) =>
      issue.code === "custom" && issue.path.length === 0
        ? [{ property: "", reason: issue.message }]
        : explainIssue(issue, given, words, undefined, IN_A_PROGRAM).map(({ path, message }) => ({
            property: path.join("."),
            reason: message,
          })),
    );
  return { inputs: given, failures };
}

function argumentsOf(schema: z.ZodObject): SchemaMap {
  const map = createSchemaMap(schema);
  return { ...map, keys: (path) => map.keys(path).filter((key) => path.length > 0 || !OWN.includes(key)) };
}

/** The properties of a resource that passed its check, with the schema's types. Throws CONFIG. */
export function parsedAs<T extends z.ZodObject>(schema: T, inputs: Properties): z.output<T> {
  const wanted = Object.entries(inputs).filter(([key]) => key in schema.shape);
  const parsed = schema.safeParse(Object.fromEntries(wanted));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new FleetkeeperError("CONFIG", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** True for a complaint that is premature: about a missing value, or several, while some are unknown. */
function isUnknownHere(given: Properties, path: readonly PropertyKey[]): boolean {
  if (path.length > 0) return hasUnknown(given[String(path[0])]);
  return Object.entries(given).some(([key, value]) => !OWN.includes(key) && hasUnknown(value));
}
