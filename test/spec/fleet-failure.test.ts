import { afterEach, expect, test } from "vitest";
import { H100, type Stage, stage } from "../support/stage.ts";

let on: Stage | undefined;
afterEach(async () => on?.stop());

test("why a launch of a fleet failed, and what to do, stands in its history", async () => {
  on = await stage();
  const what = { code: "UNKNOWN", reason: "no GPU came up", suggestedAction: "choose another offer" };
  on.simulator.control.failNext(H100, what);
  const { offer, provider, location, gpus } = H100;
  await on.declare({ web: { gpus: 8, candidates: [{ offer, provider, location, gpus }] } });
  on.start();
  await on.clock.advance(10 * 60_000);
  const { ledger, account } = on.keeper;
  const failed = (await ledger.events(account, 100)).filter(({ kind }) => kind === "failed");
  const id = on.simulator.truth().machines[0]?.id;
  expect(failed.map(({ text }) => text)).toEqual([
    `${id} failed: UNKNOWN, no GPU came up. Suggested action: choose another offer. ` +
      `Contact the service's support with the deployment ID ${id}.`,
  ]);
});
