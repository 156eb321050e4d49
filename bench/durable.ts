import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { stampForSend } from "../launch/admit/admit.ts";
import { storeAnswer } from "../launch/resolve/answer.ts";
import { slotOwner } from "../ledger/owner.ts";
import type { Figure } from "./figure.ts";
import { admitted, benchLedger, contextOf, fill, intentOf, wishOf } from "./rows.ts";

/*
 * A launch's three transactions (it is admitted, looked at right before it is sent, and answered), each beside one
 * insert of the same text into bare SQLite, with the same fsync. By the clock: what is measured is the disk's time, too.
 */

const COUNT = 1_000;
const { folder, ledger, key } = await benchLedger();
await ledger.decide(key, (draft) => fill(draft, 0, contextOf(ledger.id)));
const db = new DatabaseSync(join(folder, "bare.db"));
db.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE intent (id TEXT PRIMARY KEY, row TEXT)",
);
const insert = db.prepare("INSERT INTO intent VALUES (?, ?)");
const spent = { admit: 0, stamp: 0, answer: 0, bare: 0 };

async function timed<T>(what: keyof typeof spent, work: () => T | Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  spent[what] += performance.now() - begun;
  return result;
}

for (let number = 0; number < COUNT; number++) {
  const id = intentOf("launch", number);
  const machine = createHash("sha256").update(id).digest("hex").slice(0, 32);
  const { intent } = await timed("admit", () =>
    ledger.decide(key, (draft) => admitted(draft, id, contextOf(ledger.id))),
  );
  const text = JSON.stringify(intent);
  await timed("bare", () => insert.run(`${id}-1`, text));
  const isSent = await timed("stamp", () =>
    ledger.decide(key, (draft) => stampForSend(draft, id, contextOf(ledger.id), wishOf(slotOwner(id)))),
  );
  if (!isSent) throw new Error(`${id} was given up`);
  await timed("bare", () => insert.run(`${id}-2`, text));
  await timed("answer", () =>
    ledger.decide(key, (draft) =>
      storeAnswer(draft, id, { kind: "accepted", id: machine, deployment: {} }, contextOf(ledger.id)),
    ),
  );
  await timed("bare", () => insert.run(`${id}-3`, text));
}
ledger.close();
db.close();
rmSync(folder, { recursive: true });
const perSecond = (milliseconds: number): string => ((COUNT / milliseconds) * 1000).toFixed(0);
const one = spent.bare / 3;
const launch = spent.admit + spent.stamp + spent.answer;
const figures: Figure[] = [
  {
    what: "launches a second that are admitted: their first transaction",
    measured: perSecond(spent.admit),
    against: `inserts of bare node:sqlite: ${perSecond(one)}`,
    ratio: one / spent.admit,
    toReach: ">= 0.7",
  },
  {
    what: "whole launches a second: three transactions each",
    measured: perSecond(launch),
    against: `three such inserts: ${perSecond(spent.bare)}`,
    ratio: spent.bare / launch,
    toReach: ">= 0.7",
  },
];
process.stdout.write(JSON.stringify(figures));
