import { createHash } from "node:crypto";
import pRetry from "p-retry";
import { keepsAccount } from "../../../launch/beat.ts";
import { LONGEST_WAIT_MS } from "../../../launch/facts/cooling.ts";
import { note } from "../../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../../launch/keeper.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, type Instant, MINUTE_MS } from "../../../ledger/instant.ts";
import { accountDraft, readDraft } from "../../../ledger/read-draft.ts";
import type { OutboxRow } from "../../../ledger/rows.ts";
import { refusalOf } from "../../ask/exchange.ts";
import type { Target } from "../../fleet/file/notify-settings.ts";
import { storeAlarms } from "./alarms.ts";
import type { Deliver } from "./deliver.ts";
import { heldWholes } from "./held-wholes.ts";
import { messageOf } from "./message.ts";
import { afterBatch, alertOf, newOutbox, nextBatch } from "./outbox.ts";

export interface NotifierOptions {
  readonly keeper: Keeper;
  readonly deliver: Deliver;
  readonly ping: (url: string, signal: AbortSignal) => Promise<void>;
  /** Makes a text fit to leave this process. */
  readonly show: (text: string) => string;
  /** Logs one line about the notifications themselves. */
  readonly say: (text: string, level: "info" | "warn") => void;
  /** Whether others are well, too, of whom a ping tells the same. Default: there are none. */
  readonly mayPing?: (id: string, everyMs: number) => Promise<boolean>;
  /** The attempts for one message and the waits between them, in ms; for tests. */
  readonly retry?: { readonly retries: number; readonly minTimeout: number };
}

type Teller = Exclude<Target, { way: "ping" }>;

/** The wait after all attempts for one message have failed: the target is down for longer. */
const REST_MS = 5 * MINUTE_MS;
const RETRY = { retries: 4, minTimeout: 1_000 };
/** The most events that are read at once. Events before them are not told any more. */
const MOST_EVENTS = 5_000;

/** HTTP's word for: never again. */
const GONE = 410;

/** How long a target that answered so is left alone, in ms. Undefined: another attempt may do. */
function restOf(error: Error): number | undefined {
  const { status = 0, retryAfter } = refusalOf(error) ?? {};
  if (retryAfter !== undefined) return Math.min(retryAfter * 1000, LONGEST_WAIT_MS);
  return status === 429 || status === GONE || (status >= 300 && status < 400) ? REST_MS : undefined;
}

