import type { Keeper } from "../../../launch/keeper.ts";
import { here } from "../../../ledger/instant.ts";
import type { ShareRow } from "../../../ledger/rows.ts";
import { isShareSecret, shareBy } from "./share.ts";

/** The ledger is asked for the links at most so often. A link that was made or ended counts so late. */
const KNOWN_FOR_MS = 1000;

/**
 * The share links of one account, for whoever knocks. Anybody who reaches the port may ask, and a look at a
 * ledger may take a turn that the account's decisions wait for. So what has not the form of a secret is not
 * looked up, and all others share one look a second. A look that failed counts as long.
 */
export class OpenShares {
  readonly #keeper: Pick<Keeper, "ledger" | "account" | "clock">;
  #looked = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #known: Promise<readonly ShareRow[]> = Promise.resolve([]);

  constructor(keeper: Pick<Keeper, "ledger" | "account" | "clock">) {
    this.#keeper = keeper;
  }

  /** The link that this secret opens. Throws what the ledger throws if it cannot be read. */
  async by(secret: string): Promise<ShareRow | undefined> {
    if (!isShareSecret(secret)) return undefined;
    const shares = await this.#all();
    return shareBy(secret, { shares }, this.#keeper.clock.now());
  }

  #all(): Promise<readonly ShareRow[]> {
    const now = here(this.#keeper.clock).mono;
    if (this.#isLooking || now - this.#looked < KNOWN_FOR_MS) return this.#known;
    this.#looked = now;
    this.#isLooking = true;
    this.#known = this.#look().finally(() => {
      this.#isLooking = false;
    });
    return this.#known;
  }

  async #look(): Promise<readonly ShareRow[]> {
    const { ledger, account } = this.#keeper;
    const { account: row } = await ledger.read(account);
    return row.shares ?? [];
  }
}
