import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../../agent/program.ts";
import { openSqliteLedger } from "../../ledger/index.ts";
import { createSimulator, dialectProfilePath, type Simulator } from "../../simulator/index.ts";

let simulator: Simulator;
let folder: string;

beforeEach(async () => {
  simulator = createSimulator({ apiKey: "key" });
  folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-"));
});
afterEach(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true });
});

async function cli(...args: readonly string[]): Promise<{ code: number; said: string }> {
  const { url } = await simulator.listen();
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
  });
  return { code, said: said.join("\n") };
}

it("disown slot:ID enters the slot of a lost ledger as empty, once", async () => {
  const first = await cli("disown", "slot:lost");
  expect(first).toMatchObject({ code: 0, said: expect.stringContaining("lost counts as empty now") });
  const ledger = openSqliteLedger({ path: path.join(folder, "ledger.db"), newId: "unused", now: 0 });
  expect(await ledger.accountOfSlot("lost")).toBeDefined();
  ledger.close();
  const again = await cli("disown", "slot:lost");
  expect(again.code).not.toBe(0);
  expect(again.said).toContain("slot:lost is known to this ledger");
});
