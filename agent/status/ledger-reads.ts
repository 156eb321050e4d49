import { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import type { History } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { focusCsv } from "../fleet/money/focus.ts";
import { type Days, daysBack, daysOfMonth, spending } from "../fleet/money/spend.ts";
import { historySchema } from "../json/history.ts";
import { count, type Said, text } from "../json/parts.ts";
import { type AccountPlaces, placesSchema } from "../json/places.ts";
import { servicesSchema } from "../json/services.ts";
import { spendSchema } from "../json/spend.ts";
import { statusSchema } from "../json/status.ts";
import { ledgerSpending } from "./account-spending.ts";
import { ledgerStatus, readAll } from "./account-status.ts";
import { eventFacts } from "./newest-events.ts";
import { placesOf } from "./places.ts";
import { serviceParts, servicesReport } from "./services-report.ts";

/** What a question about a ledger is answered from. */
export interface LedgerSeen {
  readonly ledger: Ledger;
  readonly history: History;
  readonly context: Context;
}

/** One question about all accounts of a ledger: a command asks it beside the ledger, and by an agent's API. */
export interface LedgerRead<A = unknown, Q = unknown> {
  readonly says: string;
  /** Of the address. */
  readonly query: z.ZodObject;
  readonly answers: z.ZodType<A>;
  answer(seen: LedgerSeen, query: Q): Promise<A>;
}

/** Keeps the types of query and answer between their schemas and what is done with them. */
function read<A extends z.ZodType, Q extends z.ZodObject>(read: {
  readonly says: string;
  readonly query: Q;
  readonly answers: A;
  answer(seen: LedgerSeen, query: z.output<Q>): Promise<Said<A>>;
}): LedgerRead<Said<A>, z.output<Q>> {
  return read as unknown as LedgerRead<Said<A>, z.output<Q>>;
}

const nothing = z.strictObject({});
/** Of the address, also where one account is asked about. */
export const days = z.coerce
  .number()
  .int()
  .min(1)
  .max(366)
  .default(7)
  .describe("so many days of UTC, today included");
export const spent = z.strictObject({
  days,
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "expected a month such as 2026-11")
    .optional()
    .describe("the days of a month of UTC, such as 2026-11, instead"),
  by: z.string().optional().describe("a label that it is summed up by"),
});
export const daysOf = ({ days, month }: z.output<typeof spent>, context: Context): Days =>
  month === undefined ? daysBack(days, context) : daysOfMonth(month);

export const LEDGER_READS = {
  status: read({
    says: "How all accounts of the agent's ledger stand: fleetkeeper status --json.",
    query: nothing,
    answers: statusSchema,
    answer: ({ ledger, context }) => ledgerStatus(ledger, context),
  }),
  services: read({
    says: "How each service of each fleet in several stands: fleetkeeper services --json.",
    query: nothing,
    answers: servicesSchema,
    answer: async ({ ledger, context }) => ({
      fleets: servicesReport(await serviceParts(ledger), context),
    }),
  }),
  spend: read({
    says: "What it all has cost, day by day, estimated: fleetkeeper spend --json.",
    query: spent,
    answers: spendSchema,
    answer: ({ ledger, context }, query) => ledgerSpending(ledger, daysOf(query, context), query.by, context),
  }),
  "spend-rows": read({
    says: "The same in FOCUS columns: fleetkeeper spend --csv.",
    query: spent,
    answers: z.object({
      csv: text,
      unpriced: z.array(count).describe("of each account, machines of unknown price: in none of the rows"),
    }),
    answer: async ({ ledger, context }, query) => {
      const { drafts } = await readAll(ledger);
      const asked = daysOf(query, context);
      return {
        csv: focusCsv(drafts.values(), asked, query.by, context),
        unpriced: [...drafts.values()].map((draft) => spending(draft, asked, context).all.unpriced),
      };
    },
  }),
  places: read({
    says: "How each combination did: fleetkeeper places --json.",
    query: z.strictObject({ days }),
    answers: placesSchema,
    answer: async ({ ledger, history, context }, { days: back }) => {
      const accounts: AccountPlaces[] = [];
      for (const draft of (await readAll(ledger)).drafts.values())
        accounts.push(await placesOf(history, draft, back, context));
      return { ledger: ledger.location, days: back, accounts };
    },
  }),
  history: read({
    says: "What happened, account by account, the oldest first: fleetkeeper history --json.",
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(10_000).default(50).describe("so many of each account"),
      by: z.string().optional().describe("only what this actor ordered, such as token:ci"),
    }),
    answers: z.object({
      accounts: z.array(z.object({ account: text, events: z.array(historySchema) })),
    }),
    answer: async ({ ledger }, asked) => {
      const accounts = [];
      for (const { key, email } of await ledger.accounts())
        accounts.push({ account: email, events: (await eventFacts(ledger, key, asked)).reverse() });
      return { accounts };
    },
  }),
} as const;
