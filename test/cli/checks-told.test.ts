import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Place, place, withProfile } from "./cli.ts";

/* What is wrong with the checks and commands of a fleet is told where it is declared, and not at the first machine. */

const FILE = "fleet.yaml";

function declare(on: Place, lines: string): void {
  on.write(
    FILE,
    `fleets:
  - name: training
    gpus: 1
    candidates: [{ offer: h100-80gb-x1, provider: aurora, location: fi-hel, gpus: 1 }]
    paused: true
    ${lines}
`,
  );
}

/** What each command says of the file, with all white space alike: the doctor breaks lines. */
async function saidBy(on: Place, env: Readonly<Record<string, string | undefined>> = {}) {
  const says = async (...args: readonly string[]) => {
    const { code, said } = await on.run([...args, "--config", FILE], env);
    return { code, said: said.replaceAll(/\s+/g, " ") };
  };
  return {
    doctor: await says("doctor"),
    plan: await says("plan"),
    agent: await says("agent", "--once"),
  };
}

test("a command that is not there, one that may not be executed, and no ssh: by the doctor and the agent", async () => {
  const on = await place();
  declare(on, "ready: { address: host, command: [./away.sh] }\n    health: { command: [./plain.sh] }");
  on.write("plain.sh", "#!/bin/sh\n");
  chmodSync(join(on.folder, "plain.sh"), 0o644);
  const { doctor, agent } = await saidBy(on, { PATH: on.folder });
  for (const { said } of [doctor, agent]) {
    expect(said).toContain(`ready.command cannot be run`);
    expect(said).toMatch(/there is no \S+away\.sh/);
    expect(said).toMatch(/plain\.sh may not be executed/);
    expect(said).toMatch(/chmod \+x \S+plain\.sh/);
  }
  expect(agent.said).toContain("there is no ssh here");
});

test("an address that is secret, and times that until does not leave: by doctor, plan and agent", async () => {
  const on = await place();
  const secret = withProfile(on, (text) =>
    text.replace(/^( +host: )(\/\S+)$/m, "$1{ pointer: $2, secret: true }"),
  );
  const until = new Date(Date.now() + 3_600_000).toISOString();
  declare(
    on,
    `ready: { address: host, tcp: 22, within: 2h }\n    health: { tcp: 22, bad: 3h }\n    until: "${until}"`,
  );
  const { doctor, plan, agent } = await saidBy(on, secret);
  for (const { said } of [doctor, plan, agent]) {
    expect(said).toContain('ready.address: the connection detail "host" is secret by the wire profile');
    expect(said).toContain('health: the connection detail "host" is secret by the wire profile');
    expect(said).toContain("ready.within: it is 2h, and until");
    expect(said).toContain("health.bad: it is 3h, and until");
  }
  expect([doctor.code, plan.code, agent.code]).toEqual([0, 0, 0]);
});

test.each([
  [
    "keep above the count",
    "idle: { command: [./i.sh], for: 30m, then: stop, keep: 2 }",
    "idle.keep: expected at most gpus, which is 1",
  ],
  [
    "two ways to ask",
    "health: { command: [./h.sh], gpud: 15132 }",
    "expected exactly one of tcp, http, gpud, command, and there is gpud and command",
  ],
  [
    "two hooks",
    "beforeStop: { command: [./a.sh] }\n    beforeStop: { command: [./b.sh] }",
    "fleet.yaml:7:5 this key stands here a second time",
  ],
  ["two commands of a hook", "beforeStop: { command: [[./a.sh], [./b.sh]] }", "beforeStop.command"],
  [
    "a hook longer than what until leaves",
    `beforeStop: { command: [./a.sh], within: 2h }\n    until: "${new Date(Date.now() + 3_600_000).toISOString()}"`,
    "beforeStop.within is 2h, and until",
  ],
])("%s is an error that names the field, and nothing begins", async (_what, lines, words) => {
  const on = await place();
  declare(on, lines);
  const { doctor, plan, agent } = await saidBy(on);
  for (const [name, { code, said }] of Object.entries({ doctor, plan, agent })) {
    expect(said, name).toContain(words);
    expect(code, name).toBeGreaterThan(0);
  }
  expect(on.simulator.truth().launches).toEqual([]);
});
