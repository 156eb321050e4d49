import { openService } from "../../account/open.ts";
import { newId } from "../../account/open-ledger.ts";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { Holder, heldKeeper } from "../../agent/reconcile/holder.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import { openPostgresLedger } from "../../ledger/postgres/postgres-ledger.ts";

// One of several agents on a ledger in PostgreSQL. See several-agents.test.ts. Each line says what it has become.
const { baseUrl, apiKey, profile, url, protocol, wish } = JSON.parse(process.argv[2] ?? "{}");
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());
const settings = { ...DEFAULT_SETTINGS, ...protocol };
const { service, clock, close } = openService({ baseUrl, apiKey, profile }, {}, settings);
const ledger = await openPostgresLedger({ url, newId, now: Date.now() });
const info = await service.account(ending.signal);
const account = await ledger.openAccount({ baseUrl, account: info, tenure: "exclusive" });
const holder = new Holder({ leases: ledger.leases!, id: newId(), clock });
const open = { ledger, account, service, clock: ledger.clockOn(clock), settings, newId };
const keeper = heldKeeper(open, holder);
const source = "file:fleet.yaml";
let stands = false;
await holder.keep(
  {
    account,
    onStandby: () => {
      if (!stands) say("stands by");
      stands = true;
    },
    onError: (error) => say(`trouble: ${error.message}`),
    onLost: () => say("lost it"),
    work: (signal) => {
      stands = false;
      say("keeps");
      return runLoop(
        {
          ...{ keeper, host: String(process.pid) },
          onTaken: async () => {
            await declareFleets(keeper, source, () => [
              { name: "training", source, wish: wishSchema.parse(wish) },
            ]);
          },
          onTick: () => undefined,
          onError: (error) => say(`trouble: ${error.message}`),
        },
        signal,
      );
    },
  },
  ending.signal,
);
ledger.close();
await close();
say("ended in order");
