import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { History, Stretch } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { ANNE } from "./contract.ts";

function stretchOf(at: number, until: number, more: Partial<Stretch> = {}): Stretch {
  return { at, until, balance: "12.3400", perHour: "9.16", fleets: { training: [16, 12, 4] }, ...more };
}

/** What every `History` must keep, whatever it stores in. */
export function historyContract(
  name: string,
  open: () => (Ledger & History) | Promise<Ledger & History>,
): void {
  describe(name, () => {
    let ledger: Ledger & History;
    let anne: string;
    beforeEach(async () => {
      ledger = await open();
      anne = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    });
    afterEach(() => ledger.close());

    it("gives stretches back as they were put, the oldest first", async () => {
      const later = stretchOf(20, 30, { balance: null, perHour: null, fleets: {} });
      await ledger.putStretch(anne, later, 0);
      await ledger.putStretch(anne, stretchOf(10, 20), 0);
      expect(await ledger.stretches(anne, 0)).toEqual([stretchOf(10, 20), later]);
    });

    it("puts a stretch in the place of the one that began with it", async () => {
      await ledger.putStretch(anne, stretchOf(10, 10), 0);
      await ledger.putStretch(anne, stretchOf(10, 70), 0);
      expect(await ledger.stretches(anne, 0)).toEqual([stretchOf(10, 70)]);
    });

    it("gives those that reach into the time that is asked for, also if they began before it", async () => {
      await ledger.putStretch(anne, stretchOf(10, 20), 0);
      await ledger.putStretch(anne, stretchOf(20, 40), 0);
      await ledger.putStretch(anne, stretchOf(40, 50), 0);
      expect((await ledger.stretches(anne, 30)).map(({ at }) => at)).toEqual([20, 40]);
    });

    it("forgets what ended before the time that is kept, and nothing of another account", async () => {
      const bob = await ledger.openAccount({
        baseUrl: "https://a.example.com",
        account: { ...ANNE, id: "bob" },
      });
      for (const account of [anne, bob]) await ledger.putStretch(account, stretchOf(10, 20), 0);
      await ledger.putStretch(anne, stretchOf(15, 40), 0);
      await ledger.putStretch(anne, stretchOf(40, 50), 30);
      expect((await ledger.stretches(anne, 0)).map(({ at }) => at)).toEqual([15, 40]);
      expect(await ledger.stretches(bob, 0)).toHaveLength(1);
    });
  });
}
