import { expect, it, onTestFinished } from "vitest";
import { MarketSampler } from "../../agent/reconcile/market-sampler.ts";
import { read, section } from "./markup.ts";
import { badDay } from "./scene.ts";

it("shows how each combination did, with the prices that were sampled, of 7 or 30 days", async () => {
  const on = await badDay();
  onTestFinished(() => on.close());
  expect(read(await on.text("/places"))).toContain("The offers of these days were not sampled");
  const sampler = new MarketSampler(on.keeper, on.ledger);
  await on.clock.run(sampler.record(new AbortController().signal));
  const shown = section(await on.text("/places?days=7"), "places");
  expect(shown).toMatch(/h100-8 north\/oslo 8 4 0 refused, 0 failed 2 in 0\.0\d days of machines \? 75 s/);
  expect(shown).toMatch(/h100-8 south\/rome 8 2 0 refused, 1 failed/);
  expect(shown).toContain("16.00");
  expect(shown).toContain("by the prior of Jeffreys");
  expect(await on.text("/places?days=7")).toMatch(/id="days-7"[^>]* aria-current="true"/);
  expect((await on.get("/places?days=8")).status).toBe(200);
});
