import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/index.ts";
import type { Properties } from "../../provider/kinds.ts";
import { MACHINE_PROVIDER, SLOT_PROVIDER } from "../../provider/serialized.ts";
import type { SettingsInput } from "../../simulator/index.ts";
import { type Simulation, startSimulation } from "../../simulator/simulation.ts";
import { ended } from "../proof/killable.ts";
import { ProviderHost } from "../proof/provider-host.ts";

/**
 * The SDK's own host of dynamic providers, and what it makes of an engine that is gone. With the engine itself:
 * test/engine/killed-engine.test.ts.
 */

const H100 = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", label: "project/dev/one" };
const AT_ONCE: SettingsInput = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0, 0],
};
const MONITOR = pathToFileURL(resolve(import.meta.dirname, "../proof/uncaught.ts")).href;

let folder: string;
let simulation: Simulation;
let engine: Server;
let asked: Socket[];
let host: ProviderHost;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "orphan-"));
  simulation = await startSimulation({ dialect: "nested", settings: AT_ONCE });
  asked = [];
  engine = createServer((socket) => asked.push(socket)).listen(0, "127.0.0.1");
  await once(engine, "listening");
  const { url, profilePath, apiKey } = simulation;
  host = await ProviderHost.start(
    {
      "fleetkeeper:baseUrl": url,
      "fleetkeeper:profile": profilePath,
      "fleetkeeper:apiKey": apiKey,
      "fleetkeeper:account": "exclusive",
      "fleetkeeper:ledger": join(folder, "ledger.db"),
    },
    {
      PATH: process.env.PATH,
      FLEETKEEPER_PROTOCOL: JSON.stringify({ poll: 200, settle: 1_000, postTimeout: 5_000 }),
      NODE_OPTIONS: `--import=${MONITOR}`,
      UNCAUGHT: uncaught(),
    },
    `127.0.0.1:${(engine.address() as AddressInfo).port}`,
  );
});
afterEach(async () => {
  await host.kill();
  hangUp();
  engine.close();
  await simulation.close();
  rmSync(folder, { recursive: true, force: true });
});

const uncaught = (): string => join(folder, "uncaught.log");

/** The engine listens no more, and its connections are closed, as the system does for a process that dies. */
function engineDies(): void {
  engine.close();
  hangUp();
  host.hangUp();
}

function hangUp(): void {
  for (const socket of asked) socket.destroy();
}

async function slot(): Promise<Properties> {
  const { id, outs } = await host.create({ ...H100, __provider: SLOT_PROVIDER });
  return { ...H100, slot: id, ledger: outs.ledger, __provider: MACHINE_PROVIDER };
}

const create = (inputs: Properties): Promise<unknown> => host.create(inputs).catch(() => undefined);
const machines = () => simulation.simulator.truth().machines;

async function launches(): Promise<readonly { readonly state: string; readonly answer: unknown }[]> {
  const ledger = openSqliteLedger({ path: join(folder, "ledger.db"), newId: "unused", now: Date.now() });
  try {
    const [account] = await ledger.accounts();
    return (await ledger.read(account!.key)).intents;
  } finally {
    ledger.close();
  }
}

it("a host that has nothing to do ends when its engine is gone", async () => {
  await slot();
  engineDies();
  await ended(host.process);
  expect(existsSync(uncaught())).toBe(false);
});

it("a connection that is closed while the engine lives is no end: it comes back", async () => {
  const inputs = await slot();
  host.hangUp();
  // The host has asked whether its engine lives, and goes on asking.
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  host.comeBack();
  await host.create(inputs);
  expect(machines()).toHaveLength(1);
});

it("a launch that is under way is answered and written down, and none follows it", async () => {
  const [one, two] = [await slot(), await slot()];
  simulation.simulator.control.faults.next("launch", { kind: "slow", seconds: 4 });
  // Nothing has told their machines apart so far: the other one waits for its turn.
  const creating = [create(one), create(two)];
  await expect.poll(() => machines().length).toBe(1);
  engineDies();
  await ended(host.process);
  await Promise.all(creating);
  expect(machines()).toHaveLength(1);
  const sent = await launches();
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent[0]?.answer)).toContain(machines()[0]?.id);
  expect(existsSync(uncaught())).toBe(false);
});

it("a launch that is never answered keeps it no longer than a POST may take", async () => {
  const inputs = await slot();
  simulation.simulator.control.faults.next("launch", { kind: "slow", seconds: 10_000 });
  const creating = create(inputs);
  await expect.poll(() => machines().length).toBe(1);
  engineDies();
  await ended(host.process);
  await creating;
  expect(await launches()).toMatchObject([{ state: "open", answer: { id: null } }]);
});

it("what nobody reads is no error, however much of it there is", async () => {
  const inputs = await Promise.all(Array.from({ length: 4 }, () => slot()));
  host.stopReading();
  simulation.simulator.control.faults.next("launch", { kind: "slow", seconds: 1 });
  await Promise.all(inputs.map((each) => host.create(each)));
  expect(machines()).toHaveLength(4);
  expect(existsSync(uncaught())).toBe(false);
});
