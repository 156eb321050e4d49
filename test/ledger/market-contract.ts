import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Market } from "../../ledger/market.ts";
import { ANNE } from "./contract.ts";

const CAN: Market["can"] = {
  marker: true,
  combination: true,
  launch: true,
  stop: true,
  get: true,
  offers: true,
};

export function marketOf(at: number, until: number, price = "16.0000"): Market {
  const offer = { offer: "h100-8", provider: "north", location: "oslo", gpus: 8, pricePerHour: price };
  return { at, until, can: CAN, offers: [{ ...offer, gpuModel: "H100", available: true, stock: 2 }] };
}

/** What every ledger must keep of what services offer, whatever it stores in. */
export function marketContract(name: string, open: () => Ledger | Promise<Ledger>): void {
  describe(name, () => {
    let ledger: Ledger;
    let anne: string;
    beforeEach(async () => {
      ledger = await open();
      anne = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    });
    afterEach(() => ledger.close());

    it("gives what an account's service offers as it was put last, and nothing of another account", async () => {
      const bob = { ...ANNE, id: "bob" };
      const other = await ledger.openAccount({ baseUrl: "https://a.example.com", account: bob });
      await ledger.putMarket(anne, marketOf(10, 10));
      expect(await ledger.market(anne)).toEqual(marketOf(10, 10));
      await ledger.putMarket(anne, marketOf(10, 40));
      expect(await ledger.market(anne)).toEqual(marketOf(10, 40));
      await ledger.putMarket(anne, marketOf(50, 50, "18.0000"));
      expect(await ledger.market(anne)).toEqual(marketOf(50, 50, "18.0000"));
      expect(await ledger.market(other)).toBeUndefined();
    });

    it("takes the newest for it also where its clock was set back", async () => {
      await ledger.putMarket(anne, marketOf(50, 60));
      await ledger.putMarket(anne, marketOf(20, 20, "18.0000"));
      expect(await ledger.market(anne)).toEqual(marketOf(20, 20, "18.0000"));
    });
  });
}
