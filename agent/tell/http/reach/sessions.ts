import { createHash, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { HOUR_MS } from "../../../../ledger/instant.ts";
import type { Actor } from "../../../orders/actor.ts";
import { isHttps } from "./origin.ts";

/** What was just done, for whoever did it. */
export interface Said {
  readonly text: string;
  /** The page that takes it back. */
  readonly undo?: string | undefined;
  /** Monotonic, in milliseconds. */
  readonly until: number;
}

/** One sign-in in one browser. */
export interface Session {
  readonly actor: Actor;
  /** Each form of a page has it. */
  readonly csrf: string;
  /** Monotonic, in milliseconds. */
  readonly until: number;
  said?: Said;
}

export const SESSION_MS = 8 * HOUR_MS;
/** A line of what was done outlasts the page's reloads, which come every 15 s without scripts. */
const SAID_MS = 60_000;
/** Of one account. Whoever opens more has a token, and ends the oldest. */
const MOST_SESSIONS = 200;

/** Who has signed in on the pages of one account. It is in memory alone: a restart ends all. */
export class Sessions {
  readonly #name: string;
  readonly #mono: () => number;
  readonly #isStill: (actor: Actor) => Promise<boolean>;
  /** By the digest of the cookie: how long a look takes tells nothing of one. */
  readonly #open = new Map<string, Session>();

  /** `account`: a text that no other account on this host has. Cookies go to all ports, and behind a proxy to all folders. */
  constructor(account: string, mono: () => number, isStill: (actor: Actor) => Promise<boolean>) {
    this.#name = `fleetkeeper-${digest(account).slice(0, 12)}`;
    this.#mono = mono;
    this.#isStill = isStill;
  }

  /** Gives the cookie. */
  begin(c: Context, actor: Actor): string {
    const id = randomBytes(32).toString("base64url");
    this.#forget(c);
    this.#open.set(digest(id), {
      actor,
      csrf: randomBytes(32).toString("base64url"),
      until: this.#mono() + SESSION_MS,
    });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_SESSIONS && oldest !== undefined) this.#open.delete(oldest);
    return this.#cookie(c, id);
  }

  /** Undefined: there is none, or it is over. Throws what the ledger throws if it cannot be read. */
  async of(c: Context): Promise<Session | undefined> {
    const id = this.#sent(c);
    const session = id === undefined ? undefined : this.#open.get(digest(id));
    if (!session) return undefined;
    if (this.#mono() < session.until && (await this.#isStill(session.actor))) return session;
    this.#forget(c);
    return undefined;
  }

  /** Whether this browser had one, maybe one that is over. */
  isNamedIn(c: Context): boolean {
    return this.#sent(c) !== undefined;
  }

  /** Gives the cookie that takes it back. */
  end(c: Context): string {
    this.#forget(c);
    return `${this.#cookie(c, "")}; Max-Age=0`;
  }

  say(session: Session, text: string, undo: string | undefined): void {
    session.said = { text, undo, until: this.#mono() + SAID_MS };
  }

  saidTo({ said }: Session): Said | undefined {
    return said && this.#mono() < said.until ? said : undefined;
  }

  #sent(c: Context): string | undefined {
    return getCookie(c, this.#nameOn(c));
  }

  #forget(c: Context): void {
    const id = this.#sent(c);
    if (id !== undefined) this.#open.delete(digest(id));
  }

  /** With the prefix, no other name of the domain can set it; browsers take it by TLS alone. */
  #nameOn(c: Context): string {
    return `${isHttps(c) ? "__Host-" : ""}${this.#name}`;
  }

  #cookie(c: Context, value: string): string {
    return `${this.#nameOn(c)}=${value}; Path=/; HttpOnly; SameSite=Strict${isHttps(c) ? "; Secure" : ""}`;
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
