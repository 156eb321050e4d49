import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { ANNE } from "./contract.ts";
import { folder } from "./folder.ts";

const LOCK = `
  const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  db.exec("BEGIN EXCLUSIVE");
  console.log("locked");
  process.stdin.on("end", () => db.exec("ROLLBACK")).resume();
`;

test("a ledger that another process has locked is a trouble that passes, and is used as soon as it is free", async () => {
  const path = join(folder(), "ledger.db");
  const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
  const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  const other = spawn(process.execPath, ["-e", LOCK, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(other.stdout, "data");
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 1);
  await expect(ledger.decide(key, (draft) => draft.putAccount(draft.account))).rejects.toMatchObject({
    code: "LEDGER_BUSY",
    message: expect.stringContaining("another process has it locked"),
  });
  clearInterval(others);
  // Whatever else this process has to do had its turn before each try, such as the answer to a probe. The tries are
  // counted, so a slow machine has as many turns.
  expect(turns).toBeGreaterThan(20);
  other.stdin.end();
  await once(other, "exit");
  expect(await ledger.decide(key, () => "used")).toBe("used");
  ledger.close();
});

const FILL = `
  import { openSqliteLedger } from ${JSON.stringify(join(import.meta.dirname, "../../ledger/sqlite/sqlite-ledger.ts"))};
  const ledger = openSqliteLedger({ path: process.argv[1], newId: "ledger0000", now: 1 });
  const account = { id: "a", email: "a@b.c", display_name: "", created_at: "" };
  const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account });
  const event = { at: 1, kind: "launch", owner: null, deployment: null, text: "x".repeat(50_000) };
  const fill = async () => {
    for (let times = 0; times < 100; times++) await ledger.decide(key, (draft) => draft.note(event));
  };
  process.on("SIGXFSZ", () => undefined);
  const { code } = await fill().catch((error) => error);
  console.log(JSON.stringify({ code }));
`;

test("a full disk is a trouble that passes, too", () => {
  const command = 'ulimit -f 600; exec "$0" "$@"';
  const path = join(folder(), "ledger.db");
  const args = ["-c", command, process.execPath, "--input-type=module", "-e", FILL, path];
  const { stdout, stderr } = spawnSync("bash", args, { encoding: "utf8", timeout: 240_000 });
  expect([JSON.parse(stdout || "null"), stderr]).toEqual([{ code: "LEDGER_BUSY" }, ""]);
});
