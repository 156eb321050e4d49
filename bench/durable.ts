import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Figure } from "./figure.ts";
import { admitted, benchLedger, contextOf, fill, intentOf } from "./rows.ts";

/* Launches a second that are admitted and on the disk, beside bare SQLite that stores the same text, with the same fsync. */

const COUNT = 1_000;
const { folder, ledger, key } = await benchLedger();
await ledger.decide(key, (draft) => fill(draft, 0, contextOf(ledger.id)));
const db = new DatabaseSync(join(folder, "bare.db"));
db.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE intent (id TEXT PRIMARY KEY, row TEXT)",
);
const insert = db.prepare("INSERT INTO intent VALUES (?, ?)");
let [ours, bare] = [0, 0];
// In turn, by the clock: what is measured is the disk's time, too.
for (let number = 0; number < COUNT; number++) {
  const id = intentOf("launch", number);
  const begun = performance.now();
  const { intent } = await ledger.decide(key, (draft) => admitted(draft, id, contextOf(ledger.id)));
  const between = performance.now();
  const text = JSON.stringify(intent);
  const then = performance.now();
  insert.run(id, text);
  ours += between - begun;
  bare += performance.now() - then;
}
ledger.close();
db.close();
rmSync(folder, { recursive: true });
const perSecond = (spent: number): number => (COUNT / spent) * 1000;
const figures: Figure[] = [
  {
    what: "launches a second, admitted and on the disk",
    measured: perSecond(ours).toFixed(0),
    against: `inserts of bare node:sqlite: ${perSecond(bare).toFixed(0)}`,
    ratio: bare / ours,
    toReach: ">= 0.7",
  },
];
process.stdout.write(JSON.stringify(figures));
