import fc from "fast-check";
import { momentsIn } from "../../agent/fleet/text/format.ts";
import { ORDERS } from "../../agent/orders/orders.ts";
import { makeToken, newTokenSecret } from "../../agent/orders/tokens.ts";
import { BASE, pathOf } from "../../agent/tell/http/api/paths.ts";
import { STACK_CALL, type StackCalls, stackCallSchema } from "../../agent/tell/http/api/stacks.ts";
import { watch } from "../../agent/tell/http/index.ts";
import type { HttpServer } from "../../agent/tell/http/reach/listening.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { createSimulator, VirtualClock } from "../../simulator/index.ts";
import { declareTwo, keeperOn } from "./agent-on.ts";
import { chosen, type Damage, damagedJson, damages, type Tree } from "./damage.ts";
import { demand, shown } from "./demand.ts";
import { target } from "./target.ts";
import { WIRES, type Wire } from "./wires.ts";

/** Requests to an agent's API: answered or refused with a reason, and whoever may only read changes nothing. */
const wire = WIRES.find(({ dialect }) => dialect === "plain") as Wire;
const FLEET: Tree = {
  gpus: 16,
  candidates: [{ offer: "h100-8", provider: "north", location: "oslo", gpus: 8 }],
};
/** Bodies that some order takes: each gets each, true and damaged. */
const BODIES: readonly Tree[] = [
  ...[{}, { reason: "maintenance", until: "2030-01-02T00:00:00Z" }, { gpus: 24, for: "2h" }, FLEET],
  ...[
    { wish: FLEET, source: "stack:a" },
    { fleet: "training" },
    { ids: ["a", "b"] },
    { name: "a", may: "read" },
  ],
];
const CALL: Tree = {
  ...{ kind: "slot", method: "create", args: [{ name: "web", inputs: {} }], run: "12345678" },
  ...{ held: ["slot1"], cutAtOnce: false, after: 0 },
};
const ID = "0123456789abcdef";

interface Scene {
  readonly server: HttpServer;
  readonly keeper: Keeper;
  readonly reader: string;
  readonly close: () => Promise<void>;
}

let opened: Promise<Scene> | undefined;

async function open(): Promise<Scene> {
  const clock = new VirtualClock();
  const simulator = createSimulator({ clock, dialect: wire.dialect, offers: [wire.offer] });
  const ledger = openSqliteLedger({ path: ":memory:", newId: "fuzzledger02", now: clock.now() });
  const keeper = await keeperOn({ wire, clock, simulator, ledger });
  await declareTwo(keeper, wire);
  const stacks: StackCalls = {
    // The first thing that is done with a call: it is compared with the one that had this id before.
    ask: async (_id, call) => ({ said: [], next: 0, done: { value: JSON.stringify(call).length, held: [] } }),
    cut: () => undefined,
  };
  const watched = watch({ keeper, history: ledger, version: "1.2.3", moments: momentsIn("UTC"), stacks });
  const reader = newTokenSecret();
  const token = { id: "reader", name: "reader", may: "read" as const, lasts: 3_600_000, secret: reader };
  await ledger.decide(keeper.account, (draft) => makeToken(draft, token, contextOf(keeper)));
  await clock.advance(2_000);
  const server = await watched.serve({ host: "127.0.0.1", port: 0 }, "the-agents-own-token");
  const close = async (): Promise<void> => {
    await watched.close();
    ledger.close();
  };
  return { server, keeper, reader, close };
}

interface Asked {
  readonly order: number;
  readonly damage: Damage;
  /** With the agent's own token it may do all. */
  readonly mayAll: boolean;
}

async function ask({ order: number, damage, mayAll }: Asked): Promise<void> {
  opened ??= open();
  const { server, keeper, reader } = await opened;
  const calls = number % (ORDERS.length + 2) >= ORDERS.length;
  const order = chosen(ORDERS, number);
  const path = calls ? STACK_CALL.replace("{id}", ID) : pathOf(order).replace("{target}", "training");
  const body = damagedJson(calls ? CALL : chosen(BODIES, damage.of), damage);
  const before = mayAll ? "" : await rowsOf(keeper);
  // An order is only tried: what it changed would be the next one's beginning.
  const answer = await fetch(`${server.url.slice(0, -1)}${BASE}${path}${calls ? "" : "?dryRun=true"}`, {
    method: calls ? "POST" : order.method,
    headers: {
      authorization: `Bearer ${mayAll ? "the-agents-own-token" : reader}`,
      "content-type": "application/json",
    },
    body,
  });
  const said = await answer.text();
  const what = `${path} answered ${answer.status}: ${shown(said)}`;
  // 502: the service was asked, and it is no part of this.
  demand(answer.status < 500 && answer.status !== 401, what);
  if (answer.status >= 400) {
    demand(answer.headers.get("content-type") === "application/problem+json", what);
    demand(String((JSON.parse(said) as { detail?: unknown }).detail ?? "").length > 5, what);
    demand(said.length < 25_000, what);
  }
  if (calls && answer.ok) demand(stackCallSchema.safeParse(JSON.parse(body)).success, what);
  if (!mayAll) demand((await rowsOf(keeper)) === before, `whoever may only read changed something: ${what}`);
}

async function rowsOf({ ledger, account }: Keeper): Promise<string> {
  return JSON.stringify(await ledger.read(account));
}

export const apiTarget = target<Asked>({
  name: "api",
  runs: 9_000,
  inputs: fc.record({ order: fc.nat(), damage: damages(), mayAll: fc.boolean() }),
  run: ask,
  close: async () => (await opened)?.close(),
});
