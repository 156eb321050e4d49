import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeToken, newTokenSecret } from "../agent/orders/tokens.ts";
import { openPostgresLedger } from "../ledger/postgres/postgres-ledger.ts";
import { systemClock } from "../ledger/system-clock.ts";
import { PostgresServer } from "../proof/postgres/server.ts";
import {
  type CatalogueOffer,
  createSimulator,
  DEFAULT_API_KEY,
  dialectProfilePath,
} from "../simulator/index.ts";
import type { Figure } from "./figure.ts";
import { contextOf } from "./rows.ts";

/*
 * 50 people and programs at one agent's API and page, on a ledger in PostgreSQL: each reads the page and the status, declares
 * one GPU more, and waits until the service was asked for it. Agent, server, simulator and clients share this machine.
 */

const CLIENTS = 50;
const ROUNDS = 8;
const LIMIT_MS = 2_000;
/** How long a client does nothing between two rounds, at most. */
const REST_MS = 4_000;

const offers = Array.from({ length: CLIENTS }, (_, client): CatalogueOffer => {
  const priced = { gpus: 1, gpuModel: "H100", pricePerHour: "2.5000", capacity: ROUNDS + 1 };
  return { offer: `h100-${client}`, provider: "north", location: "oslo", ...priced };
});
const simulator = createSimulator({ seed: 7, offers, balance: "10000000.0000" });
const { url: baseUrl } = await simulator.listen();
// It ends with this process.
const server = await PostgresServer.start();
const url = server.urlOf(await server.create());
const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
const port = await freePort();
const agent = spawn(
  process.execPath,
  [
    ...[`${import.meta.dirname}/../agent/cli/entry.ts`, "agent", "--account", "exclusive", "--ledger", url],
    ...["--base-url", baseUrl, "--profile", dialectProfilePath("plain"), "--http", `127.0.0.1:${port}`],
  ],
  {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, FLEETKEEPER_API_KEY: DEFAULT_API_KEY },
    stdio: ["ignore", "ignore", "inherit"],
  },
);
const at = `http://127.0.0.1:${port}`;
while (
  !(await fetch(`${at}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await sleep(200);
let made: ReadonlyMap<string, number> = new Map();
const counting = setInterval(count, 20);
const tokens = await tokensFor(CLIENTS);
// The first launch under a profile is alone: it has to prove it.
await round(0, 1);
const waits: number[] = [];
await Promise.all(
  tokens.map(async (_, client) => {
    for (let number = client === 0 ? 2 : 1; number <= ROUNDS; number++) {
      await sleep(Math.random() * REST_MS);
      waits.push(await round(client, number));
    }
  }),
);
clearInterval(counting);
agent.kill("SIGTERM");
await once(agent, "exit");
await simulator.close();
rmSync(folder, { recursive: true });
waits.sort((one, other) => one - other);
const figure = (which: string, share: number): Figure => {
  const measured = waits[Math.ceil(share * waits.length) - 1] ?? Number.NaN;
  return {
    what: `${CLIENTS} clients of one agent on PostgreSQL: from a wish until the service is asked for it, ${which} of ${waits.length}`,
    measured: `${(measured / 1000).toFixed(2)} s`,
    against: `${LIMIT_MS / 1000} s`,
    ratio: measured / LIMIT_MS,
    toReach: "<= 1",
  };
};
process.stdout.write(JSON.stringify([figure("half", 0.5), figure("99 of 100", 0.99)]));

/** Looks, declares so many GPUs, and gives how long it took in ms until the service had made the last one. */
async function round(client: number, gpus: number): Promise<number> {
  await ask(client, "/");
  await ask(client, "/api/v1/status");
  const begun = performance.now();
  await ask(client, `/api/v1/fleets/of-${client}`, {
    gpus,
    candidates: [{ offer: `h100-${client}`, provider: "north", location: "oslo", gpus: 1 }],
  });
  while ((made.get(`h100-${client}`) ?? 0) < gpus) await sleep(10);
  return performance.now() - begun;
}

async function ask(client: number, path: string, declared?: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${tokens[client]}`, "content-type": "application/json" };
  const put = declared !== undefined && { method: "PUT", body: JSON.stringify(declared) };
  const answer = await fetch(at + path, { headers, ...put });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
}

/** How many machines each client's offer has by now: the truth of all is read once in a while, as it is long. */
function count(): void {
  const counted = new Map<string, number>();
  for (const { combination } of simulator.truth().machines)
    counted.set(combination.offer, (counted.get(combination.offer) ?? 0) + 1);
  made = counted;
}

async function tokensFor(count: number): Promise<readonly string[]> {
  let ids = 0;
  const newId = (): string => String(ids++).padStart(16, "0");
  const ledger = await openPostgresLedger({ url, newId, now: Date.now() });
  const [account] = await ledger.accounts();
  if (!account) throw new Error("the agent opened no account");
  const secrets = Array.from({ length: count }, newTokenSecret);
  await ledger.decide(account.key, (draft) => {
    const context = { ...contextOf(ledger.id), now: ledger.clockOn(systemClock()).now() };
    for (const [index, secret] of secrets.entries())
      makeToken(
        draft,
        { id: newId(), name: `client-${index}`, may: "declare", lasts: 3_600_000, secret },
        context,
      );
  });
  ledger.close();
  return secrets;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const { port: free } = probe.address() as { readonly port: number };
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
