import type { Context } from "hono";
import { z } from "zod";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import type { History } from "../../../../ledger/chart-history.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import type { FleetRow } from "../../../../ledger/rows.ts";
import {
  accountKnownSchema,
  fleetDeclaredSchema,
  hostsKnownSchema,
  offersKnownSchema,
  planKnownSchema,
  tokenKnownSchema,
} from "../../../json/agent.ts";
import { emergencySchema } from "../../../json/answers.ts";
import { JSON_SCHEMAS } from "../../../json/index.ts";
import { type Actor, hasRight, reaches } from "../../../orders/actor.ts";
import { emergencyKnown } from "../../../orders/emergency-known.ts";
import { fleetVersion } from "../../../orders/version.ts";
import { planFacts } from "../../../planning/told/fleet-plan.ts";
import { preview } from "../../../reconcile/preview.ts";
import { accountKnown, balanceKnown } from "../../../status/account-known.ts";
import { accountSpending } from "../../../status/account-spending.ts";
import { accountStatus } from "../../../status/account-status.ts";
import { deploymentShown, deploymentsOf } from "../../../status/deployment-facts.ts";
import { hostsKnown } from "../../../status/hosts.ts";
import { days, daysOf, spent } from "../../../status/ledger-reads.ts";
import { eventFacts } from "../../../status/newest-events.ts";
import { offersKnown } from "../../../status/offers-known.ts";
import { placesOf } from "../../../status/places.ts";
import type { Env } from "../reach/guard.ts";

/** What a GET is answered from. */
export interface ReadsFrom {
  readonly keeper: Keeper;
  readonly history: History;
}

