import type { Combination } from "../service/contract.ts";
import { combinationKey } from "../service/contract.ts";
import { FleetkeeperError } from "../service/errors.ts";
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
import type { Deployments, Intents, Tables } from "./tables.ts";

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

/**
 * What one transaction sees and wants to change. A decision is a function over a draft: it reads rows, puts
 * rows and touches nothing else, so it runs unchanged against SQLite, in the simulation and in the explorer.
 */
export class Draft {
  account: AccountRow;
  readonly intents: Intents;
  readonly deployments: Deployments;
  readonly slots: Map<string, SlotRow>;
  readonly fleets: Map<string, FleetRow>;
  readonly cooldowns: Map<string, CooldownRow>;
  readonly changes: Change[] = [];
  /** Its tables are other readers', too, or its transaction is over. */
  private isReadOnly: boolean;
  /** A row has another sequence number than before, or an older one than rows that were there. */
  isReordered = false;

  /** Over the tables themselves: what is put changes them at once. Read-only: a put throws INTERNAL. */
  constructor(tables: Tables, { isReadOnly = false } = {}) {
    this.account = tables.account;
    this.intents = tables.intents;
    this.deployments = tables.deployments;
    this.slots = tables.slots;
    this.fleets = tables.fleets;
    this.cooldowns = tables.cooldowns;
    this.isReadOnly = isReadOnly;
  }

  cooldown(combination: Combination): CooldownRow | undefined {
    return this.cooldowns.get(combinationKey(combination));
  }

  putAccount(row: AccountRow): void {
    this.change({ table: "account", row });
    this.account = row;
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
    this.change({ table: "intent", row });
    this.intents.set(row.id, row);
    return row;
  }

  /** Deletes for good. Nothing else that money depends on is ever deleted. */
  forgetIntents(intents: readonly string[], { events }: { readonly events: boolean }): void {
    if (intents.length === 0) return;
    for (const id of intents) checkForgettable(id, this.intents.get(id));
    this.change({ table: "forgotten", intents, events });
    for (const id of intents) this.intents.delete(id);
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
    this.change({ table: "deployment", row });
    const { sequence = this.account.sequence } = this.deployments.get(row.id) ?? {};
    this.isReordered ||= row.sequence !== sequence;
    this.deployments.set(row.id, row);
    return row;
  }

  putSlot(row: SlotRow): SlotRow {
    this.change({ table: "slot", row });
    this.slots.set(row.id, row);
    return row;
  }

  putFleet(row: FleetRow): FleetRow {
    this.change({ table: "fleet", row });
    this.fleets.set(row.name, row);
    return row;
  }

  putCooldown(row: CooldownRow): void {
    this.change({ table: "cooldown", row });
    this.cooldowns.set(combinationKey(row), row);
  }

  note(row: EventRow): void {
    this.change({ table: "event", row });
  }

  /** The transaction is over: what is put from now on would be stored nowhere. */
  close(): void {
    this.isReadOnly = true;
  }

  private change(change: Change): void {
    if (this.isReadOnly)
      throw new FleetkeeperError(
        "INTERNAL",
        `a row of the table ${change.table} is put into a draft that is only for reading`,
      );
    this.changes.push(change);
  }
}
