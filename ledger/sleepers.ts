interface Sleeper {
  /** The account's `wakes` when it was looked at last; undefined: it never was. */
  seen: number | undefined;
  readonly wake: () => void;
}

/** Who waits in which account of a ledger until somebody leaves them something to do; see `Ledger.onWake`. */
export class Sleepers {
  readonly #sleepers = new Map<string, Set<Sleeper>>();

  /** `over`: called when the signal has ended it. */
  add(account: string, wake: () => void, signal: AbortSignal, over: () => void = () => undefined): void {
    const sleeper: Sleeper = { seen: undefined, wake };
    const others = this.#sleepers.get(account) ?? new Set();
    this.#sleepers.set(account, others.add(sleeper));
    signal.addEventListener("abort", () => {
      others.delete(sleeper);
      if (others.size === 0 && this.#sleepers.get(account) === others) this.#sleepers.delete(account);
      over();
    });
  }

  /** The accounts that somebody waits in. */
  get accounts(): readonly string[] {
    return [...this.#sleepers.keys()];
  }

  /** What an account's row says now. Wakes whoever has seen another number before. */
  look(account: string, wakes: number): void {
    for (const sleeper of this.#sleepers.get(account) ?? []) {
      const { seen } = sleeper;
      sleeper.seen = wakes;
      if (seen !== undefined && seen !== wakes) sleeper.wake();
    }
  }
}
