import { expect, onTestFinished, test } from "vitest";
import { askForCount } from "../../agent/fleet/size/ask-for-count.ts";
import { statusSchema } from "../../agent/json/status.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

const HOUR = 60 * MINUTE;

test("status and page say what a person asks for, what counts of it, and until when", async () => {
  const on = await scene();
  onTestFinished(() => on.close());
  const range = (max: number) => ({ gpus: 8, candidates: [NORTH], range: { min: 0, max, at: 8 } });
  await on.declare({ training: range(64), plain: { gpus: 0, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(MINUTE);
  const until = on.clock.now() + HOUR;
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    askForCount(draft, "training", { gpus: 24, until, why: "<b>a demo</b>" }, contextOf(on.keeper));
  });
  const asks = async () =>
    statusSchema
      .parse(JSON.parse(await on.text("/api/status")))
      .accounts[0]?.fleets.map(({ name, ask, wishedGpus }) => [name, ask, wishedGpus]);
  expect(await asks()).toEqual([
    ["plain", null, 0],
    ["training", { asked: 24, gpus: 24, until, why: "<b>a demo</b>" }, 24],
  ]);
  const page = await on.text("/");
  expect(page).toContain("a person asks for 24 GPUs (&lt;b&gt;a demo&lt;/b&gt;), until ");
  await on.declare({ training: range(16) });
  await on.clock.advance(MINUTE);
  expect(await on.text("/")).toContain("and counts as 16 by gpus.min and gpus.max");
  await on.clock.advance(HOUR);
  expect((await asks())?.at(-1)).toEqual(["training", null, 8]);
});
