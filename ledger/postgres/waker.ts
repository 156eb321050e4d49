import { setTimeout as sleep } from "node:timers/promises";
import { Sleepers } from "../sleepers.ts";
import type { Address } from "./address.ts";
import type { Connections } from "./connections.ts";
import { type HearingTimes, Listener } from "./listener.ts";
import { GIVEN_BACK, keyText, nameOf, WAKES } from "./statements.ts";

/** In milliseconds. */
export interface WakingTimes extends HearingTimes {
  /** Between two looks, where notifications are heard, and where they are not. */
  readonly look: { readonly hearing: number; readonly deaf: number };
}

/**
 * Wakes those who wait in accounts of a ledger, or for one. It looks at their `wakes` with one statement for all of them: at
 * each notification, and from time to time without any, more often if none can be heard.
 */
export class Waker {
  readonly #connections: Connections;
  readonly #times: WakingTimes;
  readonly #sleepers = new Sleepers();
  readonly #standbys = new Set<() => void>();
  readonly #listener: Listener;
  #over: AbortController | undefined;
  #ring: () => void = () => undefined;
  #isRung = false;

  constructor(connections: Connections, address: Address, times: WakingTimes) {
    this.#connections = connections;
    this.#times = times;
    this.#listener = new Listener(address, connections.hosts, times, (text) => {
      if (text !== "") for (const wake of this.#standbys) wake();
      if (text === GIVEN_BACK) return;
      this.#isRung = true;
      this.#ring();
    });
  }

  /** Wakes at each lease that is given back, for as long as it can be heard. */
  onGivenBack(wake: () => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#standbys.add(wake);
    signal.addEventListener("abort", () => {
      this.#standbys.delete(wake);
      this.#closeIfIdle();
    });
    this.#open();
  }

  async add(account: string, wake: () => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#sleepers.add(account, wake, signal, () => this.#closeIfIdle());
    await this.#look();
    if (!signal.aborted) this.#open();
  }

  #open(): void {
    if (this.#over) return;
    this.#over = new AbortController();
    void this.#listener.run(this.#over.signal);
    void this.#lookOn(this.#over.signal);
  }

  #closeIfIdle(): void {
    if (this.#sleepers.accounts.length + this.#standbys.size === 0) this.close();
  }

  close(): void {
    this.#over?.abort();
    this.#over = undefined;
  }

  async #lookOn(over: AbortSignal): Promise<void> {
    const { hearing, deaf } = this.#times.look;
    while (!over.aborted) {
      if (!this.#isRung) {
        const rung = new AbortController();
        this.#ring = () => rung.abort();
        const signal = AbortSignal.any([over, rung.signal]);
        const ms = this.#listener.hears ? hearing : deaf;
        await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
      }
      this.#isRung = false;
      if (!over.aborted) await this.#look();
    }
  }

  /** It comes to nothing while the server is away: then the next look finds it. */
  async #look(): Promise<void> {
    const accounts = this.#sleepers.accounts.map(keyText);
    if (accounts.length === 0) return;
    const found = await this.#connections
      .ask<{ key: string; wakes: string }>(WAKES, [accounts])
      .catch(() => []);
    for (const { key, wakes } of found) this.#sleepers.look(nameOf(key), Number(wakes));
  }
}
