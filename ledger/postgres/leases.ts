import type { Lease, LeaseState, Leases } from "../lease.ts";
import type { Connections } from "./connections.ts";
import * as sql from "./statements.ts";
import { keyText, nameOf } from "./statements.ts";

/** The leases of a ledger in PostgreSQL: each thing is one statement, by the database's clock. */
export class PostgresLeases implements Omit<Leases<never>, "asHolder"> {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async take(account: string, holder: string, ms: number, seen: number): Promise<Lease | undefined> {
    const values = [keyText(account), holder, ms, seen];
    const [taken] = await this.#connections.one<{ term: string }>(sql.TAKE_LEASE, values);
    return taken && { account, holder, term: Number(taken.term) };
  }

  async renew(leases: readonly Lease[], ms: number): Promise<readonly Lease[]> {
    const values = [
      leases.map(({ account }) => keyText(account)),
      leases.map(({ holder }) => holder),
      leases.map(({ term }) => term),
      ms,
    ];
    const renewed = await this.#connections.one<{ key: string }>(sql.RENEW_LEASES, values);
    const keys = new Set(renewed.map(({ key }) => nameOf(key)));
    return leases.filter(({ account }) => keys.has(account));
  }

  async giveBack({ account, holder, term }: Lease): Promise<void> {
    await this.#connections.one(sql.GIVE_LEASE_BACK, [keyText(account), holder, term]);
  }

  async look(): Promise<ReadonlyMap<string, LeaseState>> {
    const rows = await this.#connections.one<{
      key: string;
      holder: string | null;
      term: string;
      free: boolean;
    }>(sql.LEASES, []);
    return new Map(
      rows.map(({ key, holder, term, free }) => [nameOf(key), { holder, term: Number(term), isFree: free }]),
    );
  }
}
