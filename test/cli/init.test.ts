import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import type { Prompts } from "../../agent/cli/init/prompts.ts";
import { runCli } from "../../agent/cli/program.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { createSchemaMap } from "../../service/document/schema-map.ts";
import { wireProfileSchema } from "../../service/profile/profile.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import { dialectProfilePath } from "../../simulator/index.ts";
import { place } from "./cli.ts";
import { scripted } from "./scripted.ts";

interface Here {
  readonly folder: string;
  readonly config: string;
  readonly printed: string[];
  readonly told: string[];
  init(args: readonly string[], ask?: Prompts, environment?: Record<string, string>): Promise<number>;
  profile(name: string): ReturnType<typeof readProfile>["profile"];
  fleetFile(): ReturnType<typeof parseFleetFile>;
}

function here(): Here {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-init-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "fleet.yaml");
  const printed: string[] = [];
  const told: string[] = [];
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return {
    folder,
    config,
    printed,
    told,
    init: (args, ask, environment = {}) =>
      runCli(["init", "--config", config, ...args], "0.0.0", {
        environment,
        signal: new AbortController().signal,
        print: (text) => printed.push(text),
        tell: (text) => told.push(text),
        color: false,
        ask,
      }),
    profile: (name) => readProfile(read(name), name).profile,
    fleetFile: () => parseFleetFile(read("fleet.yaml"), config),
  };
}

const NEEDED = ["--base-url", "https://gpus.acme.com", "--account", "shared"];

test("what is asked stands in the files", async () => {
  const on = here();
  const ask = scripted({
    "Address of the service": "https://gpus.acme.com",
    "messages and files": "",
    "Who launches": "exclusive",
    "Name of the header": "X-Key",
    "What stands in X-Key": "key {secret}",
    "JSON Pointer": "/data/items",
    "Does one answer": "whole",
    "How many GPUs shall": "16",
    "A name for this fleet": "training",
    "Which machines": "candidates",
    "Offer:": 'big "one"',
    "Provider:": "north: pole",
    "Location:": "#7, {x}",
    "GPUs in one": "8",
  });
  expect(await on.init([], ask)).toBe(0);
  expect(on.profile("acme.profile.yaml")).toMatchObject({
    name: "acme",
    auth: { header: "X-Key", value: "key {secret}" },
    deployments: { list: { items: "/data/items", pagination: { kind: "none" } } },
  });
  expect(on.fleetFile()).toMatchObject({
    configuration: {
      baseUrl: "https://gpus.acme.com",
      profile: join(on.folder, "acme.profile.yaml"),
      account: "exclusive",
    },
    fleets: [
      {
        name: "training",
        wish: {
          gpus: 16,
          candidates: [{ offer: 'big "one"', provider: "north: pole", location: "#7, {x}", gpus: 8 }],
        },
      },
    ],
  });
  expect(on.printed.join("\n")).toContain(`fleetkeeper doctor --config ${on.config}`);
  expect(on.printed.join("\n")).toContain("export FLEETKEEPER_API_KEY=");
});

test("what nobody knows is in no file but as a comment: no default for the wire or the account", async () => {
  const on = here();
  const ask = scripted({
    "messages and files": "svc",
    "Name of the header": "",
    "JSON Pointer": "",
    "How many GPUs shall": "0",
  });
  expect(await on.init(NEEDED, ask)).toBe(0);
  expect(on.profile("svc.profile.yaml")).toEqual({ profile: 1, name: "svc" });
  expect(on.fleetFile()).toMatchObject({ configuration: { account: "shared" }, fleets: [] });
  const text = readFileSync(join(on.folder, "svc.profile.yaml"), "utf8");
  for (const part of ["auth", "launch", "deployments", "offers", "stop", "errors"])
    expect(text).toMatch(new RegExp(`^# ${part}:$`, "m"));
});

