import { randomUUID } from "node:crypto";
import { openPostgresLedger } from "../../../ledger/postgres/postgres-ledger.ts";

// One of several processes that put rows of their accounts, and in every second decision make the cooldown longer
// that all of them share. See race.test.ts.
const [url = "", id = "", rounds = "0"] = process.argv.slice(2);
const since = { wall: 1, mono: 1, boot: "b" };
const place = { offer: "o", provider: "p", location: "l" };
const ledger = await openPostgresLedger({ url, newId: randomUUID, now: 1 });
const account = await ledger.openAccount({
  baseUrl: "https://a.example.com",
  account: { id, email: "", display_name: "", created_at: "" },
});
const found: number[] = [];
for (let round = 0; round < 2 * Number(rounds); round++) {
  const seconds = await ledger.decide(account, (draft) => {
    draft.putSlot({ id: randomUUID(), name: id, created: since, closing: false });
    if (round % 2 === 0) return undefined;
    const next = (draft.cooldown(place)?.seconds ?? 0) + 1;
    draft.putCooldown({ ...place, since, seconds: next });
    return next;
  });
  if (seconds !== undefined) found.push(seconds);
}
ledger.close();
process.stdout.write(JSON.stringify(found));
