import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { admit } from "../launch/admit/admit.ts";
import type { LaunchWish } from "../launch/admit/rule.ts";
import type { Context } from "../launch/facts/context.ts";
import { DEFAULT_SETTINGS } from "../launch/facts/context.ts";
import { holdText } from "../launch/facts/hold.ts";
import { storeObservation } from "../launch/machine/store-observation.ts";
import { storeAnswer } from "../launch/resolve/answer.ts";
import type { Draft } from "../ledger/draft.ts";
import { slotOwner } from "../ledger/owner.ts";
import type { IntentRow, Owner } from "../ledger/rows.ts";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import type { Account } from "../service/contract/contract.ts";

/** What the benches of the ledger decide on. */

export const ACCOUNT: Account = {
  id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
  email: "bench@example.com",
  display_name: "Bench",
  created_at: "2030-01-01T00:00:00.000000Z",
};

const PLACE = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" } as const;

/** A wire with a marker that launches have proven: any number of launches may be under way. */
const PROFILE = "bench";

let mono = 1_000_000;
const SENDER = { boot: "bench", pid: 1, started: "1" } as const;

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

/** An empty ledger in a folder of its own. */
export async function benchLedger() {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
  const ledger = openSqliteLedger({ path: join(folder, "ledger.db"), newId: "benchbenchbench0", now: 1 });
  const key = await ledger.openAccount({
    baseUrl: "https://bench.example.com",
    account: ACCOUNT,
    tenure: "exclusive",
  });
  return { folder, ledger, key };
}

/** An account that lists were just read for, in which `count` machines were launched and interrupted. */
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
  for (let number = 0; number < count; number++) {
    const id = intentOf("ended", number);
    const { intent } = admitted(draft, id, context);
    const machine = createHash("sha256").update(id).digest("hex").slice(0, 32);
    storeAnswer(draft, intent.id, { kind: "accepted", id: machine, deployment: {} }, context);
    const shown = { ...PLACE, id: machine, status: "interrupted", gpus: 1, pricePerHour: "2.4900" };
    storeObservation(draft, shown, { by: "list", asked: now }, context);
  }
}

export function intentOf(kind: string, number: number): string {
  return `${kind}${String(number).padStart(10, "0")}`;
}

export function wishOf(owner: Owner): LaunchWish {
  const rest = { gpus: 1, pricePerHour: "2.4900", parameters: {}, limits: {}, rules: [] };
  return { ...PLACE, ...rest, owner };
}

/** A launch of one machine. Throws if it is refused: then the bench measures nothing. */
export function admitted(
  draft: Draft,
  id: string,
  context: Context,
  owner = slotOwner(id),
): { readonly intent: IntentRow } {
  const admission = admit(draft, wishOf(owner), context, { id, ledger: context.ledger, sender: SENDER });
  if ("refused" in admission) throw new Error(admission.refused.map((each) => holdText(each)).join("; "));
  return admission;
}
