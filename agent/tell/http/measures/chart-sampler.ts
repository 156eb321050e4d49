import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import type { History, Stretch } from "../../../../ledger/chart-history.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { DAY_MS, MINUTE_MS } from "../../../../ledger/instant.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { isOver } from "../../../fleet/declare/fleets.ts";
import { storeBudgetAlerts } from "../../../fleet/money/budget-alerts.ts";
import { moneyOf } from "../../../fleet/money/money.ts";
import { BALANCE_MS, readBalance } from "../../../fleet/money/read-balance.ts";
import { storeRunway } from "../../../fleet/money/runway.ts";
import { count } from "../../../planning/count/count.ts";
import { wishInForce } from "../../../planning/count/wish-in-force.ts";

const KEEP_MS = 30 * DAY_MS;
/** How often an unchanged stretch is written again. A chart shows a gap where none was for 5 minutes. */
const CONFIRM_MS = 4 * MINUTE_MS;
/** After a change, the balance is read sooner than usual. */
const BALANCE_AFTER_CHANGE_MS = MINUTE_MS;

/**
 * Keeps the time series of the charts: it writes what changed after each tick. No decision depends on it. Its
 * errors are ignored: the loop meets the same ledger and the same service, and reports.
 */
export class ChartSampler {
  readonly #keeper: Keeper;
  readonly #history: History;
  readonly #onRecovery: (recovery: Recovery) => void;
  readonly #recoveries = new Recoveries();
  #last: Stretch | undefined;
  #begun = false;
  #changedSinceBalance = true;

  constructor(keeper: Keeper, history: History, onRecovery: (recovery: Recovery) => void) {
    this.#keeper = keeper;
    this.#history = history;
    this.#onRecovery = onRecovery;
  }

  /** The fleets that lost machines and are still below their count; since when, wall time in ms. */
  get short(): ReadonlyMap<string, number> {
    return this.#recoveries.short;
  }

  /** Records the present state. One call at a time. */
  async record(signal: AbortSignal): Promise<void> {
    if (!this.#begun) await this.#goOn();
    await this.#write();
    if (await this.#readBalance(signal)) await this.#write();
    const { ledger, account } = this.#keeper;
    await ledger.decide(account, (draft) => {
      storeRunway(draft, contextOf(this.#keeper));
      storeBudgetAlerts(draft, contextOf(this.#keeper));
    });
  }

  /** After a restart, the last stretch goes on, and a fleet that was short is still short. */
  async #goOn(): Promise<void> {
    const { ledger, account, clock, settings } = this.#keeper;
    const now = (await ledger.read(account)) && clock.now().wall;
    const stored = await this.#history.stretches(account, now - DAY_MS);
    for (const stretch of stored) this.#recoveries.follow(stretch);
    const newest = stored.at(-1);
    if (newest && now - newest.until < 4 * settings.poll + CONFIRM_MS) this.#last = newest;
    this.#begun = true;
  }

  async #write(): Promise<void> {
    const { account, clock } = this.#keeper;
    const draft = await readDraft(this.#keeper);
    const now = clock.now().wall;
    const next = { at: now, until: now, ...this.#state(draft) };
    const last = this.#last;
    const put = (row: Stretch): Promise<void> => this.#history.putStretch(account, row, now - KEEP_MS);
    if (last && last.at <= now && isSame(last, next)) {
      if (now - last.until < CONFIRM_MS) return;
      this.#last = { ...last, until: now };
      await put(this.#last);
      return;
    }
    for (const recovery of this.#recoveries.follow(next)) this.#onRecovery(recovery);
    this.#changedSinceBalance ||= !last || !isSame({ ...last, balance: next.balance }, next);
    if (last && last.until < now && last.at < now) await put({ ...last, until: now });
    this.#last = next;
    await put(next);
  }

  #state(draft: Draft): Omit<Stretch, "at" | "until"> {
    const { balance, perHour, unpriced } = moneyOf(draft);
    const context = contextOf(this.#keeper);
    const fleets = [...draft.fleets.values()].filter((fleet) => !isOver(draft, fleet));
    return {
      balance: balance?.toFixed(4) ?? null,
      perHour: unpriced > 0 ? null : perHour.toFixed(4),
      fleets: Object.fromEntries(
        fleets.map((fleet) => {
          const { running, starting } = count(draft, fleet, context);
          return [fleet.name, [wishInForce(draft, fleet, context).gpus, running, starting] as const];
        }),
      ),
    };
  }

  /** Gives true if the balance was read. */
  async #readBalance(signal: AbortSignal): Promise<boolean> {
    const ms = this.#changedSinceBalance ? BALANCE_AFTER_CHANGE_MS : BALANCE_MS;
    const isRead = await readBalance(this.#keeper, ms, signal);
    if (isRead) this.#changedSinceBalance = false;
    return isRead;
  }
}

function isSame(one: Stretch, other: Stretch): boolean {
  return (
    one.balance === other.balance &&
    one.perHour === other.perHour &&
    JSON.stringify(one.fleets) === JSON.stringify(other.fleets)
  );
}

export interface Recovery {
  readonly fleet: string;
  readonly ms: number;
}

/**
 * Measures how long a fleet is below its count after a loss. It begins when fewer GPUs run than are asked for
 * and than ran before. It ends when enough run again. A fleet that grows does not recover.
 * @internal Exported for its test.
 */
export class Recoveries {
  readonly #since = new Map<string, number>();
  #before: Stretch["fleets"] = {};

  /** Takes the next stretch. Gives the fleets that recovered by it. */
  follow({ at, fleets }: Pick<Stretch, "at" | "fleets">): readonly Recovery[] {
    const recovered: Recovery[] = [];
    for (const [fleet, [asked, running]] of Object.entries(fleets)) {
      const since = this.#since.get(fleet);
      if (running >= asked) {
        if (since !== undefined) recovered.push({ fleet, ms: Math.max(0, at - since) });
        this.#since.delete(fleet);
      } else if (since === undefined && running < (this.#before[fleet]?.[1] ?? 0)) {
        this.#since.set(fleet, at);
      }
    }
    for (const fleet of this.#since.keys()) if (!(fleet in fleets)) this.#since.delete(fleet);
    this.#before = fleets;
    return recovered;
  }

  /** Since when each fleet that has not recovered is below its count, wall time in ms. */
  get short(): ReadonlyMap<string, number> {
    return this.#since;
  }
}
