import { randomBytes } from "node:crypto";
import { MINUTE_MS } from "../../../../ledger/instant.ts";
import type { Json } from "../../../../service/contract/service.ts";
import type { ForeseenKnown } from "../../../json/agent.ts";
import type { LedgerOrder } from "../../../orders/ledger-order.ts";
import type { Order } from "../../../orders/order.ts";

/** One order, as its plan was shown. */
export interface ShownOrder {
  readonly order: Order | LedgerOrder;
  readonly target: string;
  /** As it is sent: with the fleet's version, and with what an adoption may stop. */
  readonly body: Readonly<Record<string, Json>>;
  readonly foreseen: ForeseenKnown;
}

interface Kept {
  /** Whose token asked. */
  readonly owner: string;
  readonly shown: ShownOrder;
  /** Monotonic, in ms. */
  readonly at: number;
  isUsed: boolean;
}

/** So long a person may think about it. */
const LASTS_MS = 10 * MINUTE_MS;
const MOST_KEPT = 200;
/** Of one token: else a program that runs wild would push out what a person thinks about. */
const MOST_OF_ONE = 20;

/**
 * What was shown, by confirmation id: 128 random bits for one order of one token, once, for ten minutes. It is in
 * memory alone: a restart ends all, and nobody who reads a ledger or a backup finds one.
 */
export class Confirmations {
  readonly #kept = new Map<string, Kept>();

  /** Remembers it. Gives its id. */
  show(shown: ShownOrder, owner: string, now: number): string {
    for (const [id, { at }] of this.#kept) if (now - at >= LASTS_MS) this.#kept.delete(id);
    const all = [...this.#kept.keys()];
    const own = all.filter((each) => this.#kept.get(each)?.owner === owner);
    const [oldest] = own.length >= MOST_OF_ONE ? own : all.length >= MOST_KEPT ? all : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    const id = `confirm-${randomBytes(16).toString("hex")}`;
    this.#kept.set(id, { owner, shown, at: now, isUsed: false });
    return id;
  }

  /** Uses it up, whatever comes of it. A text: why it confirms nothing. */
  take(id: string, owner: string, now: number): ShownOrder | string {
    const kept = this.#kept.get(id);
    // Whether another token has such an id is nobody's business.
    if (!kept || kept.owner !== owner || now - kept.at >= LASTS_MS)
      return "this token was given no such confirmation id, or it is over after ten minutes or a restart. Nothing was done: ask for the order again";
    if (kept.isUsed)
      return "this confirmation id was used before. Nothing more was done: getEvents says what came of it";
    kept.isUsed = true;
    return kept.shown;
  }
}
