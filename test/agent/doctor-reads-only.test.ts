import { expect, test } from "vitest";
import { runDoctor } from "../../agent/doctor/doctor.ts";
import { createRecordingTransport } from "../../agent/doctor/recording-transport.ts";
import { dialectProfilePath, VirtualClock } from "../../simulator/index.ts";
import { handmade } from "./doctor-support.ts";

const signal = new AbortController().signal;

test.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
  "a %s never gets through the doctor's transport",
  async (method) => {
    let sent = 0;
    const { transport, requests } = createRecordingTransport(
      async () => {
        sent += 1;
        return { status: 200, headers: {}, body: "{}" };
      },
      new VirtualClock(),
      undefined,
    );
    await expect(
      transport({ method, url: "https://gpu.example.com/api/v1/deployments", headers: {} }, signal),
    ).rejects.toThrow(/only reads/);
    expect([sent, requests()]).toEqual([0, 0]);
  },
);

test("all requests together keep to the profile's rate", async () => {
  const clock = new VirtualClock();
  const { transport, requests } = createRecordingTransport(handmade({}), clock, 2);
  const start = clock.now();
  for (let index = 0; index < 5; index++) {
    await clock.run(
      transport({ method: "GET", url: "https://gpu.example.com/api/v1/account", headers: {} }, signal),
    );
  }
  expect([requests(), clock.now() - start]).toEqual([5, 2000]);
});

test("who interrupts the doctor gets no report", async () => {
  const configuration = {
    baseUrl: "https://gpu.example.com",
    apiKey: "key",
    profile: dialectProfilePath("plain"),
    ledger: ":memory:",
    account: undefined,
  };
  const aborted = AbortSignal.abort(new Error("stopped by SIGINT"));
  const run = runDoctor({
    configuration,
    transport: handmade({}),
    clock: new VirtualClock(),
    signal: aborted,
  });
  await expect(run).rejects.toThrow("stopped by SIGINT");
});
