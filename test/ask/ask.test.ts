import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Agent } from "undici";
import { afterAll, expect, test } from "vitest";
import { asking } from "../../agent/ask/ask.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { receiver } from "../notify/receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "ready-"));
const agent = new Agent();
afterAll(async () => {
  await agent.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const ask = asking({ agent, environment: { PATH: process.env.PATH, FLEETKEEPER_API_KEY: "canary" } });

function fleet(ready: string, source = `file:${folder}/fleet.yaml`) {
  const [{ wish } = { wish: undefined }] = parseFleetFile(
    `fleets: [{ name: web, gpus: 8, select: {}, ready: { address: host, ${ready} } }]`,
    "fleet.yaml",
  ).fleets;
  if (!wish?.ready) throw new Error("no check");
  return { name: "web", source, ready: wish.ready };
}

/** Why it is not ready, after the answer's kind. */
async function check(
  { name, source, ready }: ReturnType<typeof fleet>,
  row: DeploymentRow,
): Promise<string | undefined> {
  const answer = await ask({ fleet: name, source, row }, ready, new AbortController().signal);
  return answer.kind === "good" ? undefined : `${answer.kind}: ${answer.why}`;
}

const machine = (host: string | undefined): DeploymentRow =>
  ({ id: "d-1", connection: host === undefined ? null : { host } }) as DeploymentRow;

const portOf = (url: string): number => Number(new URL(url).port);

test("tcp: ready once the port takes a connection", async () => {
  const { url } = await receiver();
  expect(await check(fleet(`tcp: ${portOf(url)}`), machine("127.0.0.1"))).toBeUndefined();
  expect(await check(fleet("tcp: 1"), machine("127.0.0.1"))).toContain("ECONNREFUSED");
});

test("http: ready once the path is answered with 2xx", async () => {
  const at = await receiver();
  const asked = fleet(`http: { port: ${portOf(at.url)}, path: /healthz }`);
  expect(await check(asked, machine("127.0.0.1"))).toBeUndefined();
  expect(at.received[0]?.path).toBe("/healthz");
  at.status = 503;
  expect(await check(asked, machine("127.0.0.1"))).toBe("bad: answered HTTP 503");
});

test("command: ready once it ends with 0; it is given the address, and not the credential", async () => {
  writeFileSync(
    join(folder, "check.sh"),
    'echo "$FLEETKEEPER_ADDRESS $FLEETKEEPER_API_KEY"; [ "$FLEETKEEPER_ADDRESS" = good.example ]',
  );
  const asked = fleet("command: [/bin/sh, check.sh]");
  expect(await check(asked, machine("good.example"))).toBeUndefined();
  expect(await check(asked, machine("bad.example"))).toBe("bad: /bin/sh: it ended with 1: bad.example");
});

test.each([2, 255])("command: one that ends with %i says nothing of the machine", async (code) => {
  const asked = fleet(`command: [/bin/sh, -c, "exit ${code}"]`);
  expect(await check(asked, machine("good.example"))).toBe(`unknown: /bin/sh: it ended with ${code}`);
});

test("a command that is not there says nothing of the machine", async () => {
  expect(await check(fleet("command: [./not-there]"), machine("good.example"))).toMatch(/^unknown: .*ENOENT/);
});

test("a command of a fleet that a stack declared is a program of the folder that is there for stacks, or is not run", async () => {
  const commands = mkdtempSync(join(folder, "commands-"));
  writeFileSync(join(commands, "good.sh"), '#!/bin/sh\n[ "$1" = good ] && [ "$PWD" = "$(dirname "$0")" ]\n', {
    mode: 0o755,
  });
  writeFileSync(join(folder, "outside.sh"), "#!/bin/sh\n", { mode: 0o755 });
  const told = (command: string, environment: Readonly<Record<string, string>>) => {
    const { name, source, ready } = fleet(`command: ${command}`, "stack:urn:x");
    const asked = { fleet: name, source, row: machine("good.example") };
    return asking({ agent, environment })(asked, ready, new AbortController().signal);
  };
  const PATH = process.env.PATH ?? "";
  const here = { PATH, FLEETKEEPER_COMMANDS: commands };
  expect(await told("[good.sh, good]", here)).toEqual({ kind: "good" });
  expect(await told("[good.sh, bad]", here)).toMatchObject({ kind: "bad" });
  const beside = { PATH, FLEETKEEPER_COMMANDS: relative(process.cwd(), commands) };
  expect(await told("[good.sh, good]", beside)).toEqual({ kind: "good" });
  for (const program of ["/bin/true", "../outside.sh", "./good.sh", "..", "-x"])
    expect(await told(`["${program}"]`, here)).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("expected the name of a program in the folder of FLEETKEEPER_COMMANDS"),
    });
  // One of the PATH is none of the folder.
  expect(await told("[sh, -c, exit 0]", here)).toMatchObject({
    kind: "unknown",
    why: expect.stringContaining("ENOENT"),
  });
  expect(await told("[good.sh, good]", { PATH })).toMatchObject({
    kind: "unknown",
    why: expect.stringContaining("FLEETKEEPER_COMMANDS"),
  });
});

test("without an address it says which part of the profile is missing", async () => {
  expect(await check(fleet("tcp: 22"), machine(undefined))).toBe(
    'unknown: it shows no connection detail "host". Map it in the wire profile as deployments.fields.connection.host (not as a secret ' +
      "one), or correct the check's address",
  );
});

test.each(["-oProxyCommand=x", "a b", "evil.example/x", "user@evil.example", "a\u0000b", ""])(
  "an address such as %j goes nowhere",
  async (host) => {
    expect(await check(fleet("tcp: 22"), machine(host))).toContain("is no host name or IP address");
  },
);

test.each([
  ["within: 5m", "fleets.0.ready: expected exactly one of tcp, http, command, and there is none"],
  ["tcp: 22, command: [a]", "and there is tcp and command"],
  ["tcp: 99999", "fleets.0.ready.tcp"],
  ["tcp: 22, within: 10 minutes", "expected a duration such as 90s, 1h30m or 7d"],
])("ready: { address: host, %s } is refused", (ready, message) => {
  expect(() => fleet(ready)).toThrow(message);
});
