import { expect, test } from "vitest";
import { alive, FLEET, type Place, place, running, until, withProfile } from "./cli.ts";

const SMALL = { offer: "l40s-48gb-x1", provider: "dune", location: "us-west" };

async function twoRun(): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  return on;
}

test("list shows what lives in the account, whose it is, and what it costs", async () => {
  const on = await twoRun();
  const [one, two] = alive(on).map(({ id }) => id);
  const stranger = on.simulator.control.launchByHand(SMALL);
  const { code, stdout, stderr } = await on.run(["deployments", "list"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const id of [one, two])
    expect(stdout).toMatch(new RegExp(`^${id} +running .* 8 +19\\.92 +fleet training$`, "m"));
  expect(stdout).toMatch(new RegExp(`^${stranger} .* 1 +0\\.84 +nobody's$`, "m"));
  expect(stdout).toContain("3 live: 40.68 USD an hour\n");

  await on.run(["disown", stranger]);
  on.simulator.control.interrupt(one ?? "", { now: true });
  const all = JSON.parse((await on.run(["deployments", "list", "--all", "--json"])).stdout);
  expect(all).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        id: one,
        end: "interrupted",
        owner: { fleet: "training" },
        claim: "certain",
      }),
      expect.objectContaining({ id: two, end: null, gpus: 8, pricePerHour: "19.9200" }),
      expect.objectContaining({ id: stranger, end: null, owner: null, claim: "foreign" }),
    ]),
  );
  const living = JSON.parse((await on.run(["deployments", "list", "--json"])).stdout);
  expect(living.map(({ id }: { id: string }) => id).sort()).toEqual([two, stranger].sort());
  expect(on.simulator.truth().requests).toMatchObject({ launch: 2, stop: 0 });
});

test("show says everything of one, and what happened to it", async () => {
  const on = await twoRun();
  const [machine] = alive(on);
  const id = machine?.id ?? "";
  const { stdout } = await on.run(["deployments", "show", id]);
  expect(stdout).toMatch(/^whose {8}fleet training$/m);
  expect(stdout).toMatch(/^host {9}\S+\.fi-hel\.example$/m);
  expect(stdout).toMatch(/^\S+Z running: /m);
  const json = JSON.parse((await on.run(["deployments", "show", id, "--json"])).stdout);
  expect(json).toMatchObject({ id, status: "running", connection: { port: "22" } });
  expect(json.history.map(({ kind }: { kind: string }) => kind)).toEqual(["claimed", "running"]);
  expect((await on.run(["deployments", "show", id.slice(0, 6)])).stderr).toContain(`Did you mean ${id}?`);
});

test("a secret connection detail is shown only when asked for", async () => {
  const on = await twoRun();
  const secret = withProfile(on, (text) =>
    text.replace("user: /ssh_user", "user: { pointer: /ssh_user, secret: true }"),
  );
  const [machine] = alive(on);
  const show = ["deployments", "show", machine?.id ?? ""];
  expect((await on.run(show, secret)).stdout).not.toContain("root");
  expect((await on.run([...show, "--json"], secret)).stdout).not.toContain("root");
  expect((await on.run([...show, "--show-secrets"], secret)).stdout).toMatch(/^user +root$/m);
});

test("stop asks first, and without a terminal needs --yes", async () => {
  const on = await twoRun();
  const id = alive(on)[0]?.id ?? "";
  const unasked = await on.run(["deployments", "stop", id]);
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("Say --yes") });
  expect(on.simulator.truth().requests.stop).toBe(0);
  expect(alive(on)).toHaveLength(2);

  const stopped = await on.run(["deployments", "stop", id, "--yes"]);
  expect(stopped.code).toBe(0);
  expect(stopped.stderr).toContain(
    "fleet training asks for 16 GPUs, and 8 would be left: an agent rents another",
  );
  expect(stopped.stderr).toContain(`${id} stopped`);
  expect(alive(on).map((each) => each.id)).not.toContain(id);
  expect(on.simulator.truth().requests.stop).toBe(1);

  const again = await on.run(["deployments", "stop", id, "--yes"]);
  expect(again).toMatchObject({ code: 0, stdout: `${id} has ended already: stopped.\n` });
  expect(on.simulator.truth().requests.stop).toBe(1);
});

