import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { accountInputSchema } from "./account.ts";
import { faultSchema, TARGETS } from "./faults.ts";
import type { HttpEndpoint } from "./server.ts";
import type { Simulator } from "./simulator.ts";

const id = z.string();
const amount = z.string();
const combination = z.strictObject({ offer: z.string(), provider: z.string(), location: z.string() });
const place = combination.partial();
const failure = z
  .strictObject({ code: z.string(), reason: z.string(), suggestedAction: z.string(), retryable: z.boolean() })
  .partial();

type Commands = Readonly<Record<string, (body: unknown) => unknown>>;

/** One command a control: its name is the path, its arguments are the fields of a JSON object. */
function commandsOf({ control, truth }: Simulator, service: HttpEndpoint): Commands {
  return {
    truth,
    launchByHand: command(
      { ...combination.shape, account: z.string().optional() },
      ({ account, ...place }) => ({
        id: control.launchByHand(place, account === undefined ? {} : { account }),
      }),
    ),
    stopByHand: command({ id }, (body) => control.stopByHand(body.id)),
    interrupt: command({ id, now: z.boolean().default(false) }, (body) => control.interrupt(body.id, body)),
    loseMachinesIn: command({ ...place.shape, now: z.boolean().default(false) }, ({ now, ...where }) => ({
      ids: control.loseMachinesIn(defined(where), { now }),
    })),
    cooldown: command({ ...combination.shape, seconds: z.number().optional() }, ({ seconds, ...where }) =>
      control.cooldown(where, seconds),
    ),
    failNext: command(
      { place: place.default({}), failure: failure.default({}), times: z.int().default(1) },
      (body) => control.failNext(defined(body.place), defined(body.failure), { times: body.times }),
    ),
    maintenance: command({ provider: z.string(), on: z.boolean() }, ({ provider, on }) =>
      control.maintenance(provider, on),
    ),
    setBalance: command({ balance: amount, account: z.string().optional() }, (body) =>
      control.setBalance(body.balance, body.account),
    ),
    addCredits: command({ amount, account: z.string().optional() }, (body) =>
      control.addCredits(body.amount, body.account),
    ),
    setCapacity: command(
      { ...combination.shape, capacity: z.int().nonnegative() },
      ({ capacity, ...where }) => control.setCapacity(where, capacity),
    ),
    setPrice: command({ ...combination.shape, pricePerHour: amount }, ({ pricePerHour, ...where }) =>
      control.setPrice(where, pricePerHour),
    ),
    hide: command({ id, hidden: z.boolean().default(true) }, (body) => control.hide(body.id, body.hidden)),
    forget: command({ id, forgotten: z.boolean().default(true) }, (body) =>
      control.forget(body.id, body.forgotten),
    ),
    showAs: command({ id, state: z.enum(["failed", "interrupted", "stopped"]).optional() }, (body) =>
      control.showAs(body.id, body.state),
    ),
    giveAnew: command({ id, ...combination.shape }, ({ id: given, ...where }) =>
      control.giveAnew(given, where),
    ),
    addAccount: command(accountInputSchema.shape, (body) => ({ id: control.addAccount(body) })),
    fault: command(
      {
        target: z.enum(TARGETS),
        fault: faultSchema,
        times: z.int().positive().default(1),
        skip: z.int().nonnegative().default(0),
      },
      ({ target, fault, ...options }) => control.faults.next(target, fault, options),
    ),
    chance: command(
      {
        target: z.enum(TARGETS),
        chances: z.array(z.strictObject({ fault: faultSchema, probability: z.number() })),
      },
      ({ target, chances }) => control.faults.chance(target, chances),
    ),
    clearFaults: command({}, () => control.faults.clear()),
    refuseConnections: command({ refuse: z.boolean() }, ({ refuse }) => service.refuseConnections(refuse)),
  };
}

/**
 * The controls over HTTP, on a port of their own: `GET /` names them, `GET /truth` gives the ground truth, and
 * `POST /interrupt` with `{"id": "..."}` is `control.interrupt`. For a demo on one machine: it asks for no credential.
 */
export async function listenForControl(
  simulator: Simulator,
  service: HttpEndpoint,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const commands = commandsOf(simulator, service);
  const server = createServer((request, response) => {
    answer(commands, request, response).catch((error: unknown) => {
      send(response, 400, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(commands: Commands, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = (request.url ?? "/").slice(1);
  if (request.method === "GET" && name === "")
    return send(response, 200, { controls: Object.keys(commands) });
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const reads = name === "truth";
  if (known === undefined)
    return send(response, 404, { error: `there is no control ${JSON.stringify(name)}` });
  if (request.method !== (reads ? "GET" : "POST"))
    return send(response, 405, { error: "POST a JSON object" });
  const done = await known(reads ? undefined : await json(request));
  send(response, 200, done ?? { done: true });
}

function command<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (body: z.output<z.ZodObject<Shape, z.core.$strict>>) => unknown,
): (body: unknown) => unknown {
  const schema = z.strictObject(shape);
  return (body) => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new TypeError(z.prettifyError(parsed.error));
    return run(parsed.data);
  };
}

/** Without the keys that are there but undefined: an absent part of a place means anywhere. */
function defined<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(`${JSON.stringify(body, null, 2)}\n`);
}
