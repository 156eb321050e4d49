import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { receiver } from "../notify/receiver.ts";
import { alive, FLEET, KEY, place, running, until } from "./cli.ts";

const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;

test("the agent tells a webhook, a command and a dead man's switch, without the credential or its own secrets", async () => {
  const [on, hook, dead] = [await place(), await receiver(), await receiver()];
  on.write("tell.sh", "cat >> told.json");
  on.write(
    "fleet.yaml",
    `${FLEET}notify:
  - webhook: ${hook.url}
    secret: { env: HOOK_SECRET }
  - command: [/bin/sh, tell.sh]
    on: [running]
  - ping: ${dead.url}
    every: 1s
`,
  );
  const agent = on.start(["agent"], { HOOK_SECRET: secret });
  await until("the command was told of both", () => machines(on.folder) === 2);
  const [lost] = alive(on);
  on.simulator.control.interrupt(lost?.id ?? "", { now: true });
  await until("it is told", () => hook.received.length > 0);
  await until("the command was told of its replacement", () => machines(on.folder) === 3);
  expect(running(on)).toBe(2);
  await until("it pings again and again", () => dead.received.length > 1);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
  const [{ body, headers } = { body: "", headers: {} }] = hook.received;
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    data: { alerts: [{ kind: "interrupted", deployment: lost?.id, fleet: "training" }] },
  });
  const all =
    JSON.stringify([hook.received, dead.received]) + readFileSync(join(on.folder, "told.json"), "utf8");
  expect(all).not.toContain(KEY);
  expect((await agent.ended).said).not.toContain(secret);
});

interface Told {
  readonly data: { readonly alerts: readonly { readonly deployment: string }[] };
}

/** Whose coming was told to the command. */
function machines(folder: string): number {
  const file = join(folder, "told.json");
  const told = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  const alerts = told.flatMap((line) => (JSON.parse(line) as Told).data.alerts);
  return new Set(alerts.map(({ deployment }) => deployment)).size;
}

test("a variable that is not set is said before anything is launched", async () => {
  const on = await place();
  on.write("fleet.yaml", `${FLEET}notify:\n  - slack: { env: SLACK_URL }\n`);
  const run = await on.run(["agent"]);
  expect(run).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("notify.0.slack: SLACK_URL is not set"),
  });
  expect(on.simulator.truth().launches).toHaveLength(0);
});

test("notify test tells each target, and says who took it", async () => {
  const [on, hook] = [await place(), await receiver()];
  on.write("fleet.yaml", `${FLEET}notify:\n  - slack: { env: SLACK_URL }\n  - command: [/bin/false]\n`);
  const run = await on.run(["notify", "test"], { SLACK_URL: hook.url });
  expect(run.code).toBe(1);
  expect(run.stdout).toContain("slack SLACK_URL: told");
  expect(run.stdout).toContain("command /bin/false: /bin/false: it ended with 1");
  expect(hook.received[0]?.body).toContain("this is a test: nothing has happened");
  on.write("fleet.yaml", FLEET);
  expect(await on.run(["notify", "test"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("add notify to it"),
  });
});

test("Ctrl-C ends notify test with 130, and blames nobody for it", async () => {
  const on = await place();
  on.write("hang.sh", "touch begun; sleep 60");
  on.write("fleet.yaml", `${FLEET}notify:\n  - command: [/bin/sh, hang.sh]\n`);
  const run = on.start(["notify", "test"]);
  await until("it is being told", () => existsSync(join(on.folder, "begun")));
  run.kill("SIGINT");
  expect(await run.ended).toMatchObject({ code: 130, stdout: "" });
});
