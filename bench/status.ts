import { rmSync } from "node:fs";
import { declareFleet } from "../agent/fleet/declare/fleets.ts";
import { wishSchema } from "../agent/fleet/wish/wish.ts";
import { ledgerStatus } from "../agent/status/account-status.ts";
import { storeAnswer } from "../launch/resolve/answer.ts";
import { fleetOwner } from "../ledger/owner.ts";
import { type Figure, inTurn, ms } from "./figure.ts";
import { admitted, benchLedger, contextOf, fill, intentOf } from "./rows.ts";

/* The status of an account with many fleets, each of one machine, beside one fleet. It reads, and plans nothing. */

const FLEETS = 160;
const ROUNDS = 40;
/** What many fleets may add to one, in ms of CPU. */
const LIMIT = 10;

async function worldOf(fleets: number) {
  const { folder, ledger, key } = await benchLedger();
  await ledger.decide(key, (draft) => {
    fill(draft, 0, contextOf(ledger.id));
    for (let number = 0; number < fleets; number++) {
      const name = `fleet-${number}`;
      const wish = wishSchema.parse({ gpus: 2, select: { gpuModel: "h100-80gb" }, budget: { perHour: 50 } });
      declareFleet(draft, { name, source: "bench", wish }, contextOf(ledger.id));
      const fleet = draft.fleets.get(name);
      if (fleet) draft.putFleet({ ...fleet, born: true });
      const { intent } = admitted(draft, intentOf("kept", number), contextOf(ledger.id), fleetOwner(name));
      const answer = { kind: "accepted", id: `machine-${number}`, deployment: {} } as const;
      storeAnswer(draft, intent.id, answer, contextOf(ledger.id));
    }
  });
  return {
    status: () => ledgerStatus(ledger, contextOf(ledger.id)),
    close(): void {
      ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const [one, many] = [await worldOf(1), await worldOf(FLEETS)];
await inTurn(10, one.status, many.status);
const [little, much] = await inTurn(ROUNDS, one.status, many.status);
const shown = (await many.status()).accounts[0]?.fleets;
if (shown?.length !== FLEETS) throw new Error(`the status shows ${shown?.length} fleets`);
one.close();
many.close();
const more = (much - little) / ROUNDS;
const figures: Figure[] = [
  {
    what: `status of ${FLEETS} fleets: CPU beside that of one fleet`,
    measured: ms(more),
    against: `${ms(LIMIT)} more than one fleet's ${ms(little / ROUNDS)}`,
    ratio: more / LIMIT,
    toReach: "<= 1.0",
  },
];
process.stdout.write(JSON.stringify(figures));
