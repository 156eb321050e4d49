import { readFileSync } from "node:fs";
import { z } from "zod";
import { DAY_MS } from "../../ledger/instant.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { whyUnreadable } from "../../service/process/unreadable.ts";
import { catalogueOfferSchema } from "../../simulator/catalogue.ts";

/*
 * A market in time: what each offer costs, how many machines of it there is room for, and when machines are lost. A file has one,
 * and so has the history of a ledger.
 */

const ms = z.number().nonnegative();
const index = z.int().nonnegative();

const EVENT =
  'expected [ms, "p", offer, USD an hour], [ms, "c", offer, room], [ms, "x", offer, share that is lost], ' +
  '[ms, "s", offer, most that live] or [ms, "k", offer, which one is lost]';

const tapeSchema = z
  .object({
    name: z.string().optional(),
    days: z.number().positive(),
    offers: z.array(catalogueOfferSchema.omit({ pricePerHour: true, capacity: true })).nonempty(),
    /** By offer: USD an hour of one machine, and room in machines. */
    start: z.array(z.tuple([z.number().positive(), index])),
    /** In order. */
    events: z.array(
      z.union(
        [
          /** A price, in USD an hour. */
          z.tuple([ms, z.literal("p"), index, z.number().positive()]),
          /** Room, in machines. */
          z.tuple([ms, z.literal("c"), index, index]),
          /** This share of the machines is lost. */
          z.tuple([ms, z.literal("x"), index, z.number().min(0).max(1)]),
          /** No more than so many machines live from now on: the others are lost. */
          z.tuple([ms, z.literal("s"), index, index]),
          /** The machine with this number of those that live there is lost, from 0 on; none where there are fewer. */
          z.tuple([ms, z.literal("k"), index, index]),
        ],
        { error: EVENT },
      ),
    ),
    /** Whether those who hold a machine pay the price of the moment, as for spot, or the one of its launch. */
    floats: z.boolean().default(false),
  })
  .superRefine(fitting);
export type Tape = z.output<typeof tapeSchema>;
export type MarketEvent = Tape["events"][number];

/** Throws CONFIG: the file, the place in it, what is there and what was expected. */
export function readTape(path: string): Tape {
  const data = parsed(path);
  const { data: tape, error } = tapeSchema.safeParse(data);
  if (tape) return { ...tape, name: tape.name ?? path.replace(/.*\//, "") };
  const said = error.issues.slice(0, MOST_ISSUES).map(({ path: at, message }) => {
    const value = at.reduce<unknown>((within, key) => (within as Record<PropertyKey, unknown>)?.[key], data);
    return `${path}: ${at.join(".") || "the file"}: ${message}, got ${JSON.stringify(value)?.slice(0, 80) ?? "nothing"}`;
  });
  throw new FleetkeeperError("CONFIG", said.join("\n"));
}

const MOST_ISSUES = 5;

function parsed(path: string): unknown {
  const whole = (): string => {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      const text = `The market file ${path} cannot be read: ${whyUnreadable(error)}.`;
      throw new FleetkeeperError("CONFIG", text, { cause: error });
    }
  };
  const text = whole();
  try {
    return JSON.parse(text);
  } catch (error) {
    const said = `${path}: expected a market as JSON: ${(error as Error).message}. docs/how/whatif.md says what stands in one.`;
    throw new FleetkeeperError("CONFIG", said, { cause: error });
  }
}

/** What no single line shows. */
function fitting(
  { offers, start, events }: Pick<Tape, "offers" | "start" | "events">,
  context: z.RefinementCtx,
): void {
  const issue = (path: PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  if (start.length !== offers.length)
    issue(["start", "length"], `expected a price and a room for each of the ${offers.length} offers`);
  const keys = offers.map(combinationKey);
  for (const [at, key] of keys.entries())
    if (keys.indexOf(key) < at) issue(["offers", at], "expected each combination once");
  for (const [at, [ms, , offer]] of events.entries()) {
    if (offer >= offers.length) issue(["events", at, 2], `expected an offer from 0 to ${offers.length - 1}`);
    if (ms < (events[at - 1]?.[0] ?? 0)) issue(["events", at, 0], "expected events in order of time");
  }
}

/** The first days of a tape. */
export function firstDays(tape: Tape, days: number): Tape {
  const most = Math.min(tape.days, days);
  return { ...tape, days: most, events: tape.events.filter(([at]) => at < most * DAY_MS) };
}
