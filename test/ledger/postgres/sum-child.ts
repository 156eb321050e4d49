import { randomUUID } from "node:crypto";
import { openPostgresLedger } from "../../../ledger/postgres/postgres-ledger.ts";

// One of several processes that open a ledger at the same moment and decide into one account. See race.test.ts.
const [url = "", openings = "1", rounds = "0"] = process.argv.slice(2);
const opened = await Promise.all(
  Array.from({ length: Number(openings) }, () => openPostgresLedger({ url, newId: randomUUID, now: 1 })),
);
const numbers: number[] = [];
for (const ledger of opened) {
  const account = await ledger.openAccount({
    baseUrl: "https://a.example.com",
    account: { id: "anne", email: "", display_name: "", created_at: "" },
  });
  for (let round = 0; round < Number(rounds); round++) {
    numbers.push(
      await ledger.decide(account, (draft) => {
        const sequence = draft.account.sequence + 1;
        draft.putAccount({ ...draft.account, sequence });
        draft.note({ at: 1, kind: "launch", owner: null, deployment: null, text: String(sequence) });
        return sequence;
      }),
    );
  }
  ledger.close();
}
process.stdout.write(JSON.stringify({ ledgers: opened.map(({ id }) => id), numbers }));
