import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { prettyJSON } from "hono/pretty-json";
import { z } from "zod";
import { accountInputSchema } from "./account.ts";
import type { Control } from "./control.ts";
import { faultSchema, TARGETS } from "./faults.ts";
import { type HttpEndpoint, open, shut } from "./server.ts";
import type { Simulator } from "./simulator.ts";

const id = z.string();
const amount = z.string();
const combination = z.strictObject({ offer: z.string(), provider: z.string(), location: z.string() });
const place = combination.partial();
const failure = z
  .strictObject({ code: z.string(), reason: z.string(), suggestedAction: z.string(), retryable: z.boolean() })
  .partial();

type Commands = Readonly<Record<string, (body: unknown) => unknown>>;

/** One command for each control. Its name is the path, its arguments are the fields of a JSON object. */
function commandsOf(control: Control, service: HttpEndpoint): Commands {
  return {
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
    halt: command({ id, halted: z.boolean().default(true) }, (body) => control.halt(body.id, body.halted)),
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
    hideAccount: command({ hidden: z.boolean().default(true), account: z.string().optional() }, (body) =>
      control.hideAccount(body.hidden, body.account),
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
 * The controls over HTTP, on a port of their own: `GET /` names them, `GET /truth` gives the ground truth.
 * `POST /interrupt` with `{"id": "..."}` is `control.interrupt`. No credential: it is for one machine.
 */
export async function listenForControl(
  { control, truth }: Simulator,
  service: HttpEndpoint,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const commands = commandsOf(control, service);
  const app = new Hono();
  app.use(prettyJSON({ force: true }));
  app.onError((error, c) => c.json({ error: error.message }, 400));
  app.get("/", (c) => c.json({ controls: ["truth", ...Object.keys(commands)] }));
  app.get("/truth", (c) => c.json(truth()));
  app.all("/:name{.+}", async (c) => {
    const { name } = c.req.param();
    const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (known === undefined) return c.json({ error: `there is no control ${JSON.stringify(name)}` }, 404);
    if (c.req.method !== "POST") return c.json({ error: "POST a JSON object" }, 405);
    return c.json((await known(await c.req.json())) ?? { done: true });
  });
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  return { url: await open(server, port), close: () => shut(server) };
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

/** Drops keys whose value is undefined: an absent part of a place means anywhere. */
function defined<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
