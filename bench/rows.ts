import { createHash } from "node:crypto";
import type { Context } from "../launch/context.ts";
import { DEFAULT_SETTINGS } from "../launch/context.ts";
import { unseen } from "../launch/unseen.ts";
import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow } from "../ledger/rows.ts";
import type { Account } from "../service/contract.ts";

/** What the benches of the ledger decide on. */

export const ACCOUNT: Account = {
  id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
  email: "bench@example.com",
  display_name: "Bench",
  created_at: "2030-01-01T00:00:00.000000Z",
};

export const PLACE = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" } as const;

/** A wire with a marker that launches have proven: any number of launches may be under way. */
const PROFILE = "bench";

let mono = 1_000_000;
export const SENDER = { boot: "bench", pid: 1, started: "1" } as const;

/** A millisecond later each time. */
export function contextOf(ledger: string): Context {
  mono += 1;
  return {
    ledger,
    now: { wall: 1_900_000_000_000 + mono, mono, boot: "bench" },
    isAlive: () => true,
    wire: {
      profileHash: PROFILE,
      abilities: { marker: true, combination: true, get: true },
      isTerminal: () => false,
    },
    settings: DEFAULT_SETTINGS,
  };
}

/** An account that lists were just read for, in which `count` machines have ended. */
export function fill(draft: Draft, count: number, context: Context): void {
  const { now } = context;
  const known = { proven: true, shown: ["marker"], ends: [], halted: null };
  draft.putAccount({
    ...draft.account,
    list: now,
    watched: now,
    balance: { amount: "1000000.0000", begun: now },
    profiles: { [PROFILE]: known },
  });
  for (let number = 0; number < count; number++) draft.putDeployment(endedRow(draft, number, context));
}

function endedRow(draft: Draft, number: number, context: Context): DeploymentRow {
  const id = createHash("sha256").update(`bench ${number}`).digest("hex").slice(0, 32);
  const { now } = context;
  return {
    ...unseen(draft, id, context),
    ...PLACE,
    lastSeen: now,
    status: "interrupted",
    gpus: 1,
    pricePerHour: "2.4900",
    end: "interrupted",
    ended: now,
  };
}
