import type { Ledger } from "../../ledger/ledger.ts";
import type { Json } from "../../service/contract/service.ts";
import type { Order, OrderContext } from "./order.ts";

/** A fleet of one account that an order is given to: one that it keeps alone, or its part of one that several keep. Of a file: that, in one account. */
export interface OrderedPart {
  readonly account: string;
  readonly fleet: string;
  /** The fleet in several services. Of one that an account keeps alone: itself. */
  readonly of: string;
  /** As its declaration calls it. Null: an account keeps the fleet alone. */
  readonly service: string | null;
  /** What it is given, where that is not what each is. */
  readonly order?: Order;
  /** What it is given before any part is given that. */
  readonly first?: Order;
}

/** What may be ordered about all parts of a fleet at once, in whatever accounts of the ledger these are. */
export interface LedgerOrder extends Pick<Order, "name" | "needs" | "says" | "input" | "goesOn" | "method"> {
  readonly about: "fleet" | "service" | "file";
  /** What each part is given. */
  readonly each: Order;
  /** What each of several is given before any of them is given that. */
  readonly first?: Order;
  /** Empty: there is no such thing. Throws CONFIG where there is none of this kind. */
  partsOf(
    accounts: Pick<Accounts, "ledger" | "kept">,
    target: string,
    input: Readonly<Record<string, Json>>,
  ): Promise<readonly OrderedPart[]>;
  /** Throws CONFIG where it may not be begun. What was done before with its key is not asked. */
  refuse?(ledger: Ledger, target: string, parts: readonly OrderedPart[]): Promise<void>;
}

/** Where the parts are. */
export interface Accounts {
  readonly ledger: Ledger;
  /** What the agent that is asked keeps. Undefined: none is asked, and no file is declared. */
  readonly kept?: () => Promise<KeptAccounts>;
  context(isDry: boolean): OrderContext;
  /** False: another agent's, which has not let in whoever has no token of the ledger's. */
  isOwn(account: string): boolean;
}

/** The accounts of an agent, by their services, in the order of its file. The only service of an agent has no name. */
export type KeptAccounts = ReadonlyMap<
  string,
  {
    /** Undefined: it was never open, so nobody can write there. */
    readonly account: string | undefined;
    readonly gpuModels: Readonly<Record<string, readonly string[]>>;
  }
>;
