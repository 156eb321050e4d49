import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Prompts } from "../../agent/cli/init/prompts.ts";
import { runCli } from "../../agent/cli/program.ts";
import { markLeftBehind } from "../../launch/index.ts";
import { openSqliteLedger } from "../../ledger/index.ts";
import { createSimulator, dialectProfilePath, type Simulator } from "../../simulator/index.ts";

let simulator: Simulator;
let url: string;
let folder: string;

beforeEach(async () => {
  simulator = createSimulator({ apiKey: "key" });
  ({ url } = await simulator.listen());
  folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-"));
});
afterEach(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true });
});

async function cli(...args: readonly string[]): Promise<{ code: number; said: string }> {
  return answering(undefined, ...args);
}

/** With a person at a terminal who answers so; undefined: there is none. */
async function answering(
  answer: boolean | undefined,
  ...args: readonly string[]
): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const environment = {
    FLEETKEEPER_BASE_URL: url,
    FLEETKEEPER_API_KEY: "key",
    FLEETKEEPER_PROFILE: dialectProfilePath("plain"),
    FLEETKEEPER_LEDGER: path.join(folder, "ledger.db"),
    FLEETKEEPER_ACCOUNT: "exclusive",
  };
  const code = await runCli(args, "0", {
    environment,
    signal: new AbortController().signal,
    print: (text) => said.push(text),
    tell: (text) => said.push(text),
    color: false,
    ask: answer === undefined ? undefined : ({ confirm: async () => answer } as unknown as Prompts),
  });
  return { code, said: said.join("\n") };
}

const LOST = "0123456789abcdef";

async function isKnown(): Promise<boolean> {
  const ledger = openSqliteLedger({ path: path.join(folder, "ledger.db"), newId: "unused", now: 0 });
  const account = await ledger.accountOfSlot(LOST);
  ledger.close();
  return account !== undefined;
}

it("disown slot:ID shows what may be in it, asks, and enters the slot of a lost ledger as empty, once", async () => {
  const id = simulator.control.launchByHand({
    offer: "h100-80gb-x1",
    provider: "aurora",
    location: "fi-hel",
  });
  const unasked = await cli("disown", `slot:${LOST}`);
  expect(unasked).toMatchObject({ code: 2, said: expect.stringContaining("this asks first") });
  expect(unasked.said).toMatch(new RegExp(`Nobody here answers for this machine:\n.*\n *${id}`));
  expect(unasked.said).toContain(`fleetkeeper adopt ${id} --deployment ${LOST}`);
  expect((await answering(false, "disown", `slot:${LOST}`)).code).toBe(130);
  expect(await isKnown()).toBe(false);
  const first = await cli("disown", `slot:${LOST}`, "--yes");
  expect(first).toMatchObject({ code: 0, said: expect.stringContaining(`${LOST} counts as empty now`) });
  expect(await isKnown()).toBe(true);
  const again = await cli("disown", `slot:${LOST}`, "--yes");
  expect(again.code).not.toBe(0);
  expect(again.said).toContain(`slot:${LOST} is known to this ledger`);
});

it("adopt ID --deployment takes the id of a slot that only the state knows, and no other name", async () => {
  const id = simulator.control.launchByHand({
    offer: "h100-80gb-x1",
    provider: "aurora",
    location: "fi-hel",
  });
  const named = await cli("adopt", id, "--deployment", "project/dev/web");
  expect(named).toMatchObject({ code: 2, said: expect.stringContaining("say the id of its slot") });
  expect((await cli("adopt", "nope", "--deployment", LOST)).code).toBe(2);
  expect(await isKnown()).toBe(false);
  const adopted = await cli("adopt", id, "--deployment", LOST);
  expect(adopted).toMatchObject({
    code: 0,
    said: expect.stringContaining(`belongs to deployment ${LOST} now`),
  });
  expect(await isKnown()).toBe(true);
});

it("a machine whose slot no state holds needs somebody, and a stop of it promises no other one in its place", async () => {
  const id = simulator.control.launchByHand({
    offer: "h100-80gb-x1",
    provider: "aurora",
    location: "fi-hel",
  });
  expect(await cli("adopt", id, "--deployment", LOST)).toMatchObject({ code: 0 });
  const held = await cli("deployments", "stop", id);
  expect(held.said).toContain("the next pulumi up rents another one, if its stack's state still holds it");
  expect((await cli("status")).said).not.toContain("nobody here answers for");
  const ledger = openSqliteLedger({ path: path.join(folder, "ledger.db"), newId: "unused", now: 0 });
  await ledger.decide((await ledger.accountOfSlot(LOST))!, (draft) => markLeftBehind(draft, LOST));
  ledger.close();
  const status = (await cli("status")).said;
  expect(status).toContain("machines that nobody here answers for");
  expect(status).toContain(
    `${id} belongs to deployment ${LOST}, which its stack's state does not hold any more. To keep it: adopt: "${id}" in the program`,
  );
  const { accounts } = JSON.parse((await cli("status", "--json")).said);
  expect(accounts[0].unaccounted).toMatchObject([
    { id, disputed: false, unheld: `deployment ${LOST}`, reused: null },
  ]);
  const unheld = await cli("deployments", "stop", id);
  expect(unheld.said).toContain("which its stack's state does not hold any more");
  expect(unheld.said).not.toContain("rents another one");
});
