import type { Keeper } from "../../../launch/keeper.ts";
import { here } from "../../../ledger/instant.ts";
import type { AccountRow, ShareRow, TokenRow } from "../../../ledger/rows.ts";
import { openedBy } from "../../orders/held-secret.ts";
import { isTokenSecret } from "../../orders/tokens.ts";
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
  #looked = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #known: Promise<Known> = Promise.resolve({});

  constructor(keeper: Pick<Keeper, "ledger" | "account" | "clock">) {
    this.#keeper = keeper;
  }

  /** The link that this secret opens. Throws what the ledger throws if it cannot be read. */
  async share(secret: string): Promise<ShareRow | undefined> {
    if (!isShareSecret(secret)) return undefined;
    return openedBy(secret, (await this.#all()).shares ?? [], this.#keeper.clock.now());
  }

  /** The token that has this secret. Throws what the ledger throws if it cannot be read. */
  async token(secret: string): Promise<TokenRow | undefined> {
    if (!isTokenSecret(secret)) return undefined;
    return openedBy(secret, (await this.#all()).tokens ?? [], this.#keeper.clock.now());
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
