import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { note } from "../../launch/facts/events.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MINUTE_MS } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { createSimulator, type Simulator, VirtualClock } from "../../simulator/index.ts";
import { declareTwo, keeperOn, MACHINES, startAgent } from "./agent-on.ts";
import { chosen, damagedBytes, damagedJson, type Edit, edits, type Tree } from "./damage.ts";
import { demand, demandClear } from "./demand.ts";
import { halfWritten, type PowerCut, tornPage } from "./power-cut.ts";
import { target } from "./target.ts";
import { WIRES, type Wire } from "./wires.ts";

/**
 * A ledger whose file a disk, a copy or a crash has damaged, or one of whose rows somebody has written anew: it is refused, or
 * works. No stranger's machine is stopped. Where bytes are damaged, none is rented twice. After a power cut it works as if nothing had been.
 */
interface DamagedFile {
  /** A table and one of its rows, counted round all. */
  readonly row: number;
  readonly values: readonly Edit[];
  readonly bytes: readonly Edit[];
  readonly cut?: PowerCut | undefined;
}

const TABLES = ["account", "intent", "deployment", "fleet", "event"] as const;
const ERRORS = ["LEDGER", "LEDGER_BUSY", "WRONG_ACCOUNT", "UNSOUND", "INTERNAL", "CONFIG"] as const;
const folder = mkdtempSync(join(tmpdir(), "fuzz-ledger-"));
const wire = WIRES.find(({ dialect }) => dialect === "plain") as Wire;

interface Scene {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly stranger: string;
  readonly account: string;
  /** What the ledger knew. */
  readonly rows: string;
}

/** Two machines run, and a stranger's beside them, on a shared account whose service shows markers. */
async function played(path: string, cut: PowerCut | undefined): Promise<Scene> {
  for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
  const clock = new VirtualClock();
  const simulator = createSimulator({
    clock,
    dialect: wire.dialect,
    offers: [wire.offer],
    balance: "100000.0000",
  });
  const stranger = simulator.control.launchByHand(wire.offer);
  const ledger = openSqliteLedger({ path, newId: "fuzzledger00", now: clock.now() });
  const keeper = await keeperOn({ wire, clock, simulator, tenure: "shared", ledger });
  // Else it waits for the stranger's to be adopted or disowned.
  await declareTwo(keeper, wire, "none");
  const agent = startAgent(keeper, clock, () => undefined);
  await clock.advance(6 * MINUTE_MS);
  await agent.end();
  const { account } = keeper;
  const rows = await rowsIn(ledger, account);
  const before = cut && readFileSync(`${path}-wal`);
  if (cut) await ledger.decide(account, (draft) => note(draft, contextOf(keeper), "halted", "the last one"));
  const [file, log] = cut ? [readFileSync(path), readFileSync(`${path}-wal`)] : [];
  ledger.close();
  if (cut && before && file && log) {
    writeFileSync(path, tornPage(file, before, cut));
    writeFileSync(`${path}-wal`, halfWritten(before, log, cut));
  }
  return { clock, simulator, stranger, account, rows };
}

async function rowsIn(ledger: Ledger, account: string): Promise<string> {
  const { intents, deployments, fleets } = await ledger.read(account);
  return JSON.stringify([intents, deployments, fleets]);
}

async function demandWhole(path: string, { clock, account, rows }: Scene): Promise<void> {
  const ledger = openSqliteLedger({ path, newId: "fuzzledger03", now: clock.now() });
  demand((await rowsIn(ledger, account)) === rows, "what was committed before a power cut is not there");
  ledger.close();
}

/** Throws what opening the ledger, or the agent on it, threw. */
async function playOn(path: string, { clock, simulator }: Scene): Promise<void> {
  const ledger = openSqliteLedger({ path, newId: "fuzzledger01", now: clock.now() });
  try {
    const keeper = await keeperOn({ wire, clock, simulator, tenure: "shared", ledger });
    const agent = startAgent(keeper, clock, (error) => demandClear(error, ERRORS));
    await clock.advance(15 * MINUTE_MS);
    const ended = await agent.end();
    if (ended !== undefined) throw ended;
  } finally {
    ledger.close();
  }
}

function damageRow(path: string, { row: number, values }: DamagedFile): void {
  const db = new DatabaseSync(path);
  const table = chosen(TABLES, number);
  const rows = db.prepare(`SELECT rowid AS at, row FROM ${table}`).all();
  const found = rows[Math.floor(number / TABLES.length) % (rows.length || 1)];
  if (found) {
    const json = damagedJson(JSON.parse(String(found.row)) as Tree, { values, text: [] });
    db.prepare(`UPDATE ${table} SET row = ? WHERE rowid = ?`).run(json, found.at as number);
  }
  db.close();
}

const cut: fc.Arbitrary<PowerCut> = fc.record({ kept: fc.nat(), page: fc.nat(), sectors: fc.nat(255) });

export const ledgerTarget = target<DamagedFile>({
  name: "ledger-files",
  runs: 540,
  inputs: fc.oneof(
    fc.record({ row: fc.nat(), values: edits(2), bytes: fc.constant([]) }),
    fc.record({ row: fc.constant(0), values: fc.constant([]), bytes: edits(3) }),
    fc.record({ row: fc.constant(0), values: fc.constant([]), bytes: fc.constant([]), cut }),
  ),
  run: async (damage) => {
    const path = join(folder, "ledger.db");
    const scene = await played(path, damage.cut);
    if (damage.values.length > 0) damageRow(path, damage);
    if (damage.bytes.length > 0) writeFileSync(path, damagedBytes(readFileSync(path), damage.bytes));
    if (damage.cut) await demandWhole(path, scene);
    await playOn(path, scene).catch((error: unknown) => {
      demandClear(error, damage.cut ? [] : ERRORS);
    });
    const { simulator, stranger } = scene;
    const living = simulator.living().map(({ id }) => id);
    demand(living.includes(stranger), "a stranger's machine was stopped");
    // A row that is sound and says what is not true is found out by nobody.
    if (damage.cut) demand(simulator.truth().launches.length === MACHINES, "a machine is launched again");
    if (damage.bytes.length > 0)
      demand(living.length <= 1 + MACHINES, `${living.length - 1} machines run, and ${MACHINES} are wanted`);
  },
  close: async () => rmSync(folder, { recursive: true, force: true }),
});
