import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { History, Stretch } from "../../ledger/chart-history.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Lease } from "../../ledger/lease.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { ANNE } from "./contract.ts";
import { marketOf } from "./market-contract.ts";
import { sampleOf } from "./sample-contract.ts";

/** A ledger whose leases a test can end. */
export interface LeasedLedger {
  readonly ledger: Ledger & History;
  /** Has the account's lease be over, as if its time had passed. */
  readonly expire: () => Promise<void>;
  /** Has the ledger be as it was when this lease was taken: what was committed since is lost. */
  readonly restore: (lease: Lease) => Promise<void>;
}

const LONG = 60_000;
const STRETCH: Stretch = { at: 1, until: 2, balance: null, perHour: null, fleets: {} };

/** What the leases of every ledger must keep that has them. */
export function leaseContract(name: string, open: () => Promise<LeasedLedger>): void {
  describe(name, () => {
    let on: LeasedLedger;
    let anne: string;
    const leases = () => on.ledger.leases!;
    const take = (holder: string, seen = 0) => leases().take(anne, holder, LONG, seen);
    const renew = (...held: Lease[]) => leases().renew(held, LONG);
    const count = (draft: Draft): number => {
      const sequence = draft.account.sequence + 1;
      draft.putAccount({ ...draft.account, sequence });
      return sequence;
    };
    const counted = async () => (await on.ledger.read(anne)).account.sequence;
    beforeEach(async () => {
      on = await open();
      onTestFinished(() => on.ledger.close());
      anne = await on.ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    });

    it("gives a free lease to whoever comes first, and to nobody else before it is over", async () => {
      const first = await take("one");
      expect(first).toMatchObject({ account: anne, holder: "one" });
      expect(await take("two")).toBeUndefined();
      expect((await leases().look([anne])).get(anne)).toEqual({
        holder: "one",
        term: first?.term,
        isFree: false,
      });
      await on.expire();
      expect((await leases().look([anne])).get(anne)).toMatchObject({ holder: "one", isFree: true });
      const second = await take("two");
      expect(second?.term).toBeGreaterThan(Number(first?.term));
      expect(await take("one")).toBeUndefined();
    });

    it("knows no lease of an account that nobody has kept", async () => {
      expect(await leases().look([anne])).toEqual(new Map());
    });

    it("is looked at where it is asked for", async () => {
      await take("one");
      expect(await leases().look([])).toEqual(new Map());
      expect(await leases().look(["https://a.example.com another"])).toEqual(new Map());
    });

    it("is one holder's though many come at once", async () => {
      const taken = await Promise.all(["a", "b", "c", "d"].map((holder) => take(holder)));
      expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    it("gives its holder a new term where its answer was lost", async () => {
      const lost = await take("one");
      const again = await take("one");
      expect(again?.term).toBeGreaterThan(Number(lost?.term));
      expect(await renew(lost!)).toEqual({ renewed: [], lost: [lost!] });
    });

    it("is renewed by holder and term, also late, and never once another one has taken it", async () => {
      const first = (await take("one"))!;
      await on.expire();
      const others = [
        { ...first, holder: "two" },
        { ...first, term: first.term - 1 },
      ];
      expect(await renew(first, ...others)).toEqual({ renewed: [first], lost: others });
      expect((await leases().look([anne])).get(anne)).toMatchObject({ isFree: false });
      await on.expire();
      const second = (await take("two"))!;
      await on.expire();
      expect(await renew(first)).toEqual({ renewed: [], lost: [first] });
      expect((await leases().look([anne])).get(anne)).toMatchObject({ isFree: true });
      expect(await renew({ ...second, holder: "one" })).toEqual({
        renewed: [],
        lost: [{ ...second, holder: "one" }],
      });
      expect(await renew({ ...second, term: first.term })).toEqual({
        renewed: [],
        lost: [{ ...second, term: first.term }],
      });
      expect(await renew(second)).toEqual({ renewed: [second], lost: [] });
    });

    it("is free at once when it is given back, by its holder in its term only", async () => {
      const first = (await take("one"))!;
      await leases().giveBack({ ...first, holder: "two" });
      await leases().giveBack({ ...first, term: first.term - 1 });
      expect(await take("two")).toBeUndefined();
      await leases().giveBack(first);
      expect((await leases().look([anne])).get(anne)).toEqual({
        holder: null,
        term: first.term,
        isFree: true,
      });
      expect(await renew(first)).toEqual({ renewed: [], lost: [first] });
      const second = (await take("two"))!;
      expect(second.term).toBeGreaterThan(first.term);
      await leases().giveBack(first);
      expect(await take("one")).toBeUndefined();
    });

    it("stores what its holder decides, and nothing of one whose term is over", async () => {
      const first = (await take("one"))!;
      const one = leases().asHolder(() => first);
      expect(await one.decide(anne, count)).toBe(1);
      // Nobody has taken it: nobody else has decided anything.
      await on.expire();
      expect(await one.decide(anne, count)).toBe(2);
      await on.expire();
      const second = (await take("two"))!;
      const two = leases().asHolder(() => second);
      await expect(one.decide(anne, count)).rejects.toMatchObject({ code: "NOT_HOLDER" });
      await expect(one.putStretch(anne, STRETCH, 0)).rejects.toMatchObject({ code: "NOT_HOLDER" });
      await expect(one.putMarket(anne, marketOf(1, 2))).rejects.toMatchObject({ code: "NOT_HOLDER" });
      await expect(one.putSamples(anne, [sampleOf(1)], 1, 2)).rejects.toMatchObject({ code: "NOT_HOLDER" });
      expect(await counted()).toBe(2);
      expect(await on.ledger.stretches(anne, 0)).toEqual([]);
      expect(await one.market(anne)).toBeUndefined();
      expect(await one.samples(anne, 0, 2)).toEqual([]);
      expect((await one.read(anne)).account.sequence).toBe(2);
      expect(await two.decide(anne, count)).toBe(3);
      await two.putStretch(anne, STRETCH, 0);
      expect(await on.ledger.stretches(anne, 0)).toEqual([STRETCH]);
      await two.putMarket(anne, marketOf(1, 2));
      expect(await on.ledger.market(anne)).toEqual(marketOf(1, 2));
      await two.putSamples(anne, [sampleOf(1)], 1, 2);
      expect(await on.ledger.samples(anne, 0, 2)).toEqual([sampleOf(1)]);
      await leases().giveBack(second);
      await expect(two.decide(anne, count)).rejects.toMatchObject({ code: "NOT_HOLDER" });
      // Whoever is no agent is not asked.
      expect(await on.ledger.decide(anne, count)).toBe(4);
    });

    it("is the same holder's anew under another term only", async () => {
      const first = (await take("one"))!;
      const one = leases().asHolder(() => first);
      await leases().giveBack(first);
      await take("one");
      await expect(one.decide(anne, count)).rejects.toMatchObject({ code: "NOT_HOLDER" });
    });

    it("has no term again after the ledger was restored to an older state", async () => {
      const older = (await take("one"))!;
      await leases().giveBack(older);
      const lost = (await take("two"))!;
      const two = leases().asHolder(() => lost);
      await on.restore(older);
      expect(await renew(lost)).toEqual({ renewed: [], lost: [lost] });
      await expect(two.decide(anne, count)).rejects.toMatchObject({ code: "NOT_HOLDER" });
      await on.expire();
      const next = (await take("two", lost.term))!;
      expect(next.term).toBeGreaterThan(lost.term);
      await expect(two.decide(anne, count)).rejects.toMatchObject({ code: "NOT_HOLDER" });
      expect(await counted()).toBe(0);
    });
  });
}
