import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { History } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Sample } from "../../ledger/sample.ts";
import { ANNE } from "./contract.ts";

export function sampleOf(at: number, price = "16.0000"): Sample {
  return {
    ...{ at, until: at + 5, whole: true },
    offers: [["h100-8", "north", "oslo", 8, "H100"]],
    said: [[0, price, 2]],
    refused: [[0, 60]],
  };
}

/** What every ledger must keep of how a market changed, whatever it stores in. */
export function sampleContract(
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

    it("gives samples back as they were put, the oldest first, and those that are asked for", async () => {
      await ledger.putSamples(anne, [sampleOf(20), sampleOf(10, "15.0000")], 0, 100);
      await ledger.putSamples(anne, [sampleOf(30)], 30, 100);
      expect(await ledger.samples(anne, 0, 100)).toEqual([
        sampleOf(10, "15.0000"),
        sampleOf(20),
        sampleOf(30),
      ]);
      expect(await ledger.samples(anne, 20, 30)).toEqual([sampleOf(20)]);
    });

    it("puts samples in the place of those that began in their time, and of nothing else", async () => {
      const bob = { ...ANNE, id: "bob" };
      const other = await ledger.openAccount({ baseUrl: "https://a.example.com", account: bob });
      for (const account of [anne, other])
        await ledger.putSamples(
          account,
          [10, 20, 30].map((at) => sampleOf(at)),
          0,
          100,
        );
      await ledger.putSamples(anne, [sampleOf(15)], 10, 30);
      expect((await ledger.samples(anne, 0, 100)).map(({ at }) => at)).toEqual([15, 30]);
      await ledger.putSamples(anne, [], 0, 30);
      expect((await ledger.samples(anne, 0, 100)).map(({ at }) => at)).toEqual([30]);
      expect((await ledger.samples(other, 0, 100)).map(({ at }) => at)).toEqual([10, 20, 30]);
    });
  });
}
