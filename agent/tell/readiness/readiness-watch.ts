import type { Keeper } from "../../../launch/keeper.ts";
import { contextOf } from "../../../launch/keeper.ts";
import type { Instant } from "../../../ledger/instant.ts";
import { elapsed, MINUTE_MS } from "../../../ledger/instant.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import type { CheckedFleet, Finding } from "../../planning/readiness.ts";
import { keptFleets, replaceUnready, running, storeCheck } from "../../planning/readiness.ts";
import type { Check } from "./check.ts";

/** A ready machine is checked again after this time. One that is not ready is checked after each tick. */
const AGAIN_MS = MINUTE_MS;
const MOST_AT_ONCE = 16;

/** Checks running machines, beside the loop and never in its way. One round at a time. */
export class ReadinessWatch {
  readonly #keeper: Keeper;
  readonly #check: Check;
  readonly #show: (text: string) => string;
  readonly #closing = new AbortController();
  /** When this process last checked each machine, and since when all its checks have failed. */
  readonly #seen = new Map<string, { readonly at: Instant; readonly failingSince: Instant | undefined }>();
  #round: Promise<void> | undefined;

  /** `show` makes a text fit to be kept and shown. */
  constructor(keeper: Keeper, check: Check, show: (text: string) => string) {
    this.#keeper = keeper;
    this.#check = check;
    this.#show = show;
  }

  /** Starts what is due, and returns at once. */
  pump(): void {
    if (this.#round || this.#closing.signal.aborted) return;
    // Errors are ignored: the loop meets the same ledger and reports.
    this.#round = this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#round = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#round;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the agent ends"));
    await this.settled();
  }

  async #look(): Promise<void> {
    const { ledger, account, clock } = this.#keeper;
    const draft = await readDraft(this.#keeper);
    const all = keptFleets(draft, contextOf(this.#keeper)).flatMap((fleet) =>
      running(draft, fleet.name).map((row) => ({ fleet, row })),
    );
    const ids = new Set(all.map(({ row }) => row.id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    const due = all.filter(({ row }) => {
      const seen = this.#seen.get(row.id);
      return !seen || !row.ready?.ok || elapsed(seen.at, clock.now()) >= AGAIN_MS;
    });
    if (due.length === 0) return;
    const findings = await this.#checkAll(due);
    if (this.#closing.signal.aborted) return;
    const at = clock.now();
    for (const [id, finding] of findings) {
      const failingSince = finding === undefined ? undefined : (this.#seen.get(id)?.failingSince ?? at);
      this.#seen.set(id, { at, failingSince });
    }
    await ledger.decide(account, (now) => {
      const context = contextOf(this.#keeper);
      for (const [id, finding] of findings) storeCheck(now, id, finding, context);
      const failing = new Map(
        [...findings.keys()].flatMap((id) => {
          const since = this.#seen.get(id)?.failingSince;
          return since ? [[id, since] as const] : [];
        }),
      );
      // A list that is not believed does not say what runs: then nothing is stopped.
      if (now.account.doubt === null) replaceUnready(now, failing, context);
    });
  }

  async #checkAll(
    due: readonly { readonly fleet: CheckedFleet; readonly row: DeploymentRow }[],
  ): Promise<ReadonlyMap<string, Finding>> {
    const findings = new Map<string, Finding>();
    const queue = [...due];
    const { signal } = this.#closing;
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
        const finding = await this.#check(next.fleet, next.row, signal);
        findings.set(next.row.id, finding === undefined ? undefined : this.#show(finding));
      }
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, worker));
    return findings;
  }
}