/** The skeleton of a profile with its comment signs gone and every gap filled in. */
function filled(skeleton: string): string {
  return skeleton
    .replace(/^# (?=( {2})*("?[a-z<][^ ]*( [a-z,]+)*>?"?): ?|$)/gm, "")
    .replace(/<POST.*>/, "POST")
    .replace(/<the path.*>/, "/x/{id}")
    .replace(/<the header's.*>/, '"{secret}"')
    .replace(/<the name of the header.*>/, "X-Key")
    .replace(/<none, page.*>/g, "none")
    .replace(/\[<what.*>\]/, "[over]")
    .replace(/\[<an HTTP status.*>\]/g, "[410]")
    .replace(/<a failure_code that comes again>/, "another_code")
    .replace(/<an? (error code|failure_code) .*>/g, "some_code")
    .replace(/<how many requests.*>/, "5")
    .replace(/<what the service calls a state>: <.*>/, "up: running")
    .replace(/<a (query parameter|field) that .*>: <its value>/g, "view: full")
    .replace(/<JSON Pointer.*>/g, "/x")
    .replace(/<the field for the (\w+)>/g, "$1")
    .replace(/<a name of your choice.*?>:/, "host:")
    .replace('location: "{location}"', 'location: "{location}"\n    label: "{marker}"');
}

async function skeleton(): Promise<string> {
  const on = here();
  await on.init([...NEEDED, "--yes", "--name", "svc"]);
  return readFileSync(join(on.folder, "svc.profile.yaml"), "utf8");
}

test("with the comment signs and the <...> gone, the skeleton is a profile", async () => {
  const { profile } = readProfile(filled(await skeleton()), "filled");
  expect(Object.keys(profile).sort()).toEqual(
    [
      "auth",
      "deployments",
      "errors",
      "failures",
      "launch",
      "limits",
      "name",
      "offers",
      "profile",
      "stop",
    ].sort(),
  );
});

test("the skeleton names every part that a profile may have", async () => {
  const document: unknown = parse(filled(await skeleton()));
  const map = createSchemaMap(wireProfileSchema);
  const missing: string[] = [];
  const visit = (value: unknown, path: readonly string[]): void => {
    // How a list goes on is one of several kinds, each with keys of its own.
    if (path.at(-1) === "pagination") return;
    for (const key of map.keys(path)) {
      const inner = (value as Readonly<Record<string, unknown>> | null)?.[key];
      if (inner === undefined) missing.push([...path, key].join("."));
      else visit(inner, [...path, key]);
    }
  };
  visit(document, []);
  // The offers' list is said as that of the deployments is; other ways to say a field are named in a sentence.
  const instead = /\.(value|pointer|unit|soldOut|pricePerGpuHour|text)$|^offers\.list\.query$|^auth\.query$/;
  // The skeleton is a profile 1.
  const ofTwo = [
    /^(calls|account|balance|billing|currency|offers\.counts|deployments\.records|deployments\.ended|deployments\.get\.missing)$/,
    /^deployments\.fields\.(id|status|failureCode|stopReason)$|\.(gpus\.count|fields\.currency)$|^deployments\.states\.replace$/,
    /^launch\.(accepted|createdAt|refusals|mayVanish)$|^stop\.accepted$|^errors\.soldOut$|^limits\.launchEvery$/,
    /^auth\.token$|^offers\.fields\.(extra|prepaidHours)$/,
  ];
  expect(missing.filter((path) => !instead.test(path) && !ofTwo.some((two) => two.test(path)))).toEqual([]);
  const ways = [
    "in the query: query with",
    "pricePerGpuHour",
    "{ pointer: /cents, unit: cents }",
    "{ value: acme }",
  ];
  for (const way of [...ways, "{ pointer: /shelf, soldOut: [empty] }"])
    expect(await skeleton()).toContain(way);
});

test("no answer of the interview is preselected that would cut a list", async () => {
  const on = here();
  const ask = scripted({
    "messages and files": "svc",
    "Name of the header": "",
    "JSON Pointer": "/data/items",
    "How many GPUs shall": "0",
  });
  const first: Prompts["select"] = async (_question, choices) => choices[0]!.value;
  expect(await on.init(NEEDED, { ...ask, select: first })).toBe(0);
  expect(on.profile("svc.profile.yaml")).toEqual({ profile: 1, name: "svc" });
  expect(readFileSync(join(on.folder, "svc.profile.yaml"), "utf8")).toContain(
    "#     pagination: <kind: none, page, offset, cursor or link, with its parameters>",
  );
});

test("--yes asks nothing, and says what it cannot do without", async () => {
  const on = here();
  const never = scripted({});
  expect(await on.init(["--yes"], never)).toBe(2);
  expect(on.told.join("\n")).toContain("--base-url URL");
  expect(on.told.join("\n")).toContain(
    "--account exclusive (nobody else launches or stops in it) or --account shared",
  );
  expect(await on.init([...NEEDED, "--yes", "--fleet", "a"], never)).toBe(2);
  expect(readdirSync(on.folder)).toEqual([]);
  const fleet = ["--fleet", "a", "--gpus", "4", "--gpu-model", "h100"];
  expect(
    await on.init(
      [...NEEDED, "--yes", ...fleet, "--auth-header", "X-Key", "--auth-value", "{secret}"],
      never,
    ),
  ).toBe(0);
  expect(on.fleetFile().fleets).toMatchObject([
    { name: "a", wish: { gpus: 4, select: { gpuModel: "h100" } } },
  ]);
  expect(on.profile("acme.profile.yaml").auth).toEqual({ header: "X-Key", value: "{secret}" });
  expect(never.asked).toEqual([]);
});

test("a profile that is there already is named from the fleet file's folder", async () => {
  const on = here();
  const profile = join(on.folder, "mine.yaml");
  writeFileSync(profile, "profile: 1\nname: mine\n");
  expect(await on.init([...NEEDED, "--yes", "--profile", relative(process.cwd(), profile)])).toBe(0);
  expect(readFileSync(on.config, "utf8")).toContain("profile: ./mine.yaml");
  expect(on.fleetFile().configuration.profile).toBe(profile);
});

test("without a terminal it does not wait for answers", async () => {
  const on = here();
  expect(await on.init(NEEDED)).toBe(2);
  expect(on.told.join("\n")).toContain("There is no terminal to ask at, and nothing was written. Say --yes");
  expect(readdirSync(on.folder)).toEqual([]);
});

test("nothing is overwritten", async () => {
  const on = here();
  writeFileSync(join(on.folder, "acme.profile.yaml"), "mine");
  expect(await on.init([...NEEDED, "--yes"])).toBe(2);
  expect(on.told.join("\n")).toContain("acme.profile.yaml is there already");
  expect(existsSync(on.config)).toBe(false);
  writeFileSync(on.config, "mine, too");
  expect(await on.init([...NEEDED, "--yes", "--name", "other"])).toBe(2);
  expect(readFileSync(on.config, "utf8")).toBe("mine, too");
  expect(readFileSync(join(on.folder, "acme.profile.yaml"), "utf8")).toBe("mine");
  expect(readdirSync(on.folder)).toHaveLength(2);
});

test("a name that is taken is told at the question", async () => {
  const on = here();
  writeFileSync(join(on.folder, "acme.profile.yaml"), "mine");
  const told: (string | undefined)[] = [];
  const ask = scripted({ "Name of the header": "", "JSON Pointer": "", "How many GPUs shall": "0" });
  const input: Prompts["input"] = async (question, options) => {
    if (!question.includes("messages and files")) return ask.input(question, options);
    told.push(options?.check?.("acme"), options?.check?.("other"));
    return "other";
  };
  expect(await on.init(NEEDED, { ...ask, input })).toBe(0);
  expect(told).toEqual([expect.stringContaining("acme.profile.yaml is there already"), undefined]);
});

test("a question that is not answered leaves no file", async () => {
  const on = here();
  const stopped: Prompts = {
    ...scripted({ "messages and files": "svc", "Name of the header": "", "JSON Pointer": "" }),
    select: () => Promise.reject(new Error("stopped")),
  };
  await expect(
    on.init(NEEDED, {
      ...stopped,
      input: async (question) => (question.includes("How many") ? Promise.reject(new Error("stopped")) : ""),
    }),
  ).rejects.toThrow("stopped");
  expect(readdirSync(on.folder)).toEqual([]);
});

test.each([
  [["--base-url", "http://gpus.acme.com", "--account", "shared"], "would send the credential unencrypted"],
  [[...NEEDED, "--auth-header", "X-Key"], "--auth-header and --auth-value belong together"],
  [
    [...NEEDED, "--auth-header", "X-Key", "--auth-value", "sk-live-123"],
    "expected a template with {secret} in it",
  ],
  [[...NEEDED, "--name", "../../etc"], "Letters, digits"],
  [[...NEEDED, "--profile", "/nowhere.yaml"], "there is no such file"],
])("%j is refused, and nothing is written", async (args, message) => {
  const on = here();
  expect(await on.init([...args, "--yes"])).toBe(2);
  expect(on.told.join("\n")).toContain(message);
  expect(on.told.join("\n")).not.toContain("sk-live");
  expect(readdirSync(on.folder)).toEqual([]);
});

test("pointed at the simulator, the file works as it is", async () => {
  const on = await place();
  const init = ["init", "--yes", "--fleet", "training", "--gpus", "8", "--gpu-model", "h100-80gb"];
  const { code, stdout } = await on.run(init);
  expect(code).toBe(0);
  expect(stdout).not.toContain("export FLEETKEEPER_API_KEY");
  const only = {
    FLEETKEEPER_BASE_URL: undefined,
    FLEETKEEPER_PROFILE: undefined,
    FLEETKEEPER_ACCOUNT: undefined,
  };
  expect(await on.run(["plan"], only)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("launch  h100-80gb-x8"),
  });
  expect(readFileSync(join(on.folder, "fleet.yaml"), "utf8")).toContain(dialectProfilePath("plain"));
});
