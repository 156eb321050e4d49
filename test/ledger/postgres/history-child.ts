import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { plantEdits } from "../../../proof/plant.ts";
import { isLedgerBusy } from "../../../service/contract/errors.ts";

/*
 * One of several processes that decide on one ledger. It prints a JSON line for each decision and each read: what it was told, and between
 * which moments of this computer's clock. See histories.test.ts.
 */
const [url = "", number = "0", rounds = "0", planted] = process.argv.slice(2);
if (planted !== undefined)
  plantEdits("no-lock", [
    {
      file: "ledger/postgres/statements.ts",
      text: 'LOCK_ACCOUNT = stateOf("FOR NO KEY UPDATE OF account")',
      instead: 'LOCK_ACCOUNT = stateOf("")',
    },
  ]);
const { openPostgresLedger } = await import("../../../ledger/postgres/postgres-ledger.ts");

const ledger = await openPostgresLedger({ url, newId: randomUUID, now: 1 });
const account = await ledger.openAccount({
  baseUrl: "https://a.example.com",
  account: { id: "anne", email: "", display_name: "", created_at: "" },
});
const now = (): number => Number(process.hrtime.bigint());

for (let round = 1; round <= Number(rounds); round++) {
  // Each adds what nobody else does: a sum says which decisions stand in it.
  const added = Number(number) * 1_000 + round;
  const isRead = round % 4 === 0;
  const call = now();
  const value = await (isRead ? readSum() : add(added)).catch((error: unknown) => {
    if (isLedgerBusy(error)) return null;
    throw error;
  });
  const kind = isRead ? "read" : "add";
  const line = { kind, number: added, process: Number(number), call, return: now(), value };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  await sleep(5);
}
ledger.close();

async function readSum(): Promise<number> {
  return (await ledger.read(account)).account.sequence;
}

function add(more: number): Promise<number> {
  return ledger.decide(account, (draft) => {
    const sequence = draft.account.sequence + more;
    draft.putAccount({ ...draft.account, sequence });
    return sequence;
  });
}
