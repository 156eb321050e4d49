import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runCli } from "../../agent/cli/program.ts";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import { callCli, KEY, type Place, place } from "./cli.ts";
import { scripted } from "./scripted.ts";

/** A service that speaks a profile that ships, and what a user of it has. */
async function at(
  cloud: string,
): Promise<Place & { readonly fleetFile: () => unknown; readonly user: Record<string, string | undefined> }> {
  const on = await place({ dialect: loadProfile(cloud).profile });
  return {
    ...on,
    fleetFile: () => parse(readFileSync(join(on.folder, "fleet.yaml"), "utf8")),
    user: {
      ...on.env,
      FLEETKEEPER_PROFILE: undefined,
      FLEETKEEPER_API_KEY: undefined,
      FLEETKEEPER_PROTOCOL: undefined,
      FLEETKEEPER_ACCOUNT: undefined,
    },
  };
}

const SAID = ["ssh_key_names=mine", "perHour=30"];
const GPUS = ["--gpus", "8", "--gpu-model", "h100-80gb"];

test("what is answered by flags is the fleet file; then come doctor and plan, and nothing is launched", async () => {
  const on = await at("lambda");
  const { code, stdout } = await callCli(
    ["init", "--cloud", "lambda", "--yes", ...GPUS, "--answer", ...SAID],
    on.folder,
    { ...on.user, LAMBDA_API_KEY: KEY },
  );
  expect(on.fleetFile()).toEqual({
    service: { baseUrl: on.url, profile: "lambda", apiKey: { env: "LAMBDA_API_KEY" }, account: "shared" },
    fleets: [
      {
        name: "lambda",
        gpus: 8,
        select: { gpuModel: "h100-80gb" },
        parameters: { ssh_key_names: ["mine"], image: { family: "lambda-stack-22-04" } },
        budget: { perHour: "30" },
      },
    ],
  });
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/Nothing stops launches.*8 GPUs asked for.*Next:\n {2}fleetkeeper agent/s),
  ]);
  expect(stdout).not.toContain("profile does not say");
  expect(on.simulator.truth().requests).toMatchObject({ launch: 0, stop: 0 });
});

test("the fleet file that it writes opens the service, by the key in the variable that it names", async () => {
  const on = await at("lambda");
  const user = { ...on.user, MINE: KEY };
  await callCli(
    ["init", "--cloud", "lambda", "--yes", ...GPUS, "--answer", "apiKey=MINE", ...SAID],
    on.folder,
    user,
  );
  expect((await callCli(["plan"], on.folder, user)).said).toMatch(/launch .*h100-80gb-x8/);
  const { said } = await callCli(["plan"], on.folder, on.user);
  expect(said).toContain("service.apiKey: MINE is not set");
});

test("it asks for what is the user's and nothing else; the GPUs that can be had are shown", async () => {
  const on = await at("lambda");
  const ask = scripted({
    "variable of the environment": "",
    "Which GPU": "h100-80gb",
    "How many GPUs": "8",
    "SSH key": "mine",
    "family of the image": "",
    "how many USD": "30",
  });
  const told: string[] = [];
  const before = process.cwd();
  process.chdir(on.folder);
  try {
    await runCli(["init", "--cloud", "lambda"], "0.0.0", {
      environment: { ...(on.user as Record<string, string>), LAMBDA_API_KEY: KEY },
      signal: new AbortController().signal,
      print: () => undefined,
      tell: (text) => told.push(text),
      color: false,
      ask,
    });
  } finally {
    process.chdir(before);
  }
  expect(new Set(ask.asked).size).toBe(6);
  expect(told.join("\n")).toContain("nobody has rented there with this profile yet");
  expect(on.fleetFile()).toMatchObject({ fleets: [{ gpus: 8, select: { gpuModel: "h100-80gb" } }] });
});

test.each<[what: string, args: readonly string[], says: string]>([
  ["a service that does not ship", ["--cloud", "acme"], "acme: no profile of this name ships. There are: "],
  [
    "what nobody can be asked for",
    ["--cloud", "lambda"],
    "--answer ssh_key_names=...   # The name of the SSH key",
  ],
  [
    "an answer to no question",
    ["--cloud", "lambda", "--answer", "size=big"],
    "nothing of this name is asked. There are: apiKey, ssh_key_names",
  ],
  [
    "a wrong answer",
    ["--cloud", "lambda", "--answer", "perHour=much"],
    "--answer perHour=much: A number, such as 30.00",
  ],
  [
    "the key in the place of its variable",
    ["--cloud", "lambda", "--answer", "apiKey=sk-live.1"],
    "A name of letters",
  ],
  ["another profile beside it", ["--cloud", "lambda", "--profile", "x.yaml"], "cannot be used with"],
  ["answers without a service", ["--answer", "size=big"], "--answer is for what --cloud NAME asks"],
])("%s is told, and nothing is written", async (_, args, says) => {
  const on = await at("lambda");
  const { code, said } = await callCli(["init", ...args], on.folder, on.user);
  expect([code, said]).toEqual([2, expect.stringContaining(says)]);
  expect(() => on.fleetFile()).toThrow("ENOENT");
});

test("without the key it says what comes next, and asks no service", async () => {
  const on = await at("lambda");
  const { code, stdout } = await callCli(
    ["init", "--cloud", "lambda", "--yes", ...GPUS, "--answer", ...SAID],
    on.folder,
    on.user,
  );
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("export LAMBDA_API_KEY=...\n  fleetkeeper doctor\n  fleetkeeper plan"),
  ]);
});

test("the GPUs of a machine are asked for once, and an answer may be a key of what is sent", async () => {
  const on = await at("tensordock");
  const said = [`ssh_key=ssh-ed25519 ${"A".repeat(68)} me@here`, "resources=h100-sxm5-80gb", "offer=loc-1"];
  const money = ["machine=2", "price=4.60", "perHour=30"];
  const { said: told } = await callCli(
    ["init", "--cloud", "tensordock", "--yes", "--gpus", "4", "--answer", ...said, ...money],
    on.folder,
    on.user,
  );
  expect(told).toContain("Written: fleet.yaml");
  expect(on.fleetFile()).toMatchObject({
    fleets: [
      {
        candidates: [{ offer: "loc-1", location: "any", gpus: 2 }],
        parameters: { resources: { storage_gb: 500, gpus: { "h100-sxm5-80gb": { count: 2 } } } },
      },
    ],
  });
});

test("what simulate prints for a service that ships is what its user does", async () => {
  const lines: string[] = [];
  await runCli(["simulate", "--profile", "lambda"], "0.0.0", {
    environment: {},
    signal: AbortSignal.abort(),
    print: (text) => lines.push(text),
    tell: () => undefined,
    color: false,
  });
  expect(lines.join("\n")).toMatch(
    /export LAMBDA_API_KEY=\S+\n.*init --cloud lambda --base-url http:\/\/127\.0\.0\.1:\d+\n.* agent/,
  );
});

test("a profile named in the environment would win over the fleet file, and is refused", async () => {
  const on = await at("lambda");
  const { said } = await callCli(["init", "--cloud", "lambda"], on.folder, on.env);
  expect(said).toContain("FLEETKEEPER_PROFILE names another profile");
});

test("clouds shows each that ships, with what it can promise", async () => {
  const { code, stdout } = await callCli(["clouds"], process.cwd(), {});
  expect(code).toBe(0);
  for (const name of shippedNames())
    expect(stdout).toMatch(new RegExp(`^${name} +(yes|no) +(yes|no) +(yes|no) `, "m"));
});
