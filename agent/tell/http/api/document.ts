import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import {
  agentAccountsSchema,
  fleetPartsSchema,
  foreseenOverSchema,
  foreseenSchema,
  servicesPlanSchema,
} from "../../../json/agent.ts";
import { partsSaidSchema } from "../../../json/answers.ts";
import { LEDGER_ORDERS } from "../../../orders/ledger-orders.ts";
import type { Order } from "../../../orders/order.ts";
import { ORDERS } from "../../../orders/orders.ts";
import { LEDGER_READS, type LedgerRead } from "../../../status/ledger-reads.ts";
import { isVersioned } from "./asked.ts";
import { BASE, ledgerOrderId, ledgerPathOf, orderId, pathOf, readId } from "./paths.ts";
import { READS, type Read } from "./reads.ts";
import { STACK_CALL, stackAnswerSchema, stackCallSchema } from "./stacks.ts";

const problemSchema = z
  .object({
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("what is wrong, with which value, and the remedy"),
    code: z
      .string()
      .optional()
      .describe("which mistake it is, such as CONFIG: as of an error of the package"),
    version: z.string().optional().describe("of 409: the version that the fleet or machine has now"),
  })
  .meta({ id: "Problem" });

const PLANS =
  "What the agents of all services would do now, with what fleets have in several planned as one. The services are read for it.";
const FILE =
  "What a fleet file of the API has declared, in whatever accounts, with the version of all of it.";
const PARTS = "A fleet in whatever accounts of the ledger, with the version of all of its parts.";

/** Beside what is of one account. */
export const AGENT_READS: readonly Asked[] = [
  { path: "/accounts", says: "The accounts of the agent.", query: {}, answers: agentAccountsSchema },
  ...Object.entries<LedgerRead>(LEDGER_READS).map(([name, { says, query, answers }]) => ({
    path: `/ledger/${name}`,
    says,
    query: query.shape,
    answers,
  })),
  { path: "/ledger/plan", says: PLANS, query: {}, answers: servicesPlanSchema },
  { path: "/ledger/fleets/{fleet}", says: PARTS, query: {}, answers: fleetPartsSchema },
  { path: "/ledger/fleet-files/{file}", says: FILE, query: {}, answers: fleetPartsSchema },
];

const refused = {
  description: "nothing was done",
  content: { "application/problem+json": { schema: problemSchema } },
};

/** The API, as OpenAPI 3.1 has it: made from the schemas that requests are held to. */
export function openApiDocument(version: string): ReturnType<typeof createDocument> {
  const operations = [
    ...AGENT_READS.map((read) => [`${BASE}${read.path}`, "get", operationOfRead(read)] as const),
    ...READS.map((read) => [`${BASE}${read.path}`, "get", operationOfRead(read)] as const),
    ...ORDERS.map((order) => {
      const answers = { said: z.looseObject({}), dry: foreseenSchema };
      const operation = operationOf(order, orderId(order), shownPath(order), answers);
      return [`${BASE}${shownPath(order)}`, order.method.toLowerCase(), operation] as const;
    }),
    ...LEDGER_ORDERS.map((order) => {
      const path = ledgerPathOf(order).replace("{target}", `{${order.about}}`);
      const answers = { said: partsSaidSchema, dry: foreseenOverSchema };
      const method = order.method.toLowerCase();
      return [`${BASE}${path}`, method, operationOf(order, ledgerOrderId(order), path, answers)] as const;
    }),
  ];
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ([path]) => path)].map(([path, its]) => [
      path,
      Object.fromEntries(its.map(([, method, operation]) => [method, operation])),
    ]),
  );
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "fleetkeeper",
      version,
      description:
        "The API of an agent. Of an agent with several services each account has it under /services/NAME; what is of the " +
        "agent or of its ledger stands at its root.",
    },
    security: [{ token: [] }],
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "fleetkeeper token create makes one" },
      },
    },
    paths: { ...paths, ...stackPaths },
  });
}

const stackPaths = {
  [`${BASE}${STACK_CALL}`]: {
    post: {
      operationId: "askForStack",
      description:
        "What Pulumi asks for a stack that this agent keeps. The same id and body again go on with it. Needs a token that may declare.",
      requestParams: { path: z.object({ id: z.string() }) },
      requestBody: { content: { "application/json": { schema: stackCallSchema } } },
      responses: {
        200: {
          description: "it has ended",
          content: { "application/json": { schema: stackAnswerSchema } },
        },
        202: { description: "it goes on", content: { "application/json": { schema: stackAnswerSchema } } },
        default: refused,
      },
    },
    delete: {
      operationId: "cutForStack",
      description: "Ends its waits. POST still answers how it ended.",
      requestParams: { path: z.object({ id: z.string() }) },
      responses: { 200: { description: "it ends" }, default: refused },
    },
  },
} as const;

function shownPath(order: Order): string {
  return pathOf(order).replace("{target}", TARGETS[order.about]);
}

const TARGETS = { fleet: "{fleet}", file: "{file}", deployment: "{id}", account: "" } as const;

type Asked = Pick<Read, "path" | "says" | "answers"> & { readonly query: z.ZodRawShape };

function operationOfRead({ path, says, query, answers }: Asked): ZodOpenApiOperationObject {
  return {
    operationId: readId(path),
    description: says,
    requestParams: { path: inPath(path), query: z.object(query) },
    responses: {
      200: { description: "it is so", content: { "application/json": { schema: answers } } },
      default: refused,
    },
  };
}

function operationOf(
  order: Documented,
  operationId: string,
  path: string,
  { said, dry }: { readonly said: z.ZodType; readonly dry: z.ZodType },
): ZodOpenApiOperationObject {
  const dryAnswer = { description: "a dry run", content: { "application/json": { schema: dry } } };
  return {
    operationId,
    description: `${order.says} Needs a token that may ${order.needs}.`,
    requestParams: {
      path: inPath(path),
      query: z.object({
        dryRun: z
          .boolean()
          .optional()
          .describe("nothing is done: the answer says what would be, and what the agent would do then"),
      }),
      header: z.object({
        "idempotency-key": z
          .string()
          .max(128)
          .optional()
          .describe("the same key again within a day has the first answer, and does nothing more"),
      }),
    },
    requestBody: { content: { "application/json": { schema: bodyOf(order) } } },
    responses: {
      [order.goesOn ? 202 : 200]: {
        description: order.goesOn ? "it is ordered; events tell its end" : "it is done",
        content: { "application/json": { schema: said } },
      },
      ...(order.goesOn && { 200: dryAnswer }),
      default: refused,
    },
  };
}

type Documented = Pick<Order, "says" | "needs" | "input" | "goesOn"> & { readonly about: string };

/** What the order says, and the version of the fleet or machine that it counts on. */
function bodyOf(order: Documented): z.ZodType {
  const version = z.string().optional().describe("the version that was seen: another one is a 409");
  return isVersioned(order) ? z.intersection(order.input, z.looseObject({ version })) : order.input;
}

function inPath(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}
