import { rmSync } from "node:fs";
import { storeAnswer } from "../launch/resolve/answer.ts";
import { cpuSince, type Figure, ms } from "./figure.ts";
import { admitted, benchLedger, contextOf, fill, intentOf } from "./rows.ts";

/* A launch's two decisions, to admit it and to store its answer, in a large ledger beside a small one. */

const ROUNDS = 100;

async function worldOf(rows: number) {
  const { folder, ledger, key } = await benchLedger();
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
      const id = intentOf("launch", number);
      const begun = process.cpuUsage();
      await ledger.decide(key, (draft) => {
        draft.putAccount({ ...draft.account, list: contextOf(ledger.id).now });
        return admitted(draft, id, contextOf(ledger.id));
      });
      const answer = { kind: "accepted", id: `machine-${rows}-${number}`, deployment: {} } as const;
      await ledger.decide(key, (draft) => storeAnswer(draft, id, answer, contextOf(ledger.id)));
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
    what: "a launch's two decisions, 100,000 launches and machines in the ledger",
    measured: ms(much / ROUNDS),
    against: `100 of them: ${ms(little / ROUNDS)}`,
    ratio: much / little,
    toReach: "<= 1.5",
  },
];
process.stdout.write(JSON.stringify(figures));
