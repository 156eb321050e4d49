import { expect, test } from "vitest";
import { place } from "./cli.ts";

test.each([
  [["stauts"], "unknown command 'stauts'\n(Did you mean status?)"],
  [["agnet"], "(Did you mean agent?)"],
  [["plan", "--jsno"], "unknown option '--jsno'\n(Did you mean --json?)"],
  [["agent", "--onec"], "(Did you mean --once?)"],
  [["plan", "--account", "exlusive"], "Allowed choices are exclusive, shared"],
  [["history", "--limit", "many"], "expected a whole number"],
  [["history", "--limit", "0"], "expected at least 1"],
  [["adopt"], "missing required argument 'id'"],
  [["plan", "fleet.yaml"], "Name a fleet file with --config fleet.yaml."],
  [["status", "--profile", "p.yaml"], "unknown option '--profile'"],
  [["resume", "training", "--profile", "p.yaml"], "resume training goes by the ledger alone"],
  [[], "Usage: fleetkeeper"],
])("%j: exit code 2, and what was meant", async (args, message) => {
  const on = await place();
  const { code, stdout, stderr } = await on.start(args).ended;
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(Object.values(on.simulator.truth().requests)).toEqual(Array(7).fill(0));
});

test("a wrong word in the environment is told with the variable's name", async () => {
  const on = await place();
  expect((await on.run(["plan"], { FLEETKEEPER_ACCOUNT: "exlusive" })).stderr).toMatch(
    /^FLEETKEEPER_ACCOUNT says "exlusive"; expected "exclusive"/,
  );
  expect((await on.run(["agent"], { FLEETKEEPER_HTTP: "here" })).stderr).toMatch(
    /^--http \(or FLEETKEEPER_HTTP\) here: expected an address and a port/,
  );
});

test.each([[["--help"]], [["help", "agent"]], [["agent", "--help"]], [["--version"]]])(
  "%j: exit code 0, on standard output",
  async (args) => {
    const on = await place();
    expect(await on.start(args).ended).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/\S/),
    });
  },
);

test.each([["status"], ["plan"]])(
  "%s takes no password in --ledger, where the list of processes shows it",
  async (command) => {
    const on = await place();
    const { code, said } = await on.run([command, "--ledger", "postgres://me:sesame@db/fleets"]);
    expect(code).toBe(2);
    expect(said).toContain("--ledger: a password stands in this URL");
    expect(said).toContain("set PGPASSWORD, or PGPASSWORD_FILE");
    expect(said).not.toContain("sesame");
  },
);
