import type { Command } from "commander";
import { expect, test } from "vitest";
import { describeCommands } from "../../agent/cli/commands/index.ts";
import { alive, FLEET, type Place, place, type Run, running, until } from "./cli.ts";
import { pageOf, runs, serviceLine, two } from "./two-services.ts";

/*
 * Every command says the same by an agent's API as beside its ledger: on one simulated account, with one agent. A command that
 * is not in this table fails the test.
 */

/** One way to type a command. What stands in `first` is typed before it, on the same side. */
interface Typed {
  readonly args: readonly string[];
  readonly first?: readonly string[];
  /** Default 0. */
  readonly code?: number;
}

/** What is typed of a command; or why it asks no agent. */
type Row = readonly Typed[] | RegExp;

const HERE = /^--agent: fleetkeeper [a-z ]+ works on this machine alone, and asks no agent\.\n$/;
const BESIDE = /^--agent: fleetkeeper [a-z ]+ works on the ledger itself: run it where the agent runs\.\n$/;
const typed = (...args: readonly string[]): Typed => ({ args });

const READ: Readonly<Record<string, Row>> = {
  plan: [typed("plan"), typed("plan", "--json")],
  "services list": [typed("services"), typed("services", "list", "--json")],
  status: [typed("status"), typed("status", "--json")],
  history: [
    typed("history"),
    typed("history", "--json", "--limit", "3"),
    typed("history", "--by", "token:nobody"),
  ],
  spend: [
    typed("spend"),
    typed("spend", "--json", "--days", "2"),
    typed("spend", "--by", "team"),
    typed("spend", "--csv"),
    typed("spend", "--month", "2026-01", "--json"),
  ],
  places: [typed("places"), typed("places", "--days", "7", "--json")],
  offers: [
    typed("offers"),
    typed("offers", "--json", "--available"),
    typed("offers", "--gpu-model", "h100-80gb", "--worth", "h100-80gb=2", "--max-price", "3"),
    typed("offers", "--gpu-model", "abacus"),
  ],
  account: [typed("account"), typed("account", "--json")],
  balance: [typed("balance"), typed("balance", "--json")],
  // It prints nothing: mcp.test.ts has both sides.
  mcp: [],
  hosts: [
    typed("hosts"),
    typed("hosts", "--json", "--fleet", "training"),
    typed("hosts", "--field", "host"),
    typed("hosts", "--ssh-config"),
    { args: ["hosts", "--fleet", "trainig"], code: 2 },
    { args: ["hosts", "--field", "ip"], code: 2 },
  ],
  "deployments list": [
    typed("deployments", "list"),
    typed("deployments", "list", "--all", "--json"),
    typed("deployments", "list", "--json"),
  ],
  "deployments show": [
    typed("deployments", "show", "MINE"),
    typed("deployments", "show", "MINE", "--json"),
    { args: ["deployments", "show", "no-such"], code: 2 },
  ],
};

const ORDER: Readonly<Record<string, Row>> = {
  pause: [typed("pause", "other"), { args: ["pause", "no-such"], code: 2 }],
  resume: [typed("resume", "other"), typed("resume"), { args: ["resume", "no-such"], code: 2 }],
  drain: [
    typed("drain", "other", "--yes"),
    { args: ["drain", "other"], code: 2 },
    { args: ["drain", "no-such", "--yes"], code: 2 },
  ],
  wake: [typed("wake", "other"), { args: ["wake", "no-such"], code: 2 }],
  // What they do is tried below, where there are several.
  "services pause": [{ args: ["services", "pause", "x"], code: 2 }],
  "services drain": [{ args: ["services", "drain", "x", "--yes"], code: 2 }],
  "services resume": [{ args: ["services", "resume", "x"], code: 2 }],
  ask: [
    { first: ["resume", "other"], args: ["ask", "other", "0", "--for", "4h", "--why", "a look"] },
    { first: ["ask", "other", "0"], args: ["ask", "other", "--end"] },
    typed("ask", "other", "--end"),
    { args: ["ask", "other", "99"], code: 2 },
    { args: ["ask", "training", "8"], code: 2 },
    { args: ["ask", "no-such", "8"], code: 2 },
  ],
  hold: [
    typed("hold", "MINE", "--for", "2h", "--why", "a save"),
    { args: ["hold", "no-such", "--for", "2h"], code: 2 },
    { args: ["hold", "MINE", "--for", "2y"], code: 2 },
  ],
  release: [
    { first: ["hold", "MINE", "--for", "2h"], args: ["release", "MINE"] },
    typed("release", "MINE"),
    { args: ["release", "no-such"], code: 2 },
  ],
  seen: [typed("seen"), { args: ["seen", "no-such"], code: 2 }],
  adopt: [
    { args: ["adopt", "STRANGER", "--fleet", "no-such"], code: 2 },
    { args: ["adopt", "no-such", "--fleet", "other"], code: 2 },
    typed("adopt", "MINE", "--fleet", "training"),
    // A full fleet: what is stopped is said, and nobody is asked.
    { args: ["adopt", "STRANGER", "--fleet", "training"], code: 2 },
    { first: ["pause", "training"], args: ["adopt", "STRANGER", "--fleet", "training"] },
  ],
  disown: [{ args: ["disown", "no-such"], code: 2 }, typed("disown", "STRANGER")],
  "deployments stop": [
    { args: ["deployments", "stop", "STRANGER", "--yes"], code: 2 },
    { args: ["deployments", "stop", "no-such", "--yes"], code: 2 },
    { args: ["deployments", "stop", "MINE"], code: 2 },
    typed("deployments", "stop", "ADOPTED", "--yes", "--no-wait"),
    { args: ["deployments", "stop", "ENDED", "--yes"] },
  ],
  stop: [
    { args: ["stop"], code: 2 },
    { args: ["stop", "--all"], code: 2 },
  ],
};

