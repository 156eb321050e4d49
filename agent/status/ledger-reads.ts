import { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import type { History } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { JSON_SCHEMAS } from "../json/index.ts";
import type { Said } from "../json/parts.ts";
import { ledgerStatus } from "./account-status.ts";
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

export const LEDGER_READS = {
  status: read({
    says: "How all accounts of the agent's ledger stand: fleetkeeper status --json.",
    query: nothing,
    answers: JSON_SCHEMAS.status,
    answer: ({ ledger, context }) => ledgerStatus(ledger, context),
  }),
  services: read({
    says: "How each service of each fleet in several stands: fleetkeeper services --json.",
    query: nothing,
    answers: JSON_SCHEMAS.services,
    answer: async ({ ledger, context }) => ({
      fleets: servicesReport(await serviceParts(ledger), context),
    }),
  }),
} as const;
