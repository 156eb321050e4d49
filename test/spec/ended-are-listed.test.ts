import { expect, test } from "vitest";
import { json, never, serviceOf } from "../service/support.ts";

const STATES = [
  ...["initializing", "provisioning", "connecting", "running", "stopping"],
  ...["failed", "interrupted", "a word of the service's own"],
];

test("what failed and what was interrupted is read from the list with all that is active", async () => {
  const list = { items: "", pagination: { kind: "none" } };
  const records = STATES.map((status, index) => ({ id: `d${index}`, status }));
  const { service } = serviceOf({ deployments: { list } }, [json(records)]);
  expect(await service.deployments(never())).toEqual(records);
});
