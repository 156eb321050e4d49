import { type Combination, combinationKey } from "../service/contract/contract.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Archive } from "./archive.ts";
import { keepDeployment, keepIntent, keepShares } from "./kept.ts";
import {
  type ClaimMove,
  checkClaimKept,
  checkClaimMove,
  checkFleet,
  checkForgettable,
  checkIntentKept,
  checkIntentMove,
  type IntentMove,
} from "./lifecycle.ts";
import type {
  AccountRow,
  Archived,
  CooldownRow,
  DeploymentRow,
  EventRow,
  FleetRow,
  IntentRow,
  Owner,
  RowOf,
  SlotRow,
} from "./rows.ts";
import { archiveIn, type Deployments, type Intents, type Tables } from "./tables.ts";
import { unsound } from "./unsound.ts";

/**
 * A row to put in place of the one with its key; intents to forget (`events`: their events, too); a machine and
 * its launch to archive, or to bring back.
 */
export type Change =
  | { [T in keyof RowOf]: { readonly table: T; readonly row: RowOf[T] } }[keyof RowOf]
  | { readonly table: "forgotten"; readonly intents: readonly string[]; readonly events: boolean }
  | ArchiveChange;

/** `intent`: null if nobody here launched the machine. `archived`: null brings both back. */
export interface ArchiveChange {
  readonly table: "archived";
  readonly id: string;
  readonly intent: string | null;
  readonly archived: Archived | null;
}

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
  readonly archive: Archive;
  readonly changes: Change[] = [];
  /** Launches that have another state than before, with whether they are new, and machines that have another claim, by their last move. See ledger/agreed.ts. */
  readonly moved = { intents: new Map<string, boolean>(), deployments: new Map<string, ClaimMove>() };
  /** Where the account's row stands among the changes. */
  private accountAt: number | undefined;
  /** Its tables are other readers', too, or its transaction is over. */
  private isReadOnly: boolean;
  /** The account's row and events may be put all the same: they are the draft's own. */
  private readonly isForAccount: boolean;
  /** A row has another sequence number than before, or an older one than rows that were there. */
  isReordered = false;
  /** A launch came back from the archive, and stands behind all others until the rows are loaded anew. */
  isRecalled = false;

  /**
   * Over the tables themselves: what is put changes them at once. Read-only: a put throws INTERNAL. Also for the
   * account: unless it is the account's row or an event, which change no table.
   */
  constructor(tables: Tables, { isReadOnly = false, isForAccount = false } = {}) {
    this.account = tables.account;
    this.intents = tables.intents;
    this.deployments = tables.deployments;
    this.slots = tables.slots;
    this.fleets = tables.fleets;
    this.cooldowns = tables.cooldowns;
    this.archive = tables.archive;
    this.isReadOnly = isReadOnly;
    this.isForAccount = isForAccount;
  }

  cooldown(combination: Combination): CooldownRow | undefined {
    return this.cooldowns.get(combinationKey(combination));
  }

  putAccount(row: AccountRow): void {
    if (row.sequence < this.account.sequence)
      unsound(
        "baseline",
        `the newest machine's number would be ${row.sequence} after ${this.account.sequence}`,
      );
    this.change({ table: "account", row });
    this.account = row;
  }

  /** Changes an intent, but not its state. Throws UNSOUND if it does. */
  putIntent(row: IntentRow): IntentRow {
    const before = this.intents.ever(row.id);
    checkIntentKept(before, row);
    return this.storeIntent(before, row);
  }

  /** The only way to a new intent or another state. Throws UNSOUND if ledger/lifecycle.ts forbids it. */
  moveIntent(move: IntentMove, row: IntentRow): IntentRow {
    const before = this.intents.ever(row.id);
    checkIntentMove(move, before, row);
    this.moved.intents.set(row.id, move === "admit");
    return this.storeIntent(before, row);
  }

  private storeIntent(before: IntentRow | undefined, row: IntentRow): IntentRow {
    keepIntent(before, row);
    if (before && !this.intents.has(row.id)) this.recallLaunch(row.id);
    this.change({ table: "intent", row });
    this.intents.set(row.id, row);
    return row;
  }

  /** Deletes for good. Nothing else that money depends on is ever deleted. */
  forgetIntents(intents: readonly string[], { events }: { readonly events: boolean }): void {
    if (intents.length === 0) return;
    for (const id of intents) checkForgettable(id, this.intents.ever(id));
    this.change({ table: "forgotten", intents, events });
    for (const id of intents) this.intents.delete(id);
  }

  /** Changes a deployment, but not its claim, owner or launch. A new one is nobody's. Throws UNSOUND. */
  putDeployment(row: DeploymentRow): DeploymentRow {
    const before = this.deployments.ever(row.id);
    checkClaimKept(before, row);
    return this.storeDeployment(before, row);
  }

  /** The only way to another claim or owner. Throws UNSOUND if ledger/lifecycle.ts forbids it. */
  moveDeployment(move: ClaimMove, row: DeploymentRow): DeploymentRow {
    const before = this.deployments.ever(row.id);
    checkClaimMove(move, before, row);
    this.moved.deployments.set(row.id, move);
    return this.storeDeployment(before, row);
  }

  private storeDeployment(before: DeploymentRow | undefined, row: DeploymentRow): DeploymentRow {
    keepDeployment(this, before, row);
    this.recall(row.id);
    this.change({ table: "deployment", row });
    const { sequence = this.account.sequence } = before ?? {};
    this.isReordered ||= row.sequence !== sequence;
    this.deployments.set(row.id, row);
    return row;
  }

  /**
   * Archives a machine that has ended, with the launch that made it: no rule meets them from now on, unless it
   * asks for them by their ids. launch/list/archive.ts says when that changes nothing. Archive last: until the
   * transaction is stored, the ids lead to the rows as they were before it.
   */
  archiveMachine({ id, intent }: DeploymentRow, archived: Archived): void {
    this.change({ table: "archived", id, intent, archived });
    archiveIn(this, id, intent, archived);
  }

  /** Brings a machine back from the archive, with its launch, before anything of them changes. */
  recall(id: string): void {
    const pair = this.archive.pair(id);
    if (!pair) return;
    const { row, intent, archived } = pair;
    this.change({ table: "archived", id, intent: intent?.id ?? null, archived: null });
    this.archive.remove(id, archived);
    this.deployments.bringBack(id, row);
    if (intent) this.intents.bringBack(intent.id, intent);
    this.isReordered = true;
    this.isRecalled = true;
  }

  /** Takes a launch and its machine out of the archive. */
  recallLaunch(intent: string): void {
    const pair = this.intents.has(intent) ? undefined : this.archive.pairOf(intent);
    if (pair) this.recall(pair.row.id);
  }

  /** Takes all machines of an owner out of the archive. */
  recallAll(owner: Owner): void {
    for (const id of this.archive.idsOf(owner)) this.recall(id);
  }

  putSlot(row: SlotRow): SlotRow {
    this.change({ table: "slot", row });
    this.slots.set(row.id, row);
    return row;
  }

  /** Throws UNSOUND for an illegal change of its state. */
  putFleet(row: FleetRow): FleetRow {
    const before = this.fleets.get(row.name);
    checkFleet(before, row);
    keepShares(before, row);
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
    const isOwn = this.isForAccount && (change.table === "account" || change.table === "event");
    if (this.isReadOnly && !isOwn)
      throw new FleetkeeperError(
        "INTERNAL",
        `a row of the table ${change.table} is put into a draft that is only for reading`,
      );
    if (change.table === "account") {
      // One row is stored of it, the newest: each new machine puts one.
      if (this.accountAt !== undefined) {
        this.changes[this.accountAt] = change;
        return;
      }
      this.accountAt = this.changes.length;
    }
    this.changes.push(change);
  }
}
