import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Place } from "./cli.ts";
import { FLEET, place, running, until, withProfile } from "./cli.ts";

/** What an agent that is refused was started with. */
const OTHER = FLEET.replace("training", "other").replace("gpus: 16", "gpus: 8");

async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

async function fleets(on: Place): Promise<readonly string[]> {
  const { stdout } = await on.run(["status", "--json"]);
  const { accounts } = JSON.parse(stdout) as { accounts: { fleets: { name: string }[] }[] };
  return accounts.flatMap((account) => account.fleets.map(({ name }) => name));
}

test("an agent that cannot have its port, or whose account is kept, leaves nothing for the other one to launch", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.write("other.yaml", OTHER);
  const agent = on.start(["agent", "--no-http"]);
  await until("both run", () => running(on) === 2);
  const config = ["agent", "--config", "other.yaml"];
  expect(await on.run([...config, "--http", `127.0.0.1:${await takenPort()}`])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("another process listens there"),
  });
  expect(await on.run([...config, "--no-http"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("an agent keeps this account already"),
  });
  const seen = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= seen + 3);
  expect(on.simulator.truth().launches).toHaveLength(2);
  expect(await fleets(on)).toEqual(["training"]);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
});

test.each([[[]], [["--once"]]])(
  "under a profile that maps no list, agent %j declares nothing",
  async (flags) => {
    const on = await place();
    on.write("fleet.yaml", FLEET);
    const env = withProfile(on, (profile) =>
      profile.replace(/\n {2}list:\n {4}items: \/deployments\n.*/, ""),
    );
    expect(await on.run(["agent", ...flags], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the part "deployments.list"'),
    });
    await on.run(["deployments", "list"]);
    expect(await fleets(on)).toEqual([]);
  },
);
