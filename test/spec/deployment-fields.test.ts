import { expect, test } from "vitest";
import { json, never, serviceOf } from "../service/support.ts";

test("of a deployment nothing is read but the specification's four fields and what the profile maps", async () => {
  const record = {
    id: "d",
    status: "failed",
    failure_code: "X",
    stop_reason: "y",
    offer: "o",
    offer_id: "o",
    provider: "p",
    location: "l",
    region: "l",
    label: "m",
    marker: "m",
    gpus: 8,
    gpu_count: 8,
    price_per_hour: "1.00",
    created_at: "2026-01-01T00:00:00Z",
    failure_reason: "r",
    suggested_action: "s",
    ssh: { host: "h" },
  };
  const { service } = serviceOf({ deployments: { list: { items: "", pagination: { kind: "none" } } } }, [
    json([record]),
  ]);
  expect(await service.deployments(never())).toEqual([
    { id: "d", status: "failed", failureCode: "X", stopReason: "y" },
  ]);
});
