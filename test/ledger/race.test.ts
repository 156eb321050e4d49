import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { folder } from "./folder.ts";

interface Said {
  readonly ledger: string;
  readonly admitted: number;
}

const script = new URL("./race-child.ts", import.meta.url).pathname;

function child(path: string, name: string, rounds: number): Promise<Said> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [script, path, name, String(rounds)]);
    let out = "";
    let err = "";
    process_.stdout.on("data", (chunk) => {
      out += chunk;
    });
    process_.stderr.on("data", (chunk) => {
      err += chunk;
    });
    process_.on("error", reject);
    process_.on("close", (code) => (code === 0 ? resolve(JSON.parse(out) as Said) : reject(new Error(err))));
  });
}

it("admits one launch, however many processes try at once, from the making of the file on", async () => {
  const path = join(folder(), "new", "ledger.db");
  const said = await Promise.all(["a", "b", "c", "d"].map((name) => child(path, name, 50)));
  expect(said.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(1);
  expect(new Set(said.map(({ ledger }) => ledger)).size).toBe(1);

  const ledger = openSqliteLedger({ path, newId: "another000", now: 1 });
  const [account] = await ledger.accounts();
  const { intents } = await ledger.read(account?.key ?? "");
  expect(intents.filter(({ state }) => state === "open")).toHaveLength(1);
  expect(intents).toHaveLength(1);
  ledger.close();
});

it("control: in two ledgers each admits its own", async () => {
  const said = await Promise.all(["a", "b"].map((name) => child(join(folder(), "ledger.db"), name, 1)));
  expect(said.map(({ admitted }) => admitted)).toEqual([1, 1]);
});
