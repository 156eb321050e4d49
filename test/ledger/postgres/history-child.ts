import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { plantEdits } from "../../../proof/plant.ts";
import { isLedgerBusy } from "../../../service/contract/errors.ts";
import { HISTORY_PLANTS, type HistoryChild } from "./history-plants.ts";

/*
 * One of several processes that decide on one ledger. It prints a JSON line for each decision and each read: what it was told, and between
 * which moments of this computer's clock. Each line that it reads has it do so many rounds more. See histories.test.ts.
 */
const given = JSON.parse(process.argv[2] ?? "{}") as HistoryChild;
if (given.planted) plantEdits(given.planted, [HISTORY_PLANTS[given.planted]]);
const { openPostgresLedger } = await import("../../../ledger/postgres/postgres-ledger.ts");
const { epochOf } = await import("../../../ledger/epoch.ts");
const { systemClock } = await import("../../../ledger/system-clock.ts");

/** How far somebody has set the clocks of this process. */
let ahead = 0;
const wall = Date.now;
Date.now = () => wall() + ahead;
const ticks = (): number => performance.now() + ahead;
const now = (): number => Number(process.hrtime.bigint());

const { url, times = {}, clock: set = {} } = given;
const ledger = await openPostgresLedger({ url, newId: randomUUID, now: 1, ticks, times });
const clock = ledger.clockOn(systemClock());
const account = await ledger.openAccount({
  baseUrl: "https://a.example.com",
  account: { id: "anne", email: "", display_name: "", created_at: "" },
});

let round = 0;
for await (const rounds of createInterface({ input: process.stdin }))
  for (let left = Number(rounds); left > 0; left--) await oneMore();
ledger.close();

async function oneMore(): Promise<void> {
  round += 1;
  ahead = set[round] ?? ahead;
  // Each adds what nobody else does: a sum says which decisions stand in it.
  const number = given.number * 1_000 + round;
  const isRead = round % 4 === 0;
  const line = { kind: isRead ? "read" : "add", number, process: given.number, call: now() };
  const told = await (isRead ? readSum() : add(number)).catch((error: unknown) => {
    if (isLedgerBusy(error)) return { value: null };
    throw error;
  });
  process.stdout.write(`${JSON.stringify({ ...line, return: now(), ...told })}\n`);
  await sleep(5);
}

interface Told {
  readonly value: number;
  /** When it was decided, at least and at most, on the ledger's clock. */
  readonly epoch?: number;
  readonly low?: number;
  readonly high?: number;
}

async function readSum(): Promise<Told> {
  return { value: (await ledger.read(account)).account.sequence };
}

function add(more: number): Promise<Told> {
  return ledger.decide(account, (draft) => {
    const value = draft.account.sequence + more;
    draft.putAccount({ ...draft.account, sequence: value });
    const { mono, error = 0, boot } = clock.now();
    return { value, epoch: epochOf(boot)?.number ?? 0, low: mono - error, high: mono + error };
  });
}
