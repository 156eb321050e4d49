import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import type { Place } from "./cli.ts";
import { alive, FLEET, place, running, until } from "./cli.ts";

const TOLD = `${FLEET}notify:
  - command: ["sh", "-c", "cat >> told.txt"]
`;

async function twoRun(): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", TOLD);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  return on;
}

function toldOf(on: Place): string {
  const path = join(on.folder, "told.txt");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The first look that failed was so long ago: nobody waits for ten minutes here. */
async function begunBefore(on: Place, minutes: number): Promise<void> {
  const ledger = openSqliteLedger({ path: on.env.FLEETKEEPER_LEDGER ?? "", newId: "x", now: Date.now() });
  const [row] = await ledger.accounts();
  await ledger.decide(row?.key ?? "", (draft) => {
    const { list } = draft.account;
    if (!list) throw new Error("there was a list");
    const ms = minutes * 60_000;
    const back = { ...list, wall: list.wall - ms, mono: list.mono - ms };
    const since = { ...back, mono: back.mono + 1, wall: back.wall + 1 };
    draft.putAccount({ ...draft.account, list: back, outage: { since, reason: "down" } });
  });
  ledger.close();
}

test("an agent that starts into an outage shows its page and tells people, and goes on when it is over", async () => {
  const on = await twoRun();
  const down = [{ fault: { kind: "errorBefore" as const, status: 503 }, probability: 1 }];
  for (const operation of ["account", "deployments"] as const)
    on.simulator.control.faults.chance(operation, down);
  await begunBefore(on, 11);
  const agent = on.start(["agent", "--http", "127.0.0.1:0"]);
  await agent.tells("Going by the ledger until it answers.");
  const page = /status page: (\S+)/.exec(await agent.shows("status page: "))?.[1] ?? "";
  await agent.shows("unreadable: no list of the service was believed since");
  expect(await (await fetch(page)).text()).toContain("The service cannot be read since");
  const { stdout } = await on.run(["status"]);
  expect(stdout).toMatch(/OUTAGE {3}the service cannot be read since .* \(1\d min\)/);
  expect(stdout).toMatch(/training: .*\(as of .* ago\)/);
  await until("it is told", () => toldOf(on).includes('"kind":"unreadable"'));
  on.simulator.control.faults.clear();
  await agent.shows("readable: the service is read again");
  await until("its end is told", () => toldOf(on).includes('"kind":"readable"'));
  expect((await on.run(["status"])).stdout).not.toContain("OUTAGE");
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
  expect(on.simulator.truth().launches).toHaveLength(2);
});

test("an agent that starts with the key of another account in an outage takes none of its lists for this account's", async () => {
  const on = await twoRun();
  on.simulator.control.addAccount({ email: "other@example.com", apiKey: "other", balance: "100" });
  const down = [{ fault: { kind: "errorBefore" as const, status: 503 }, probability: 1 }];
  on.simulator.control.faults.chance("account", down);
  const { deployments } = on.simulator.truth().requests;
  const agent = on.start(["agent", "--no-http"], { FLEETKEEPER_API_KEY: "other" });
  await agent.tells("Going by the ledger until it answers.");
  const { account } = on.simulator.truth().requests;
  await until("it is asked again", () => on.simulator.truth().requests.account > account + 2);
  expect(on.simulator.truth().requests.deployments).toBe(deployments);
  on.simulator.control.faults.clear();
  const { code, stderr } = await agent.ended;
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      "The key opens the account of other@example.com, and the ledger knows that of",
    ),
  });
  expect(on.simulator.truth().requests.deployments).toBe(deployments);
  expect(alive(on)).toHaveLength(2);
});

test("rounds that a refused key ends are told once, after a second one", async () => {
  const on = await twoRun();
  const wrong = { FLEETKEEPER_API_KEY: "another", FLEETKEEPER_PROTOCOL: '{"poll": 1000, "gone": 1}' };
  expect((await on.run(["agent", "--once"], wrong)).code).toBe(2);
  expect(toldOf(on)).not.toContain('"kind":"refused"');
  await on.run(["agent", "--once"], wrong);
  await on.run(["agent", "--once"], wrong);
  expect(toldOf(on).split('"kind":"refused"')).toHaveLength(2);
  expect((await on.run(["status"])).stdout).toContain("OUTAGE   the service refuses the key since");
  await on.run(["agent", "--once"]);
  expect(toldOf(on)).toContain('"kind":"readable"');
});

test("a round tells of a short runway as the loop does", async () => {
  const on = await place({ balance: "100.0000" });
  on.write("fleet.yaml", TOLD);
  await on.run(["agent", "--once"]);
  const { stdout } = await on.run(["agent", "--once"]);
  expect(stdout + toldOf(on)).toContain("USD lasts");
  expect(toldOf(on)).toContain('"kind":"runway"');
});
