import type { Lease, Leases } from "../lease.ts";
import type { Connections } from "./connections.ts";
import * as sql from "./statements.ts";
import { keyText, nameOf } from "./statements.ts";
import type { Waker } from "./waker.ts";

/** The leases of a ledger in PostgreSQL: each thing is one statement, by the database's clock. */
export function postgresLeases(connections: Connections, waker: Waker): Omit<Leases<never>, "asHolder"> {
  return {
    async take(account, holder, ms, seen) {
      await connections.one(sql.CUT_LEASE, [keyText(account), ms]);
      const values = [keyText(account), holder, ms, seen];
      const [taken] = await connections.one<{ term: string }>(sql.TAKE_LEASE, values);
      return taken && { account, holder, term: Number(taken.term) };
    },

    async renew(leases, ms) {
      const values = [
        leases.map(({ account }) => keyText(account)),
        leases.map(({ holder }) => holder),
        leases.map(({ term }) => term),
        ms,
      ];
      const found = await connections.one<{ place: string; renewed: boolean }>(sql.RENEW_LEASES, values);
      const those = (isRenewed: boolean): readonly Lease[] => {
        const places = new Set(found.filter((each) => each.renewed === isRenewed).map((each) => each.place));
        return leases.filter((_, place) => places.has(String(place + 1)));
      };
      return { renewed: those(true), lost: those(false) };
    },

    async giveBack({ account, holder, term }) {
      await connections.one(sql.GIVE_LEASE_BACK, [keyText(account), holder, term]);
    },

    async look(accounts) {
      const rows = await connections.one<{
        key: string;
        holder: string | null;
        term: string;
        free: boolean;
      }>(sql.LEASES, [accounts.map(keyText)]);
      return new Map(
        rows.map(({ key, holder, term, free }) => [
          nameOf(key),
          { holder, term: Number(term), isFree: free },
        ]),
      );
    },

    onGivenBack: (wake, signal) => waker.onGivenBack(wake, signal),
  };
}