const NOT: Readonly<Record<string, Row>> = {
  demo: HERE,
  init: HERE,
  clouds: HERE,
  "schema fleet": HERE,
  "completion bash": HERE,
  "profile check x": HERE,
  simulate: HERE,
  doctor: /reads the service itself, with its key: run it where the agent runs\.\n$/,
  agent: /is the agent itself, and needs the ledger and the service's key\.\n$/,
  "token create --name x --may read": /a token that could make others would have no end/,
  "token list": BESIDE,
  "token revoke x": BESIDE,
  share: BESIDE,
  whatif: /plays a market that is read from the ledger itself/,
  "notify test": /needs the secrets of those who are told, which only the agent's machine has/,
  "serve-autoscaler --groups x.yaml --insecure": /^--groups x\.yaml: it cannot be read/,
  "ledger check": BESIDE,
  "ledger copy": BESIDE,
};

/** Asked of an agent alone: beside a ledger an agent has such a file itself. */
const THERE = { declare: /^declare asks an agent: name it with --agent or FLEETKEEPER_AGENT\./ };

const ONE = { offer: "l40s-48gb-x1", provider: "dune", location: "us-west" };
const OTHER = `  - name: other
    gpus: { min: 0, max: 8, at: 0 }
    candidates:
      - { offer: h100-80gb-x8, provider: aurora, location: is-rey, gpus: 8 }
`;
/** Only who says so makes a machine ours here, so an agent leaves strangers alone. */
const SHARED = { FLEETKEEPER_ACCOUNT: "shared" };

interface Sides {
  readonly on: Place;
  beside(args: readonly string[]): Promise<Run>;
  byAgent(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>;
}

/** A fleet of two machines that run, and its agent. */
async function sides(): Promise<Sides> {
  const on = await place();
  on.write("fleet.yaml", FLEET + OTHER);
  const agent = on.start(["agent", "--http", "127.0.0.1:0"], SHARED);
  const shown = await agent.shows("status page: ");
  await until("both run", () => running(on) === 2);
  const url = /status page: (\S+)/.exec(shown)?.[1] ?? "";
  const token = (
    await on.run(["token", "create", "--name", "person", "--may", "admin"], SHARED)
  ).stdout.trim();
  // None of what works beside a ledger.
  const bare = Object.fromEntries(Object.keys(on.env).map((name) => [name, undefined]));
  return {
    on,
    beside: (args) => on.run(args, SHARED),
    byAgent: (args, env = {}) =>
      on.run(["--agent", url, ...args], { ...bare, FLEETKEEPER_TOKEN: token, ...env }),
  };
}

/** Moments, and times since then, which pass between two looks. */
function timeless(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "MOMENT")
    .replace(/\b\d{13}(\.\d+)?\b/g, "MS")
    .replace(/\b\d+ (s|min|h) ago\b/g, "AGO")
    .replace(/"(seconds|wake|hoursCooling|machineDays|secondsToRun|mean|low|high)": [\d.]+/g, '"$1": N')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID");
}

