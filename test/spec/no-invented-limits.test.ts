import { expect, test } from "vitest";
import { json, LAUNCH, never, ORDER, serviceOf } from "../service/support.ts";

test("without limits in the profile no request waits for another", async () => {
  const { service, clock, requests } = serviceOf({ launch: LAUNCH }, [
    json({ balance: "1.0000", currency: "USD", deployment: { id: "d" } }),
  ]);
  const each = [() => service.balance(never()), () => service.launch(ORDER, never())];
  await Promise.all(Array.from({ length: 100 }, () => each.map((send) => send())).flat());
  expect(requests).toHaveLength(200);
  expect(clock.waits).toEqual([]);
});
