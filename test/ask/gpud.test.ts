import { afterAll, expect, test } from "vitest";
import { asking } from "../../agent/ask/ask.ts";
import { machineAgent } from "../../agent/ask/exchange.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { type Gpud, gpud, states, WELL, XID_79 } from "./gpud-stand-in.ts";

const agent = machineAgent();
afterAll(() => agent.destroy());
const ask = asking({ agent, environment: {} });

function said(port: number) {
  const row = { id: "d-1", connection: { host: "127.0.0.1" } } as unknown as DeploymentRow;
  const asked = { fleet: "web", source: "stack:web#", row };
  return ask(asked, { address: "host", gpud: port }, new AbortController().signal);
}

async function saying(at: Gpud, answer: string) {
  at.answer = answer;
  return said(at.port);
}

const XID = "accelerator-nvidia-error-xid";

test("gpud is asked for its states over its own certificate, without a credential", async () => {
  const at = await gpud();
  expect(await saying(at, WELL)).toEqual({ kind: "good" });
  expect(at.paths).toEqual(["GET /v1/states"]);
});

test("bad is what it would reboot or have inspected, with its own words", async () => {
  const at = await gpud();
  expect(await saying(at, XID_79)).toEqual({
    kind: "bad",
    why: `gpud: ${XID}: XID 79 (GPU has fallen off the bus) detected on PCI:0000:04:00 (REBOOT_SYSTEM)`,
  });
  const ecc = states([XID, { name: "ecc", health: "Unhealthy", actions: ["HARDWARE_INSPECTION"] }]);
  expect(await saying(at, ecc)).toEqual({
    kind: "bad",
    why: `gpud: ${XID}: it gives no reason (HARDWARE_INSPECTION)`,
  });
});

test.each([
  ["the user's program", "Unhealthy", ["CHECK_USER_APP_AND_GPU"]],
  ["nothing to do", "Unhealthy", ["IGNORE_NO_ACTION_REQUIRED"]],
  ["no suggestion", "Unhealthy", undefined],
  ["what does not affect what runs", "Degraded", ["HARDWARE_INSPECTION"]],
] as const)("%s is no reason to give a machine away", async (_, health, actions) => {
  const at = await gpud();
  const answer = states([XID, { name: "error_xid", health, ...(actions && { actions }) }]);
  expect(await saying(at, answer)).toEqual({ kind: "good" });
});

test.each([
  ["no JSON", "<html>", "its answer is not what GET /v1/states gives"],
  ["another form", '{"component":"cpu"}', "its answer is not what GET /v1/states gives"],
  ["states that are none", `[{"component":"${XID}","states":[{"health":7}]}]`, "its answer is not"],
  ["no component", "null", "its answer is not"],
  ["no GPU", states(["cpu", { name: "cpu", health: "Healthy" }]), "it shows the state of no GPU"],
  ["a component that is gone", `[{"component":"${XID}","states":null}]`, "it shows the state of no GPU"],
  ["a GPU that is not looked at yet", states([XID, { name: "x", health: "Initializing" }]), "no GPU"],
  ["more than 1 MiB", `[${" ".repeat(1024 * 1024)}]`, "answered more than 1 MiB"],
])("%s is unknown", async (_, answer, why) => {
  const at = await gpud();
  expect(await saying(at, answer)).toEqual({ kind: "unknown", why: expect.stringContaining(why) });
});

test("a gpud that refuses, or that nobody started, says nothing of the machine", async () => {
  const at = await gpud();
  at.status = 500;
  expect(await said(at.port)).toMatchObject({ kind: "unknown", why: "gpud: answered HTTP 500" });
  expect(await said(1)).toMatchObject({ kind: "unknown", why: expect.stringContaining("ECONNREFUSED") });
});

test("a check without an address has that of ready; without either it says so", () => {
  const of = (fleet: string) => () =>
    parseFleetFile(`fleets: [{ name: web, gpus: 8, select: {}, ${fleet} }]`, "fleet.yaml");
  expect(of("ready: { address: host, tcp: 22 }, health: { gpud: 15132 }")).not.toThrow();
  expect(of("health: { command: [./check.sh] }")).not.toThrow();
  expect(of("health: { gpud: 15132 }")).toThrow(
    /health\.address: is missing: expected the name of the connection detail that holds a machine's address/,
  );
  expect(of("health: { address: host, gpud: 15132, tcp: 22 }")).toThrow(
    /expected exactly one of tcp, http, gpud, command, and there is tcp and gpud/,
  );
  expect(of("health: { address: host, gpud: 15132, then: stop }")).toThrow(/expected "tell" or "replace"/);
});
