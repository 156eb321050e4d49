import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { declareFleets, runLoop } from "../../agent/loop.ts";
import { wishSchema } from "../../agent/wish.ts";
import { openSqliteLedger } from "../../ledger/sqlite.ts";
import type { Stage } from "../support/stage.ts";
import { H100_SINGLE, keeperOn, stage } from "../support/stage.ts";

const MINUTE = 60_000;
const { offer, provider, location } = H100_SINGLE;
const candidates = [{ offer, provider, location, gpus: 1, pricePerHour: "2.5000" }];

/** As after a disk that died: the ledger of some time ago, which knows nothing of what was launched since. */
test.each([
  ["the fleet has grown", 1],
  ["a machine was lost and replaced", 3],
])("a ledger from a backup rents nothing again where since then %s", async (_what, before) => {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-restored-"));
  const file = join(folder, "ledger.db");
  const on = await stage({ ledger: openSqliteLedger({ path: file, newId: "ledger000000", now: 1 }) });
  await on.declare({ web: { gpus: before, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const backup = copyOf(file, folder);
  const [oldest] = on.alive();
  if (before === 3 && oldest) on.simulator.control.interrupt(oldest.id, { now: true });
  await on.declare({ web: { gpus: 3, candidates } });
  await on.clock.advance(20 * MINUTE);
  const running = on.alive().map(({ id }) => id);
  expect(running).toHaveLength(3);
  await on.stop();

  await restore(on, backup, 3);
  expect(on.alive().map(({ id }) => id)).toEqual(running);
});

test("nor does one whose backup was made while a launch was looked for that a list can tell from the others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-restored-"));
  const file = join(folder, "ledger.db");
  const on = await stage({ ledger: openSqliteLedger({ path: file, newId: "ledger000000", now: 1 }) });
  await on.declare({ web: { gpus: 1, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  on.simulator.control.faults.next("launch", { kind: "dropBefore" });
  await on.declare({ web: { gpus: 2, candidates } });
  await on.clock.advance(MINUTE);
  const backup = copyOf(file, folder);
  await on.declare({ web: { gpus: 4, candidates } });
  await on.clock.advance(20 * MINUTE);
  const running = on.alive().map(({ id }) => id);
  expect(running).toHaveLength(4);
  await on.stop();

  await restore(on, backup, 4);
  expect(on.alive().map(({ id }) => id)).toEqual(running);
});

function copyOf(file: string, folder: string): string {
  const backup = join(folder, "backup.db");
  const db = new DatabaseSync(file);
  db.exec(`VACUUM INTO '${backup}'`);
  db.close();
  return backup;
}

/** Another agent keeps the account for half an hour, with the ledger from the backup. */
async function restore(on: Stage, backup: string, gpus: number): Promise<void> {
  const restored = openSqliteLedger({ path: backup, newId: "unused000000", now: 1 });
  const keeper = await keeperOn(on.simulator, on.clock, "plain", "exclusive", restored);
  const wish = wishSchema.parse({ gpus, candidates });
  await declareFleets(keeper, "file:fleet.yaml", () => [{ name: "web", source: "file:fleet.yaml", wish }]);
  const ending = new AbortController();
  const options = { keeper, host: "test", onTick: () => undefined, onError: () => undefined };
  const loop = runLoop(options, ending.signal);
  await on.clock.advance(30 * MINUTE);
  ending.abort();
  await on.clock.run(loop);
}
