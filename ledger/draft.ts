import type { Combination } from "../service/contract.ts";
import { combinationKey } from "../service/contract.ts";
import type { ClaimMove, IntentMove } from "./lifecycle.ts";
import {
  checkClaimKept,
  checkClaimMove,
  checkForgettable,
  checkIntentKept,
  checkIntentMove,
} from "./lifecycle.ts";
import type {
  AccountRow,
  CooldownRow,
  DeploymentRow,
  EventRow,
  FleetRow,
  IntentRow,
  SlotRow,
} from "./rows.ts";

/** A row to put in place of the one with its key, or intents to forget; `events`: their events, too. */
export type Change =
  | { readonly table: "account"; readonly row: AccountRow }
  | { readonly table: "intent"; readonly row: IntentRow }
  | { readonly table: "deployment"; readonly row: DeploymentRow }
  | { readonly table: "slot"; readonly row: SlotRow }
  | { readonly table: "fleet"; readonly row: FleetRow }
  | { readonly table: "cooldown"; readonly row: CooldownRow }
  | { readonly table: "event"; readonly row: EventRow }
  | { readonly table: "forgotten"; readonly intents: readonly string[]; readonly events: boolean };

/** The rows of one account, as one transaction found them. */
export interface Rows {
  readonly account: AccountRow;
  readonly intents: readonly IntentRow[];
  readonly deployments: readonly DeploymentRow[];
  readonly slots: readonly SlotRow[];
  readonly fleets: readonly FleetRow[];
  readonly cooldowns: readonly CooldownRow[];
}

/**
 * What one transaction sees and wants to change. A decision is a function over a draft: it reads rows, puts
 * rows and touches nothing else, so it runs unchanged against SQLite, in the simulation and in the explorer.
 */
export class Draft {
  account: AccountRow;
  readonly intents: Map<string, IntentRow>;
  readonly deployments: Map<string, DeploymentRow>;
  readonly slots: Map<string, SlotRow>;
  readonly fleets: Map<string, FleetRow>;
  readonly cooldowns: Map<string, CooldownRow>;
  readonly changes: Change[] = [];

  constructor(rows: Rows) {
    this.account = rows.account;
    this.intents = new Map(rows.intents.map((row) => [row.id, row]));
    this.deployments = new Map(rows.deployments.map((row) => [row.id, row]));
    this.slots = new Map(rows.slots.map((row) => [row.id, row]));
    this.fleets = new Map(rows.fleets.map((row) => [row.name, row]));
    this.cooldowns = new Map(rows.cooldowns.map((row) => [combinationKey(row), row]));
  }

  cooldown(combination: Combination): CooldownRow | undefined {
    return this.cooldowns.get(combinationKey(combination));
  }

  putAccount(row: AccountRow): void {
    this.account = row;
    this.changes.push({ table: "account", row });
  }

  /** Changes an intent, but not its state. Throws INTERNAL if it does. */
  putIntent(row: IntentRow): IntentRow {
    checkIntentKept(this.intents.get(row.id), row);
    return this.storeIntent(row);
  }

  /** The only way to a new intent or another state. Throws INTERNAL if ledger/lifecycle.ts forbids it. */
  moveIntent(move: IntentMove, row: IntentRow): IntentRow {
    checkIntentMove(move, this.intents.get(row.id), row);
    return this.storeIntent(row);
  }

  private storeIntent(row: IntentRow): IntentRow {
    this.intents.set(row.id, row);
    this.changes.push({ table: "intent", row });
    return row;
  }

  /** Deletes for good. Nothing else that money depends on is ever deleted. */
  forgetIntents(intents: readonly string[], { events }: { readonly events: boolean }): void {
    if (intents.length === 0) return;
    for (const id of intents) {
      checkForgettable(id, this.intents.get(id));
      this.intents.delete(id);
    }
    this.changes.push({ table: "forgotten", intents, events });
  }

  /** Changes a deployment, but not its claim, owner or launch. A new one is nobody's. Throws INTERNAL. */
  putDeployment(row: DeploymentRow): DeploymentRow {
    checkClaimKept(this.deployments.get(row.id), row);
    return this.storeDeployment(row);
  }

  /** The only way to another claim or owner. Throws INTERNAL if ledger/lifecycle.ts forbids it. */
  moveDeployment(move: ClaimMove, row: DeploymentRow): DeploymentRow {
    checkClaimMove(move, this.deployments.get(row.id), row);
    return this.storeDeployment(row);
  }

  private storeDeployment(row: DeploymentRow): DeploymentRow {
    this.deployments.set(row.id, row);
    this.changes.push({ table: "deployment", row });
    return row;
  }

  putSlot(row: SlotRow): SlotRow {
    this.slots.set(row.id, row);
    this.changes.push({ table: "slot", row });
    return row;
  }

  putFleet(row: FleetRow): FleetRow {
    this.fleets.set(row.name, row);
    this.changes.push({ table: "fleet", row });
    return row;
  }

  putCooldown(row: CooldownRow): void {
    this.cooldowns.set(combinationKey(row), row);
    this.changes.push({ table: "cooldown", row });
  }

  note(row: EventRow): void {
    this.changes.push({ table: "event", row });
  }
}
