import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { admit } from "../launch/admit.ts";
import { recordAnswer } from "../launch/answer.ts";
import { slotOwner } from "../ledger/owner.ts";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import { cpuSince, type Figure, ms } from "./figure.ts";
import { ACCOUNT, contextOf, fill, PLACE, SENDER } from "./rows.ts";

/* A launch's two decisions, to admit it and to store its answer, in a large ledger beside a small one. */

const ROUNDS = 100;

async function worldOf(rows: number) {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
  const ledger = openSqliteLedger({ path: join(folder, "ledger.db"), newId: "benchbenchbench0", now: 1 });
  const key = await ledger.openAccount({
    baseUrl: "https://bench.example.com",
    account: ACCOUNT,
    tenure: "exclusive",
  });
  await ledger.decide(key, (draft) => fill(draft, rows, contextOf(ledger.id)));
  let number = 0;
  return {
    close(): void {
      ledger.close();
      rmSync(folder, { recursive: true });
    },
    /** CPU of both decisions, in ms. */
    async launch(): Promise<number> {
      number += 1;
      const id = `intent${String(number).padStart(10, "0")}`;
      const wish = {
        ...PLACE,
        owner: slotOwner(`slot${String(number).padStart(12, "0")}`),
        gpus: 1,
        pricePerHour: "2.4900",
        parameters: {},
        limits: {},
        full: () => undefined,
      };
      const begun = process.cpuUsage();
      const admission = await ledger.decide(key, (draft) => {
        draft.putAccount({ ...draft.account, list: contextOf(ledger.id).now });
        return admit(draft, wish, contextOf(ledger.id), { id, ledger: ledger.id, sender: SENDER });
      });
      if ("refused" in admission) throw new Error(admission.refused.text);
      await ledger.decide(key, (draft) =>
        recordAnswer(
          draft,
          id,
          { kind: "accepted", id: `machine-${rows}-${number}`, deployment: {} },
          contextOf(ledger.id),
        ),
      );
      return cpuSince(begun);
    },
  };
}

const [small, large] = [await worldOf(100), await worldOf(100_000)];
for (let warm = 0; warm < 20; warm++) {
  await small.launch();
  await large.launch();
}
let [little, much] = [0, 0];
for (let round = 0; round < ROUNDS; round++) {
  little += await small.launch();
  much += await large.launch();
}
small.close();
large.close();
const figures: Figure[] = [
  {
    what: "a launch's two decisions, 100,000 rows in the ledger",
    measured: ms(much / ROUNDS),
    against: `100 rows: ${ms(little / ROUNDS)}`,
    ratio: much / little,
    toReach: "<= 1.5",
  },
];
process.stdout.write(JSON.stringify(figures));
