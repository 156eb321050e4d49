import { expect, test } from "vitest";
import { json, never, serviceOf } from "../service/support.ts";

test.each([
  [
    { id: "d", status: "failed", failure_code: "SOMETHING_NEW", stop_reason: null },
    { id: "d", status: "failed", failureCode: "SOMETHING_NEW" },
  ],
  [
    { id: "d", status: "interrupted", failure_code: null, stop_reason: "provider_interrupted" },
    { id: "d", status: "interrupted", stopReason: "provider_interrupted" },
  ],
])(
  "a deployment that ended is read by its id with its code or reason intact: %j",
  async (record, deployment) => {
    const { service } = serviceOf({ deployments: { get: { item: "" } } }, [json(record)]);
    expect(await service.deployment("d", never())).toEqual(deployment);
  },
);