/** One GET of the API. */
export interface Read {
  readonly path: string;
  readonly says: string;
  readonly query: Readonly<Record<string, z.ZodType<number | boolean | string | undefined>>>;
  readonly answers: z.ZodType;
  /** The service is read for it. */
  readonly asksService?: true;
  /** Undefined: there is no such thing. */
  answer(from: ReadsFrom, c: Context<Env>, query: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const MOST_EVENTS = 1000;

/** All that may be read. */
export const READS: readonly Read[] = [
  {
    path: "/status",
    says: "How the account, its fleets, machines and launches stand. As fleetkeeper status --json has one account.",
    query: {},
    answers: JSON_SCHEMAS.status.shape.accounts.element,
    answer: ({ keeper }) => accountStatus(keeper.ledger, keeper.account, contextOf(keeper)),
  },
  {
    path: "/fleets",
    says: "The fleets' declarations.",
    query: {},
    answers: z.array(fleetDeclaredSchema),
    answer: async ({ keeper }, c) =>
      [...(await readDraft(keeper)).fleets.values()].map((fleet) => declared(fleet, c.env.actor)),
  },
  {
    path: "/fleets/{fleet}",
    says: "One fleet's declaration.",
    query: {},
    answers: fleetDeclaredSchema,
    answer: async ({ keeper }, c) => {
      const fleet = (await readDraft(keeper)).fleets.get(c.req.param("fleet") ?? "");
      return fleet && declared(fleet, c.env.actor);
    },
  },
  {
    path: "/plan",
    asksService: true,
    says: "What the agent would do now, and why. The service is read for it.",
    query: {},
    answers: planKnownSchema,
    answer: async ({ keeper }, c) => {
      const { plans, believed } = await preview(keeper, undefined, c.req.raw.signal);
      return { fleets: plans.map(planFacts), believed };
    },
  },
  {
    path: "/deployments",
    says: "The account's deployments, whose each is, and what it costs. By the newest list.",
    query: { all: z.stringbool().default(false).describe("those that ended, too") },
    answers: JSON_SCHEMAS.deployments,
    answer: async ({ keeper }, _, { all }) => deploymentsOf(await readDraft(keeper), all === true),
  },
  {
    path: "/deployments/{id}",
    says: "One deployment, and what happened to it. Secret connection details are not here.",
    query: {},
    answers: JSON_SCHEMAS.deployment,
    answer: ({ keeper }, c) => deploymentShown(keeper, c.req.param("id") ?? ""),
  },
  {
    path: "/hosts",
    asksService: true,
    says: "How the machines that run are reached. Secret connection details are not here.",
    query: { fleet: z.string().optional().describe("only of this fleet") },
    answers: hostsKnownSchema,
    answer: ({ keeper }, c, { fleet }) => hostsKnown(keeper, fleet as string | undefined, c.req.raw.signal),
  },
  {
    path: "/offers",
    asksService: true,
    says: "All that the service offers now.",
    query: {},
    answers: offersKnownSchema,
    answer: async ({ keeper }, c) => {
      const { cooldowns } = await keeper.ledger.read(keeper.account);
      return offersKnown(keeper.service, cooldowns, contextOf(keeper), c.req.raw.signal);
    },
  },
  {
    path: "/account",
    asksService: true,
    says: "Whose account it is, and its balance where the service shows one: fleetkeeper account --json.",
    query: {},
    answers: accountKnownSchema,
    answer: ({ keeper }, c) => accountKnown(keeper.service, c.req.raw.signal),
  },
  {
    path: "/account/stop",
    says: "What a stop of all would stop, or what is left of one.",
    query: {},
    answers: emergencySchema,
    answer: ({ keeper }) => emergencyKnown(keeper),
  },
  {
    path: "/balance",
    asksService: true,
    says: "The credit balance, as the service says it now: fleetkeeper balance --json.",
    query: {},
    answers: JSON_SCHEMAS.balance,
    answer: ({ keeper }, c) => balanceKnown(keeper.service, c.req.raw.signal),
  },
  {
    path: "/events",
    says: "What happened, the newest first.",
    query: {
      limit: z.coerce.number().int().min(1).max(MOST_EVENTS).default(100),
      after: z.coerce.number().int().min(0).default(0).describe("only those of higher sequence numbers"),
      by: z.string().optional().describe("only what this actor ordered, such as token:ci"),
    },
    answers: z.array(JSON_SCHEMAS.history),
    answer: async ({ keeper }, _, { limit, after, by }) => {
      const asked = { limit: Number(limit), after: Number(after), by: by as string | undefined };
      return eventFacts(keeper.ledger, keeper.account, asked);
    },
  },
  {
    path: "/spend",
    says: "What each fleet and Deployment has cost, day by day, estimated: the service shows no bill.",
    query: spent.shape,
    answers: JSON_SCHEMAS.spend.shape.accounts.element,
    answer: async ({ keeper }, _, query) => {
      const context = contextOf(keeper);
      const asked = query as z.output<typeof spent>;
      return accountSpending(await readDraft(keeper), daysOf(asked, context), asked.by, context);
    },
  },
  {
    path: "/token",
    says: "Who asks, and what they may order.",
    query: {},
    answers: tokenKnownSchema,
    answer: async (_, { env: { actor } }) =>
      actor ? { name: actor.name, may: actor.may, fleets: actor.fleets ?? null } : null,
  },
  {
    path: "/places",
    says: "How each combination did.",
    query: { days },
    answers: JSON_SCHEMAS.places.shape.accounts.element,
    answer: async ({ keeper, history }, _, query) =>
      placesOf(history, await readDraft(keeper), Number(query.days), contextOf(keeper)),
  },
];

/** Parameters of a wish stand in the ledger as they are, which its owner alone may read. */
function declared(fleet: FleetRow, actor: Actor | undefined) {
  const { name, source, removed, wish, part } = fleet;
  const maySee = actor !== undefined && hasRight(actor, "declare") && reaches(actor, part?.of ?? name);
  return {
    name,
    of: part?.of ?? null,
    version: fleetVersion(fleet),
    source,
    removed,
    wish: maySee ? wish : null,
  };
}