/**
 * Notifies targets, beside the loop and never in its way. What is told follows from the ledger's events and a
 * cursor for each target. Both survive a restart: each event is told at least once. A message keeps its id
 * and content until it was taken: receivers detect repeats by the id. outbox.ts has the rules against storms.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #closing = new AbortController();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #failing = new Map<
    string,
    { readonly error: string; readonly at: Instant; readonly restMs: number | undefined }
  >();
  /** Targets that want nothing more, until this process ends. */
  readonly #ended = new Set<string>();
  readonly #pinged = new Map<string, Instant>();
  /** For each target, the newest event after which there is nothing to tell. */
  readonly #done = new Map<string, number>();
  #targets: readonly Target[] = [];

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** The targets from now on. A new target is told only what happens from now on. */
  set targets(targets: readonly Target[]) {
    this.#targets = targets;
  }

  /**
   * Gives new targets a cursor, forgets targets that are gone, and writes events for states that begin. Await
   * it before events are read. Only the agent that keeps the account forgets: another process may read
   * another fleet file, and what the agent must still tell would be lost.
   */
  async prepare(): Promise<void> {
    const { keeper } = this.#options;
    const { ledger, account } = keeper;
    const newest = (await ledger.events(account, 1))[0]?.sequence ?? 0;
    const seen = await accountDraft(keeper);
    const wholes = await heldWholes(keeper, seen);
    const change = (draft: Draft): Draft => {
      storeAlarms(draft, contextOf(keeper), wholes);
      const before = draft.account.outboxes ?? {};
      const ids = this.#tellers().map(({ id }) => id);
      const kept = keepsAccount(draft, keeper) ? {} : before;
      const mine = ids.map((id) => [id, before[id] ?? newOutbox(newest)] as const);
      const outboxes = { ...kept, ...Object.fromEntries(mine) };
      const has = Object.keys(outboxes);
      if (has.length !== Object.keys(before).length || has.some((id) => !before[id]))
        draft.putAccount({ ...draft.account, outboxes });
      return draft;
    };
    // Mostly there is nothing to write: then the ledger is not locked.
    if (change(seen).changes.length > 0) await ledger.decide(account, change);
  }

  /** Starts what is due, and returns at once. */
  pump(): void {
    const now = this.#options.keeper.clock.now();
    for (const target of this.#tellers()) {
      if (this.#rests(target.id, now, REST_MS)) continue;
      this.#alone(target.id, () => this.#tell(target));
    }
  }

  /** Sends the pings that are due. Called after a round that went well. */
  alive(): void {
    const now = this.#options.keeper.clock.now();
    for (const target of this.#targets) {
      if (target.way !== "ping") continue;
      const last = this.#pinged.get(target.id);
      if ((last && elapsed(last, now) < target.everyMs) || this.#rests(target.id, now, 0)) continue;
      this.#pinged.set(target.id, now);
      const { ping, mayPing } = this.#options;
      this.#alone(target.id, async () => {
        if ((await mayPing?.(target.id, target.everyMs)) !== false)
          await ping(target.url, this.#closing.signal);
      });
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  /** Gives up what is under way: the next process sends its message again. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the agent ends"));
    await this.settled();
  }

  #tellers(): readonly Teller[] {
    return this.#targets.filter((target) => target.way !== "ping");
  }

  /** Whether a target that failed is not asked yet: before the time that it asked for, else before `restMs`. */
  #rests(id: string, now: Instant, restMs: number): boolean {
    const failed = this.#failing.get(id);
    return failed !== undefined && elapsed(failed.at, now) < (failed.restMs ?? restMs);
  }

  /** Does one thing at a time for each target. Logs a failure once, and its end once. */
  #alone(id: string, work: () => Promise<void>): void {
    if (this.#busy.has(id) || this.#ended.has(id) || this.#closing.signal.aborted) return;
    const { keeper, say, show } = this.#options;
    const run = async (): Promise<void> => {
      try {
        await work();
        if (this.#failing.delete(id)) say(`${id}: is reached again`, "info");
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        const text = show(error instanceof Error ? error.message : String(error));
        if (refusalOf(error as Error)?.status === GONE) return await this.#end(id, text);
        if (this.#failing.get(id)?.error !== text) say(`${id}: cannot be told: ${text}`, "warn");
        this.#failing.set(id, { error: text, at: keeper.clock.now(), restMs: restOf(error as Error) });
      }
    };
    const running = run().finally(() => this.#busy.delete(id));
    this.#busy.set(id, running);
  }

  /** Standard Webhooks: 410 ends a target. It is an event, so the other targets are told. */
  async #end(id: string, answered: string): Promise<void> {
    this.#ended.add(id);
    const { keeper, show } = this.#options;
    const text = `${show(id)} ${answered}: it wants nothing more, and is told nothing more until the agent starts anew. Take it out of notify, or give it another address`;
    await keeper.ledger.decide(keeper.account, (draft) => note(draft, contextOf(keeper), "targetGone", text));
  }

  async #tell(target: Teller): Promise<void> {
    const { keeper, deliver } = this.#options;
    for (;;) {
      const due = await this.#next(target);
      if (!due) return;
      const { batch, message } = due;
      if (message) {
        await this.#update(target, (outbox) => ({ ...outbox, sending: batch.to }));
        const { signal } = this.#closing;
        const shouldRetry = ({ error }: { readonly error: Error }) => restOf(error) === undefined;
        const retry = { ...RETRY, ...this.#options.retry, factor: 4, signal, shouldRetry };
        await pRetry(() => deliver(target, message, signal), retry);
      }
      await this.#update(target, (outbox) => afterBatch(outbox, batch, keeper.clock.now().wall));
    }
  }

  async #next(target: Teller) {
    const { keeper, show } = this.#options;
    const { ledger, account, service, clock } = keeper;
    const newest = (await ledger.events(account, 1))[0]?.sequence ?? 0;
    if (this.#done.get(target.id) === newest) return undefined;
    const draft = await readDraft(keeper);
    const outbox = draft.account.outboxes?.[target.id];
    if (!outbox) return undefined;
    const events = [...(await ledger.events(account, MOST_EVENTS, outbox.after))].reverse();
    const alerts = events.flatMap(
      (event) => alertOf(event, draft, (code) => service.isRetryable(code)) ?? [],
    );
    const batch = nextBatch(outbox, alerts, target.kinds, newest, clock.now().wall);
    if (!batch) {
      // Nothing waits for its turn: no need to look before the next event.
      const waits = alerts.some(({ kind }) => target.kinds.includes(kind));
      if (!waits) this.#done.set(target.id, newest);
      return undefined;
    }
    if (batch.alerts.length === 0) return { batch, message: undefined };
    const id = createHash("sha256")
      .update(JSON.stringify([ledger.id, account, target.id, batch.to]))
      .digest("hex")
      .slice(0, 32);
    return { batch, message: messageOf(`fk_${id}`, account, batch.alerts, draft, ledger.id, show) };
  }

  async #update(target: Teller, change: (outbox: OutboxRow) => OutboxRow): Promise<void> {
    const { ledger, account } = this.#options.keeper;
    await ledger.decide(account, (draft) => {
      const { outboxes = {} } = draft.account;
      const outbox = outboxes[target.id];
      if (outbox)
        draft.putAccount({ ...draft.account, outboxes: { ...outboxes, [target.id]: change(outbox) } });
    });
  }
}
