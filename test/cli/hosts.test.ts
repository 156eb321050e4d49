import { expect, test } from "vitest";
import { sshHost, sshProblem } from "../../agent/cli/commands/machines/ssh-config.ts";
import { alive, FLEET, type Place, place, running, until, withProfile } from "./cli.ts";

/** No command lasts so long that it takes a second list. */
const ONE_LIST = { FLEETKEEPER_PROTOCOL: '{"poll": 600000, "gone": 400}' };

async function twoRun(): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  return on;
}

test("hosts are those that run and are ours, with what the profile maps", async () => {
  const on = await twoRun();
  on.simulator.control.launchByHand({ offer: "l40s-48gb-x1", provider: "dune", location: "us-west" });
  const names = alive(on)
    .filter(({ gpus }) => gpus === 8)
    .map(({ id }) => `${id.slice(0, 8)}.fi-hel.example`)
    .sort();
  const lines = await on.run(["hosts", "--field", "host"]);
  expect(lines).toMatchObject({ code: 0, stderr: "" });
  expect(lines.stdout.trim().split("\n").sort()).toEqual(names);
  const json = JSON.parse((await on.run(["hosts", "--fleet", "training", "--json"])).stdout);
  expect(json).toHaveLength(2);
  expect(json[0]).toMatchObject({ owner: { fleet: "training" }, connection: { port: "22", user: "root" } });
  expect((await on.run(["hosts"])).stdout).toMatch(/^DEPLOYMENT +WHOSE +HOST +PORT +USER$/m);
});

test("a secret is neither shown nor given without --show-secrets", async () => {
  const on = await twoRun();
  const secret = withProfile(on, (text) =>
    text.replace("user: /ssh_user", "user: { pointer: /ssh_user, secret: true }"),
  );
  for (const args of [["hosts"], ["hosts", "--json"]])
    expect((await on.run(args, secret)).said).not.toContain("root");
  expect(await on.run(["hosts", "--field", "user"], secret)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("say --show-secrets"),
  });
  expect((await on.run(["hosts", "--field", "user", "--show-secrets"], secret)).stdout).toBe("root\nroot\n");
});

test("what is not mapped, not there or not shown is told", async () => {
  const on = await twoRun();
  const said = async (args: readonly string[], env = {}): Promise<string> => {
    const { code, stderr } = await on.run(args, env);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await said(["hosts", "--field", "ip"])).toContain("it maps host, port, user");
  expect(await said(["hosts", "--fleet", "trainig"])).toContain("there are: training");
  const unmapped = withProfile(on, (text) => text.replace(/ {4}connection:\n(?: {6}.*\n)+/, ""));
  expect(await said(["hosts"], unmapped)).toMatch(
    /add under "deployments:".*\n {2}fields:\n {4}connection:\n/,
  );
  const elsewhere = withProfile(on, (text) => text.replace("host: /ssh_host", "host: /nowhere"));
  const lacking = await on.run(["hosts"], elsewhere);
  expect(lacking.code).toBe(1);
  expect(lacking.stderr).toContain(
    `${alive(on)[0]?.id} runs, and the service does not show all of host, port, user.`,
  );
});

test("what is shown by a list that is not believed is old: that is said, and the exit code is 1", async () => {
  const on = await twoRun();
  await on.run(["deployments", "list"]);
  const [machine] = alive(on);
  for (const args of [
    ["hosts", "--field", "host"],
    ["deployments", "show", machine?.id ?? ""],
    ["agent", "--dry-run", "--once"],
  ]) {
    on.simulator.control.faults.next("deployments", { kind: "cut", keep: 0 });
    expect(await on.run(args, ONE_LIST)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The newest list lacks half of the machines at once."),
    });
    // A whole list in between: a second one that lacks the same would be believed.
    expect((await on.run(args)).code).toBe(0);
  }
});

test("--ssh-config is what ssh reads: one Host a machine, each with a key of its own", async () => {
  const on = await twoRun();
  const { code, stdout, stderr } = await on.run(["hosts", "--ssh-config"]);
  expect([code, stderr]).toEqual([0, ""]);
  const expected = alive(on).map(({ id }) =>
    [
      `Host training-${id.slice(0, 8)}`,
      `  HostName ${id.slice(0, 8)}.fi-hel.example`,
      "  Port 22",
      "  User root",
      `  HostKeyAlias ${id}`,
    ].join("\n"),
  );
  expect(
    stdout
      .trim()
      .split(/\n(?=Host )/)
      .sort(),
  ).toEqual(expected.sort());
  expect(await on.run(["hosts", "--ssh-config", "--json"])).toMatchObject({ code: 2 });
});

test("--ssh-config needs a detail called host, and gives ssh nothing that is more than a name", async () => {
  const on = await twoRun();
  const unnamed = withProfile(on, (text) => text.replace("host: /ssh_host", "address: /ssh_host"));
  expect(await on.run(["hosts", "--ssh-config"], unnamed)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('needs a connection detail called "host"'),
  });
  for (const host of ["-oProxyCommand=x", "a\n  ProxyCommand x", "a b", ""])
    expect(
      sshProblem({ deployment: "d", owner: { fleet: "f" }, setup: null, connection: { host } }),
    ).toContain("its host");
  const bad = { host: "a.example", port: "22 # x", user: "root" };
  expect(sshProblem({ deployment: "d", owner: { fleet: "f" }, setup: null, connection: bad })).toContain(
    "its port",
  );
  expect(
    sshHost({
      deployment: "d\nProxyCommand x",
      owner: { fleet: "*" },
      setup: null,
      connection: { host: "::1" },
    }),
  ).toBe("Host _-d_ProxyC\n  HostName ::1\n  HostKeyAlias d_ProxyCommand_x");
});
