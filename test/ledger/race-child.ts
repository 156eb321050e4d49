import { admit } from "../../launch/admit/admit.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import { openPostgresLedger } from "../../ledger/postgres/postgres-ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../ledger/system-clock.ts";

// One of several processes that try to launch at the same moment, again and again. See race.test.ts and
// postgres/race.test.ts.
const [place = "", name = "", rounds = "0"] = process.argv.slice(2);
const clock = systemClock();
let made = 0;
const ledger = place.startsWith("postgres:")
  ? await openPostgresLedger({ url: place, newId: () => `ledger${name}${made++}`, now: 1 })
  : openSqliteLedger({ path: place, newId: `ledger${name}000`, now: 1 });
const account = await ledger.openAccount({
  baseUrl: "https://a.example.com",
  account: { id: "anne", email: "", display_name: "", created_at: "" },
  tenure: "exclusive",
});
const wire = {
  profileHash: "profile-1",
  abilities: { marker: false, combination: false, get: true },
  isTerminal: () => false,
};
let admitted = 0;
for (let round = 0; round < Number(rounds); round++) {
  const id = `intent${name}${String(round).padStart(6, "0")}`;
  const won = await ledger.decide(account, (draft) => {
    const now = clock.now();
    draft.putAccount({ ...draft.account, list: now });
    const context = { ledger: ledger.id, now, wire, settings: DEFAULT_SETTINGS, isAlive: () => true };
    const wish = {
      offer: "o",
      provider: "p",
      location: "l",
      owner: "fleet:web" as const,
      gpus: 1,
      pricePerHour: null,
      parameters: {},
      limits: {},
      rules: [],
    };
    const fresh = { id, ledger: ledger.id, sender: clock.self };
    return "intent" in admit(draft, wish, context, fresh);
  });
  if (won) admitted += 1;
}
ledger.close();
process.stdout.write(JSON.stringify({ ledger: ledger.id, admitted }));
