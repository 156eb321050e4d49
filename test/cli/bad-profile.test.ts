import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dialectProfilePath } from "../../simulator/index.ts";
import { FLEET, KEY, place } from "./cli.ts";

const PLAIN = readFileSync(dialectProfilePath("plain"), "utf8");
const without = (part: string): string => PLAIN.replace(new RegExp(`^${part}:\\n(?:(?: .*)?\\n)*`, "m"), "");

const MISTAKES: readonly (readonly [string, string, RegExp])[] = [
  [
    "a key that is nearly right",
    PLAIN.replace("auth:", "auths:"),
    /:6:1 auths: is not a known key: did you mean "auth"\?/,
  ],
  [
    "a path instead of a pointer",
    PLAIN.replace("items: /deployments", "items: $.deployments"),
    /:\d+:\d+ deployments\.list\.items: expected a JSON Pointer.*write \/deployments/,
  ],
  [
    "the credential itself",
    PLAIN.replace('"{secret}"', `"${KEY}"`),
    /:8:10 auth\.value: expected a template with \{secret\} in it/,
  ],
  ["broken YAML", `${PLAIN}\nstop: [`, /:\d+:\d+ /],
  ["nothing", "", /the file is empty/],
  ["no auth", without("auth"), /the profile needs the part "auth"[\s\S]*auth:\n {2}header:/],
];

test.each(MISTAKES)(
  "%s: file, line, column and remedy, exit code 2, nothing launched",
  async (_, profile, message) => {
    const on = await place();
    on.write("fleet.yaml", FLEET);
    on.write("mine.yaml", profile);
    const { code, stdout, stderr } = await on.run(["agent", "--once", "--profile", "mine.yaml"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).toContain("mine.yaml");
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toContain(KEY);
    expect(on.simulator.truth().launches).toEqual([]);
  },
);

test("no list part: the agent ends with the lines to add, exit code 2", async () => {
  const on = await place({ dialect: "nested" });
  on.write("fleet.yaml", FLEET);
  const nested = readFileSync(dialectProfilePath("nested"), "utf8");
  on.write("mine.yaml", nested.replace(/^deployments:\n(?:(?: .*)?\n)*/m, ""));
  for (const args of [["agent"], ["plan"]]) {
    const { code, stderr } = await on.run([...args, "--profile", "mine.yaml"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/the profile needs the part "deployments\.list"[\s\S]*deployments:\n {2}list:\n/);
  }
  expect(on.simulator.truth().launches).toEqual([]);
});

test("a profile that is not there, or a folder", async () => {
  const on = await place();
  expect((await on.run(["plan", "--profile", "."])).stderr).toBe(
    "The wire profile . cannot be read: it is a folder: name the file in it.\n",
  );
  const { code, stderr } = await on.run(["plan", "--profile", "none.yaml"]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "The wire profile none.yaml cannot be read: there is no such file.\n",
  });
});

test("a launch.id that a launch has shown to be wrong is told by doctor, until the profile is corrected", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.write("mine.yaml", PLAIN.replace('  id: /id\n  deployment: ""\n', "  id: /offer\n"));
  const mine = ["--profile", "mine.yaml"];
  const agent = on.start(["agent", "--no-http", "--log-format", "text", ...mine]);
  await agent.shows("halted:");
  agent.kill("SIGINT");
  await agent.ended;
  const wrong = await on.run(["doctor", ...mine]);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout.replace(/\s+/g, " ")).toMatch(
    /problem Nothing is launched under this profile any more: .*Check launch\.id/,
  );
  expect((await on.run(["doctor"])).stdout).not.toContain("any more");
  expect(on.simulator.truth().launches).toHaveLength(1);
  expect((await on.run(["status"])).stdout).toContain("HALTED");
  const corrected = on.start(["agent", "--no-http", "--log-format", "text"]);
  await corrected.shows("launch:");
  corrected.kill("SIGINT");
  await corrected.ended;
  expect((await on.run(["status"])).stdout).not.toContain("HALTED");
  expect((await on.run(["resume"])).stdout).toBe("1 wire profile was halted: launches go on.\n");
});
