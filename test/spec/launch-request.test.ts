import { expect, test } from "vitest";
import { AUTH, BASE_URL, json, LAUNCH, never, ORDER, SECRET, serviceOf } from "../service/support.ts";

test("a launch is the profile's body and header and nothing else: no idempotency key, no field of ours", async () => {
  const { service, requests } = serviceOf({ auth: AUTH, launch: LAUNCH }, [
    json({ deployment: { id: "d" } }),
  ]);
  await service.launch(ORDER, never());
  expect(requests).toEqual([
    {
      method: "POST",
      url: `${BASE_URL}/api/v1/deployments`,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "x-key": `Key ${SECRET}`,
      },
      body: '{"offer":"o","provider":"p","location":"l"}',
    },
  ]);
});