test("stop --no-wait says so where nothing was sent, because the newest list is not believed", async () => {
  const on = await twoRun();
  await on.run(["deployments", "list"]);
  const id = alive(on)[0]?.id ?? "";
  on.simulator.control.faults.next("deployments", { kind: "cut", keep: 0 });
  // It does not last so long that it takes a second list.
  const once = { FLEETKEEPER_PROTOCOL: '{"poll": 600000, "gone": 400}' };
  const stopped = await on.run(["deployments", "stop", id, "--yes", "--no-wait"], once);
  expect(stopped).toMatchObject({
    code: 1,
    stdout: `${id}: the stop was not sent yet, since the newest list is not believed.\n`,
    stderr: expect.stringContaining("The stop is written down, but no agent runs"),
  });
  expect(on.simulator.truth().requests.stop).toBe(0);
});

test("stop announces no other machine where the fleet's declaration pauses it", async () => {
  const on = await twoRun();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 16\n    paused: true"));
  await on.run(["agent", "--once"]);
  const stopped = await on.run(["deployments", "stop", alive(on)[0]?.id ?? "", "--yes", "--no-wait"]);
  expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining("the stop was sent") });
  expect(stopped.stderr).not.toContain("an agent rents another");
});

test("stop refuses what is not certainly ours, and names the way on", async () => {
  const on = await place();
  const id = on.simulator.control.launchByHand(SMALL);
  const stop = ["deployments", "stop", id, "--yes"];
  const alone = await on.run(stop, { FLEETKEEPER_ACCOUNT: "shared" });
  expect(alone.stderr).toContain(
    "stop it in the service's dashboard, as no fleet and no Pulumi deployment is here that could adopt it",
  );
  on.write("fleet.yaml", "fleets: [{ name: a, gpus: 0, select: {} }]\n");
  await on.run(["agent", "--once"], { FLEETKEEPER_ACCOUNT: "shared" });
  const shared = { FLEETKEEPER_ACCOUNT: "shared" };
  const nobodys = await on.run(stop, shared);
  expect(nobodys).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`fleetkeeper adopt ${id} --fleet NAME`),
  });
  // Else the fleet loses another machine before this one is stopped.
  expect(nobodys.stderr).toContain("unless you pause the fleet first: fleetkeeper pause NAME");
  await on.run(["disown", id], shared);
  expect((await on.run(stop, shared)).stderr).toContain("it was disowned");
  expect((await on.run(["deployments", "stop", "nope", "--yes"], shared)).stderr).toContain(
    "no such deployment",
  );
  expect(on.simulator.truth().requests.stop).toBe(0);
  expect(alive(on)).toHaveLength(1);
});

test("stop without a stop mapping names the lines to add, before anything is asked", async () => {
  const on = await twoRun();
  const without = withProfile(on, (text) => text.replace(/^stop:\n(?: .*\n)+/m, ""));
  const { code, stderr } = await on.run(["deployments", "stop", alive(on)[0]?.id ?? "", "--yes"], without);
  expect(code).toBe(2);
  expect(stderr).toContain('To stop a deployment, the profile needs the part "stop"');
  expect(stderr).toContain("path: <the path of the call, with {id} in it>");
});

test("Ctrl-C in the wait says who goes on, and the next call finishes it", async () => {
  const on = await twoRun();
  const id = alive(on)[0]?.id ?? "";
  on.simulator.control.faults.chance("stop", [
    { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
  ]);
  const stop = on.start(["deployments", "stop", id, "--yes"]);
  await stop.tells("Tried again until it has ended");
  stop.kill("SIGINT");
  const { code, stderr } = await stop.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("no agent runs that goes on with it: run this again");
  on.simulator.control.faults.clear();
  expect((await on.run(["deployments", "stop", id, "--yes"])).code).toBe(0);
  expect(alive(on).map((each) => each.id)).not.toContain(id);
});
