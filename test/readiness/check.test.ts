import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { afterAll, expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/fleet-file.ts";
import { checking } from "../../agent/tell/readiness/check.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { receiver } from "../notify/receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "ready-"));
const agent = new Agent();
afterAll(async () => {
  await agent.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const check = checking({ agent, environment: { PATH: process.env.PATH, FLEETKEEPER_API_KEY: "canary" } });
const never = new AbortController().signal;

function fleet(ready: string, source = `file:${folder}/fleet.yaml`) {
  const [{ wish } = { wish: undefined }] = parseFleetFile(
    `fleets: [{ name: web, gpus: 8, select: {}, ready: { address: host, ${ready} } }]`,
    "fleet.yaml",
  ).fleets;
  if (!wish?.ready) throw new Error("no check");
  return { name: "web", source, ready: wish.ready };
}

const machine = (host: string | undefined): DeploymentRow =>
  ({ id: "d-1", connection: host === undefined ? null : { host } }) as DeploymentRow;

const portOf = (url: string): number => Number(new URL(url).port);

test("tcp: ready once the port takes a connection", async () => {
  const { url } = await receiver();
  expect(await check(fleet(`tcp: ${portOf(url)}`), machine("127.0.0.1"), never)).toBeUndefined();
  expect(await check(fleet("tcp: 1"), machine("127.0.0.1"), never)).toContain("ECONNREFUSED");
});

test("http: ready once the path is answered with 2xx", async () => {
  const at = await receiver();
  const asked = fleet(`http: { port: ${portOf(at.url)}, path: /healthz }`);
  expect(await check(asked, machine("127.0.0.1"), never)).toBeUndefined();
  expect(at.received[0]?.path).toBe("/healthz");
  at.status = 503;
  expect(await check(asked, machine("127.0.0.1"), never)).toBe("answered HTTP 503");
});

test("command: ready once it ends with 0; it is given the address, and not the credential", async () => {
  writeFileSync(
    join(folder, "check.sh"),
    'echo "$FLEETKEEPER_ADDRESS $FLEETKEEPER_API_KEY"; [ "$FLEETKEEPER_ADDRESS" = good.example ]',
  );
  const asked = fleet("command: [/bin/sh, check.sh]");
  expect(await check(asked, machine("good.example"), never)).toBeUndefined();
  expect(await check(asked, machine("bad.example"), never)).toBe("/bin/sh: it ended with 1: bad.example");
});

test("a command of a fleet that a stack declared is not run on this machine", async () => {
  const asked = fleet("command: [/bin/true]", "stack:urn:x");
  expect(await check(asked, machine("good.example"), never)).toContain("for fleets of a fleet file only");
});

test("without an address it says which part of the profile is missing", async () => {
  expect(await check(fleet("tcp: 22"), machine(undefined), never)).toBe(
    'it shows no connection detail "host". Map it in the wire profile as deployments.fields.connection.host (not as a secret ' +
      "one), or correct ready.address",
  );
});

test.each(["-oProxyCommand=x", "a b", "evil.example/x", "user@evil.example", "a\u0000b", ""])(
  "an address such as %j goes nowhere",
  async (host) => {
    expect(await check(fleet("tcp: 22"), machine(host), never)).toContain("is no host name or IP address");
  },
);

test.each([
  ["within: 5m", "fleets.0.ready: expected exactly one of tcp, http, command, and there is none"],
  ["tcp: 22, command: [a]", "and there is tcp and command"],
  ["tcp: 99999", "fleets.0.ready.tcp"],
  ["tcp: 22, within: 10 minutes", "expected a duration such as 90s, 30m or 1h30m"],
])("ready: { address: host, %s } is refused", (ready, message) => {
  expect(() => fleet(ready)).toThrow(message);
});
