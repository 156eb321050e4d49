import { expect, test } from "vitest";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { refusedFor } from "../../provider/runtime/create/foresee.ts";
import type { Json } from "../../service/contract/service.ts";

const wishFor = (gpus: number): Json =>
  JSON.parse(JSON.stringify(wishSchema.parse({ gpus, select: { gpuModel: "H100" } }))) as Json;

test("a lower count is stored though nothing can be had, of a fleet in several services, too", () => {
  // The first part has 4 of 16 GPUs.
  const stored = { wish: wishFor(4), part: { whole: wishFor(16) } } as FleetRow;
  const never = "nothing can be had";
  expect(refusedFor({ stored, never }, { gpus: 8, awaitReady: true })).toBeUndefined();
  expect(refusedFor({ stored, never }, { gpus: 17, awaitReady: true })).toBe(never);
});
