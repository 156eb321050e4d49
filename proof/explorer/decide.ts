import type { Context } from "../../launch/facts/context.ts";
import { demandAgreement } from "../../ledger/agreed.ts";
import { Draft } from "../../ledger/draft.ts";
import type { Clock, ProcessIdentity } from "../../ledger/instant.ts";
import { LedgerTime } from "../../ledger/ledger-time.ts";
import type { Rows } from "../../ledger/tables.ts";
import { tablesOf } from "../../ledger/tables.ts";
import type { Case } from "./case.ts";
import type { State } from "./state.ts";
import { identityOf, momentOf, settingsOf } from "./time.ts";

export const LEDGER_ID = "ledger00";

/** A decision that a real ledger would refuse to store. */
class Refused extends Error {}

/** `held`: the ledger's unique index refuses two open intents in a group. Off only for planted bugs. */
export const index = { held: true };

/**
 * One transaction of one process: the product's own functions over this state's rows. `process`: its place, which
 * matters where there are two hosts.
 */
export function decide<T>(
  world: Case,
  state: State,
  decision: (draft: Draft, context: Context) => T,
  process = 0,
): { readonly rows: Rows; readonly result: T } {
  const draft = new Draft(tablesOf(state.rows));
  const result = decision(draft, contextOf(world, state, process));
  demandAgreement(draft);
  if (draft.changes.every(({ table }) => table === "event")) return { rows: state.rows, result };
  const rows: Rows = {
    account: draft.account,
    intents: [...draft.intents.values()],
    deployments: [...draft.deployments.values()],
    slots: [...draft.slots.values()],
    fleets: [],
    cooldowns: [...draft.cooldowns.values()],
  };
  if (index.held) checkIndex(rows);
  return { rows, result };
}

export function contextOf(world: Case, state: State, process = 0): Context {
  const now = momentOf(world, state, process);
  const self = identityOf(world, state.boot, process, state.processes[process]?.pid ?? 0);
  const isAlive = (identity: ProcessIdentity): boolean =>
    state.processes.some(({ pid }, place) => {
      const own = identityOf(world, state.boot, place, pid);
      return own.pid === identity.pid && own.boot === identity.boot;
    });
  const local: Clock = { self, now: () => now, isAlive, sleep: async () => undefined };
  return {
    ledger: LEDGER_ID,
    now,
    isAlive: (world.hosts === 1 ? local : new LedgerTime().clock(local)).isAlive,
    wire: {
      profileHash: "profile",
      abilities: { marker: world.shows === "marker", combination: world.shows === "combination", get: true },
      isTerminal: (status) => status === "stopped",
    },
    settings: settingsOf(world),
  };
}

function checkIndex(rows: Rows): void {
  const groups = new Set<string>();
  for (const { state, group } of rows.intents) {
    if (state !== "open") continue;
    if (groups.has(group)) throw new Refused(`the ledger refuses two open intents in the group ${group}`);
    groups.add(group);
  }
}