function leaves(command: Command, path = ""): readonly string[] {
  if (command.commands.length === 0) return [path.trim()];
  return command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`));
}

test("every command stands in the table of this test", () => {
  const cli = { environment: {}, signal: AbortSignal.abort(), print: () => 0, tell: () => 0, color: false };
  const program = describeCommands(() => async () => undefined, "0", cli);
  const known = Object.keys({ ...READ, ...ORDER, ...NOT, ...THERE });
  const lacks = leaves(program).filter((name) => !known.some((each) => `${each} `.startsWith(`${name} `)));
  expect(lacks).toEqual([]);
});

test("what reads says the same by the agent as beside its ledger", { timeout: 300_000 }, async () => {
  const { on, beside, byAgent } = await sides();
  const mine = alive(on)[0]?.id ?? "";
  for (const row of Object.values(READ)) {
    if (row instanceof RegExp) continue;
    for (const { args: asked, code = 0 } of row) {
      const args = asked.map((each) => (each === "MINE" ? mine : each));
      // The agent writes between two looks: what both say within a moment is the same.
      for (let tries = 1; ; tries++) {
        const [here, there] = [await beside(args), await byAgent(args)];
        const same = timeless(here.stdout) === timeless(there.stdout) && here.code === there.code;
        if (!same && tries < 8) continue;
        expect(timeless(there.stdout), args.join(" ")).toBe(timeless(here.stdout));
        expect([there.code, here.code], `${args.join(" ")}: ${there.stderr}`).toEqual([code, code]);
        break;
      }
    }
  }
});

test("what is known by a list that is not believed has exit code 1 on both sides, and why", async () => {
  const { on, beside, byAgent } = await sides();
  const down = { kind: "errorBefore", status: 503 } as const;
  on.simulator.control.faults.chance("deployments", [{ fault: down, probability: 1 }]);
  // The agent's next list fails, too.
  for (let tries = 0; (await byAgent(["hosts"])).code === 0; tries++) expect(tries).toBeLessThan(100);
  for (const args of [["deployments", "list"], ["hosts"]]) {
    const [here, there] = [await beside(args), await byAgent(args)];
    expect([here.code, there.code], args.join(" ")).toEqual([1, 1]);
    expect(there.stderr).toContain("503");
  }
  expect((await byAgent(["deployments", "list"])).stdout).toContain("fleet training");
});

test("what orders says the same by the agent as beside its ledger", { timeout: 300_000 }, async () => {
  const { on, beside, byAgent } = await sides();
  const [mine = ""] = alive(on).map(({ id }) => id);
  const adopted: string[] = [];
  for (const row of Object.values(ORDER)) {
    if (row instanceof RegExp) continue;
    for (const { first, args: asked, code = 0 } of row) {
      const said: Run[] = [];
      for (const side of [beside, byAgent]) {
        const needs = asked.includes("STRANGER");
        const stranger = needs ? on.simulator.control.launchByHand(ONE) : "";
        if (needs) await seen(beside, stranger);
        const named: Readonly<Record<string, string>> = {
          MINE: mine,
          STRANGER: stranger,
          ADOPTED: adopted[side === beside ? 0 : 1] ?? "",
          ENDED: adopted[side === beside ? 0 : 1] ?? "",
        };
        const args = asked.map((each) => named[each] ?? each);
        if (asked.includes("ENDED"))
          await until("it has ended", () => !alive(on).some(({ id }) => id === named.ENDED));
        if (first) await side(first.map((each) => named[each] ?? each));
        const run = await side(args);
        if (needs && asked[0] === "adopt" && run.code === 0) adopted.push(stranger);
        else if (needs) await beside(["disown", stranger]);
        said.push(run);
      }
      const [one, other] = said;
      expect(timeless(other?.stdout ?? ""), asked.join(" ")).toBe(timeless(one?.stdout ?? ""));
      expect([other?.code, one?.code], `${asked.join(" ")}: ${one?.stderr}|${other?.stderr}`).toEqual([
        code,
        code,
      ]);
    }
  }
  // What is told before something is stopped, and the end of all.
  const all = await byAgent(["stop", "--all", "--yes"]);
  expect(all.stderr).toContain("To be stopped:");
  const again = [await beside(["stop", "--all", "--yes"]), await byAgent(["stop", "--all", "--yes"])];
  expect(again[1]?.stdout).toBe(again[0]?.stdout);
  expect(again[1]?.code).toBe(again[0]?.code);
  expect(alive(on).filter(({ id }) => id === mine)).toEqual([]);
});

test("a fleet file is declared by an agent, asks before it drains, and is taken back", {
  timeout: 300_000,
}, async () => {
  const { on, beside, byAgent } = await sides();
  const name = (each: string): string => OTHER.replace("other", each);
  on.write("two.yaml", `fleets:\n${name("one")}${name("two")}`);
  on.write("less.yaml", `fleets:\n${name("one")}`);
  on.write("more.yaml", `budgets: []\nfleets:\n${name("one")}`);
  on.write("taken.yaml", `fleets:\n${name("one")}${name("training")}`);
  expect(await beside(["declare", "ml", "two.yaml"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(THERE.declare),
  });
  const dry = await byAgent(["declare", "ml", "two.yaml", "--dry-run"]);
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^one is new.*\ntwo is new.*\n.*two: 0 GPUs/s),
  });
  expect((await byAgent(["status"])).stdout).not.toContain("one");
  expect((await byAgent(["declare", "ml", "two.yaml"])).code).toBe(0);
  expect(await byAgent(["declare", "ml", "two.yaml"])).toMatchObject({
    stdout: "Nothing else is asked for than before.\n",
  });
  for (const [file, why] of [
    ["taken.yaml", /training: file:.* has declared this name/],
    ["more.yaml", /has budgets beside fleets/],
    ["none.yaml", /cannot be read/],
    ["less.yaml", /this asks first/],
  ] as const)
    expect(await byAgent(["declare", "ml", file])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(why),
    });
  expect(await byAgent(["declare", "ml", "less.yaml", "--yes"])).toMatchObject({
    code: 0,
    stdout: "two is left out, and drains\n",
  });
  expect(await byAgent(["declare", "ml", "--remove", "--yes"])).toMatchObject({
    code: 0,
    stdout: "one is left out, and drains\n",
  });
  const runs = (gpus: number): string =>
    `fleets:\n  - { name: runs, gpus: ${gpus}, candidates: [{ ${Object.entries(ONE)
      .map((each) => each.join(": "))
      .join(", ")}, gpus: 1 }] }\n`;
  on.write("runs.yaml", runs(1));
  on.write("ends.yaml", runs(0));
  expect((await byAgent(["declare", "runs", "runs.yaml"])).code).toBe(0);
  await until("it runs", () => running(on) === 3);
  const ends = async () => (await byAgent(["declare", "runs", "ends.yaml", "--dry-run"])).stdout;
  // It runs by the service's books, and the agent's next list has it, too.
  for (let tries = 0; !(await ends()).includes("  stop "); tries++) expect(tries).toBeLessThan(100);
  expect(await byAgent(["declare", "runs", "ends.yaml"])).toMatchObject({ code: 2 });
  expect(running(on)).toBe(3);
  expect((await byAgent(["declare", "runs", "ends.yaml", "--yes"])).code).toBe(0);
  expect(await byAgent(["declare", "ml", "--remove"])).toMatchObject({ code: 2 });
  expect(await byAgent(["declare", "ml"])).toMatchObject({ code: 2 });
});

/** The agent lists it. */
async function seen(beside: Sides["beside"], id: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++)
    if ((await beside(["deployments", "list"])).stdout.includes(id)) return;
  throw new Error(`${id} is in no list`);
}

test("what asks no agent says so, before anything is read", async () => {
  const on = await place();
  const run = (args: readonly string[], env = {}) => on.run(args, env);
  for (const [name, why] of Object.entries(NOT)) {
    const { code, stdout, stderr } = await run(["--agent", "https://keeper.example.com", ...name.split(" ")]);
    expect([code, stdout], name).toEqual([2, ""]);
    expect(stderr, name).toMatch(why as RegExp);
  }
  const env = { FLEETKEEPER_AGENT: "https://keeper.example.com" };
  expect((await run(["schema", "fleet"], env)).code).toBe(0);
  expect((await run(["ledger", "check"], env)).stderr).toMatch(
    /^FLEETKEEPER_AGENT is set, and fleetkeeper ledger/,
  );
  // A flag counts before the environment.
  const beside = await run(["status", "--ledger", on.env.FLEETKEEPER_LEDGER ?? ""], env);
  expect(beside.stderr).toContain("there is no ledger here yet");
  for (const flag of ["--market", "--history"])
    expect((await run(["whatif", flag, "none"], env)).stderr).toMatch(
      /^The fleet file fleet\.yaml cannot be read/,
    );
  const both = await run(["--agent", "https://keeper.example.com", "status", "--ledger", "x.db"]);
  expect(both).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--agent and --ledger are both given"),
  });
});

test("an agent with several services answers for all of them; of the rest --service says which", async () => {
  const { on, dune, duneUrl, env } = await two();
  const profile = on.env.FLEETKEEPER_PROFILE ?? "";
  const [acme, other] = [on.url, duneUrl].map((url, index) =>
    serviceLine(["acme", "dune"][index] ?? "", url, profile, ["ACME_KEY", "DUNE_KEY"][index] ?? ""),
  );
  const candidate = "{ offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8, pricePerHour: 20 }";
  on.write(
    "fleet.yaml",
    `services:\n${acme}${other}fleets:\n  - { name: training, services: all, gpus: 8, candidates: [${candidate}] }\n`,
  );
  const agent = on.start(["agent"], env);
  const url = await pageOf(agent);
  await until("it runs somewhere", () => runs(on.simulator) + runs(dune) === 1);
  const beside = (args: readonly string[]) => on.run(args, env);
  for (let tries = 0; JSON.parse((await beside(["status", "--json"])).stdout).accounts.length < 2; tries++)
    expect(tries).toBeLessThan(400);
  const token = (await beside(["token", "create", "--name", "p", "--may", "operate"])).stdout.trim();
  const bare = Object.fromEntries(Object.keys({ ...on.env, ...env }).map((name) => [name, undefined]));
  const byAgent = (args: readonly string[]) =>
    on.run(["--agent", url, ...args], { ...bare, FLEETKEEPER_TOKEN: token });
  for (const args of [
    ["status"],
    ["status", "--json"],
    ["services"],
    ["spend", "--json"],
    ["places"],
    ["history"],
    ["offers"],
    ["plan"],
    ["plan", "--json"],
    ["plan", "--service", "acme"],
    ["deployments", "list", "--service", "dune"],
    ["balance", "--service", "dune"],
    ["pause", "training"],
    ["resume", "training"],
    ["services", "pause", "acme"],
    ["services", "drain", "dune", "--fleet", "training", "--yes"],
    ["services", "resume", "dune"],
    ["services", "resume", "acme"],
    ["drain", "training", "--yes"],
    ["wake", "training"],
    ["resume", "training"],
  ])
    for (let tries = 1; ; tries++) {
      const [here, there] = [await beside(args), await byAgent(args)];
      if (timeless(here.stdout) !== timeless(there.stdout) && tries < 8) continue;
      expect(timeless(there.stdout), `${args.join(" ")}: ${there.stderr}`).toBe(timeless(here.stdout));
      expect([there.code, here.code], args.join(" ")).toEqual([0, 0]);
      break;
    }
  expect((await byAgent(["pause", "training"])).stdout.match(/is paused/g)).toHaveLength(2);
  for (const args of [
    ["services", "drain", "acme"],
    ["services", "pause", "north"],
    ["services", "pause", "acme", "--fleet", "other"],
  ]) {
    const [here, there] = [await beside(args), await byAgent(args)];
    expect([there.code, there.stderr], args.join(" ")).toEqual([2, here.stderr]);
  }
  expect(await byAgent(["balance"])).toMatchObject({
    code: 2,
    stderr: "the agent has several services: say which one with --service NAME. There are: acme, dune.\n",
  });
  expect(await byAgent(["balance", "--service", "north"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/has no such service. There are: acme, dune\.\n$/),
  });
}, 120_000);

test("a token that may not, or not there, is refused with the reason, and nothing is done", async () => {
  const { beside, byAgent } = await sides();
  const token = async (...more: readonly string[]) =>
    (await beside(["token", "create", ...more])).stdout.trim();
  const read = { FLEETKEEPER_TOKEN: await token("--name", "r", "--may", "read") };
  const some = { FLEETKEEPER_TOKEN: await token("--name", "o", "--may", "operate", "--fleets", "other") };
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await byAgent(["status"], read)).toMatchObject({ code: 0 });
  expect(await byAgent(["pause", "other"], read)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^token:r may read, and pause of a fleet needs operate\.\n$/),
  });
  expect(await byAgent(["pause", "training"], some)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^token:o is for fleets other, and not for pause of training\.\n$/),
  });
  expect(await byAgent(["pause", "other"], some)).toMatchObject({ code: 0 });
  expect((await beside(["history", "--by", "token:o"])).stdout).toContain("paused");
  const wrong = await byAgent(["pause", "other"], { FLEETKEEPER_TOKEN: "fk_wrong" });
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain("does not take the token in FLEETKEEPER_TOKEN");
  expect(wrong.said).not.toContain("fk_wrong");
  const none = await byAgent(["pause", "other"], { FLEETKEEPER_TOKEN: "" });
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("asks for a token: set FLEETKEEPER_TOKEN"),
  });
  await beside(["token", "revoke", "o"]);
  expect(await byAgent(["resume", "other"], some)).toMatchObject({ code: 2 });
});
