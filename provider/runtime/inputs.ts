import { z } from "zod";
import { oneSource, untilSchema, wishShape } from "../../agent/wish.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { parseDuration } from "./duration.ts";
import type { Checked, CheckFailure, Properties } from "./resource-kind.ts";
import { hasUnknown } from "./unknown.ts";

const text = z
  .string({ error: "expected a text that is not empty" })
  .min(1, "expected a text that is not empty");

const usd = z
  .string({ error: 'expected USD as a decimal string, such as "2.49"' })
  .regex(/^\d{1,12}(\.\d{1,6})?$/, 'expected USD as a decimal string, such as "2.49"');

const duration = z
  .string({ error: 'expected a duration, such as "30m" or "1h30m"' })
  .refine((value) => parseDuration(value) !== undefined, 'expected a duration, such as "30m" or "1h30m"');

const timeouts = z.strictObject({
  create: duration.optional(),
  update: duration.optional(),
  delete: duration.optional(),
});

const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** Milliseconds that a method may wait, by the property `timeouts`. */
export function timeoutOf(props: Properties, which: "create" | "update" | "delete"): number {
  const parsed = timeouts.safeParse(props.timeouts);
  return (parsed.success ? parseDuration(parsed.data[which] ?? "") : undefined) ?? DEFAULT_TIMEOUT_MS;
}

/** How messages call a resource: its name in the program, of the label `PROJECT/STACK/NAME`. */
export function nameOf(props: Properties): string {
  return String(props.label).split("/").slice(2).join("/");
}

const gpus = z.int("expected a whole number of GPUs").positive("expected at least 1 GPU").optional();

const candidate = z.strictObject({
  offer: text,
  provider: text,
  location: text,
  gpus,
  pricePerHour: usd.optional(),
});

const combination = {
  offer: text.optional(),
  provider: text.optional(),
  location: text.optional(),
  candidates: z.array(candidate).nonempty("expected at least one candidate").optional(),
  parameters: z.record(z.string(), z.json()).optional(),
  onDelete: z.enum(["stop", "abandon"], { error: 'expected "stop" or "abandon"' }).optional(),
  timeouts: timeouts.optional(),
};

/** Either one combination or a list of them. What is missing of one that was begun is named by its property. */
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
    for (const key of parts.filter((each) => !there.includes(each)))
      complain([key], "expected a text that is not empty");
  }
}

export const slotInputs = z.strictObject({ label: text, ...combination }).superRefine(oneChoice);
export type SlotInputs = z.output<typeof slotInputs>;

export const machineInputs = z
  .strictObject({
    label: text,
    slot: text,
    /** Where the slot was made: see made-with.ts. */
    ledger: text,
    ...combination,
    gpus,
    pricePerHour: usd.optional(),
    budget: z.strictObject({ floor: usd.optional(), perHour: usd.optional() }).optional(),
    until: untilSchema.optional(),
    adopt: text.optional(),
    awaitRunning: z.boolean("expected true or false").optional(),
  })
  .superRefine(oneChoice);
export type MachineInputs = z.output<typeof machineInputs>;

/** Milliseconds of the epoch at which the machine is to be over, by the property `until`; null is never. */
export function deadlineOf({ until }: { readonly until?: unknown }): number | null {
  const at = typeof until === "string" ? Date.parse(until) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const fleetName = text.regex(/^[\w.-]+$/, "expected letters, digits, dots, hyphens and underscores");

export const fleetInputs = z.strictObject({ label: text, name: fleetName, timeouts: timeouts.optional() });
export type FleetInputs = z.output<typeof fleetInputs>;

export const wishInputs = z
  .strictObject({
    label: text,
    /** Names the stack's resource in the ledger: one owner a fleet name. */
    source: text,
    name: fleetName,
    ledger: text,
    awaitReady: z.boolean("expected true or false").optional(),
    reconcile: z.enum(["agent", "inline"], { error: 'expected "agent" or "inline"' }).optional(),
    timeouts: timeouts.optional(),
    ...wishShape,
    ready: wishShape.ready.refine((ready) => ready?.command === undefined, {
      path: ["command"],
      error: "expected tcp or http: a command stands in a fleet file's folder, and a stack has none",
    }),
  })
  .superRefine(oneSource);
export type WishInputs = z.output<typeof wishInputs>;

/** Names every bad value by its property. What is not known yet, as in a preview, is taken as it is. */
export function checked(schema: z.ZodObject, news: Properties): Checked {
  const { __provider, ...given } = news;
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => !hasUnknown(value)));
  const parsed = schema.safeParse(known);
  const failures: CheckFailure[] = parsed.success
    ? []
    : parsed.error.issues
        .filter(({ path }) => !isUnknownHere(given, path))
        .map((issue) => ({
          property: issue.path.join("."),
          reason:
            issue.path.length === 0
              ? issue.message
              : `${issue.message}, got ${shown(issue.path.reduce<unknown>(step, given))}`,
        }));
  return { inputs: given, failures };
}

/** The properties of a resource that passed its check, with the types it was checked for. */
export function parsedAs<T extends z.ZodObject>(schema: T, inputs: Properties): z.output<T> {
  const wanted = Object.entries(inputs).filter(([key]) => key in schema.shape);
  const parsed = schema.safeParse(Object.fromEntries(wanted));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new FleetkeeperError("CONFIG", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** A complaint about what is missing, or about properties together, means nothing before all of them are known. */
function isUnknownHere(given: Properties, path: readonly PropertyKey[]): boolean {
  return hasUnknown(path.length === 0 ? given : given[String(path[0])]);
}

function step(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 100);
}
