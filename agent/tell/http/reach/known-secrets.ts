import type { Keeper } from "../../../../launch/keeper.ts";
import { here } from "../../../../ledger/instant.ts";
import type { AccountRow, ShareRow } from "../../../../ledger/rows.ts";
import { type Actor, actorOf, isStill } from "../../../orders/actor.ts";
import { openedBy } from "../../../orders/held-secret.ts";
import type { NotTaken, OidcTokens } from "../../../orders/oidc.ts";
import { isTokenSecret } from "../../../orders/tokens.ts";
import { isShareSecret } from "./share.ts";

/** The ledger is asked for them at most so often. What was made or ended counts so late for who only reads. */
const KNOWN_FOR_MS = 1000;

type Known = Pick<AccountRow, "shares" | "tokens">;

/**
 * The share links and tokens of one account, for whoever knocks. Anybody who reaches the port may ask, and a look at a
 * ledger may take a turn that the account's decisions wait for. So what has not the form of a secret is not
 * looked up, and all others share one look a second. A look that failed counts as long.
 */
export class KnownSecrets {
  readonly #keeper: Pick<Keeper, "ledger" | "account" | "clock">;
  readonly #oidc: OidcTokens | undefined;
  #looked = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #known: Promise<Known> = Promise.resolve({});

  constructor(keeper: Pick<Keeper, "ledger" | "account" | "clock">, oidc?: OidcTokens) {
    this.#keeper = keeper;
    this.#oidc = oidc;
  }

  /** The link that this secret opens. Throws what the ledger throws if it cannot be read. */
  async share(secret: string): Promise<ShareRow | undefined> {
    if (!isShareSecret(secret)) return undefined;
    return openedBy(secret, (await this.#all()).shares ?? [], this.#keeper.clock.now());
  }

  /** Who has this secret: a token of the ledger's, or of an issuer that is trusted. Throws as `share` does. */
  async actor(secret: string): Promise<Actor | NotTaken | undefined> {
    if (!isTokenSecret(secret)) return this.#oidc?.actorOf(secret);
    const token = openedBy(secret, (await this.#all()).tokens ?? [], this.#keeper.clock.now());
    return token && actorOf(token);
  }

  /** Whether it is a token's or a share link's. Throws as `share` does. */
  async isKnown(secret: string): Promise<boolean> {
    const actor = await this.actor(secret);
    return (actor && !("refused" in actor)) || (await this.share(secret)) !== undefined;
  }

  /** Whether who has signed in still is what the token said. Throws as `share` does. */
  async isStill(actor: Actor): Promise<boolean> {
    return isStill(actor, { account: await this.#all() }, this.#keeper.clock.now());
  }

  #all(): Promise<Known> {
    const now = here(this.#keeper.clock).mono;
    if (this.#isLooking || now - this.#looked < KNOWN_FOR_MS) return this.#known;
    this.#looked = now;
    this.#isLooking = true;
    this.#known = this.#look().finally(() => {
      this.#isLooking = false;
    });
    return this.#known;
  }

  async #look(): Promise<Known> {
    const { ledger, account } = this.#keeper;
    return (await ledger.read(account)).account;
  }
}
