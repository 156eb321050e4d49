import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Quoted } from "../../ledger/sample-series.ts";
import { SampleSeries } from "../../ledger/sample-series.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { type Place, place } from "./cli.ts";

const HOUR_MS = 3_600_000;
const MARKET = {
  days: 1,
  offers: [
    { offer: "h100-x8", provider: "north", location: "oslo", gpus: 8, gpuModel: "H100" },
    { offer: "h100-x4", provider: "south", location: "rome", gpus: 4, gpuModel: "H100" },
  ],
  start: [
    [16, 2],
    [12, 2],
  ],
  events: [
    [6 * HOUR_MS, "x", 0, 0.5],
    [7 * HOUR_MS, "k", 0, 9],
    [9 * HOUR_MS, "p", 1, 6],
  ],
};

const wish = (gpus: number, more = ""): string =>
  `fleets:\n  - name: training\n    gpus: ${gpus}\n    select: { gpuModel: H100 }\n${more}`;

async function onMarket(market: object = MARKET): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", wish(16));
  on.write("market.json", JSON.stringify(market));
  return on;
}

const play = async (on: Place, ...more: readonly string[]) => {
  const run = await on.run(["whatif", "fleet.yaml", "--market", "market.json", "--seeds", "1", ...more]);
  return { ...run, said: run.code === 0 && more.includes("--json") ? JSON.parse(run.stdout) : {} };
};

test("limits over a label or the account hold launches in a play, and begin with nothing spent: it says so", async () => {
  const on = await onMarket();
  on.write("limited.yaml", `budgets:\n  - { total: 20 }\n${wish(16)}`);
  const { stdout, said } = await play(on, "--with", "limited.yaml", "--json");
  const [whole, limited] = said.files.map(({ fleets: [fleet] }: (typeof said.files)[number]) => fleet);
  expect(whole.gpuHours.had.median).toBeGreaterThan(376);
  // One machine of 8 GPUs is 16 USD for its first hour: a second one is above the limit.
  expect(limited.gpuHours.had.median).toBeLessThan(200);
  expect(limited.gpuHours.asked.median).toBe(384);
  expect(stdout).toContain("budgets: what was spent before the play");
  expect(said.files[0].notPlayed).toEqual([]);
});

test("whatif plays a fleet on a market file: hours, money, a loss and what came in its place; nothing reaches the service", async () => {
  const on = await onMarket();
  const { code, stderr, said } = await play(on, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [file] = said.files;
  const [fleet] = file.fleets;
  expect(fleet.fleet).toBe("training");
  expect(fleet.gpuHours.asked.median).toBe(384);
  // A loss is seen within minutes, and another machine was to be had.
  expect(fleet.gpuHours.missing.median).toBeGreaterThan(0);
  expect(fleet.gpuHours.missing.median).toBeLessThan(8);
  expect(fleet.interruptions.median).toBe(1);
  expect(fleet.minutesToRecover.median).toBeLessThan(15);
  // 16 GPUs for a day at 2 USD each, and nothing was cheaper.
  expect(Number(fleet.cost.median)).toBeGreaterThan(700);
  expect(Number(fleet.cost.median)).toBeLessThan(780);
  expect(said.market).toMatchObject({ days: 1, daysAsked: 30, offers: 2, currency: "USD" });
  expect(said.notKnown.length).toBeGreaterThan(1);
  expect(new Set(Object.values(on.simulator.truth().requests))).toEqual(new Set([0]));
  // Not even a ledger came to be.
  expect(readdirSync(on.folder).sort()).toEqual(["fleet.yaml", "market.json"]);
});

test("two files side by side are compared in a sentence, the text has charts, and --svg draws them", async () => {
  const on = await onMarket();
  on.write("half.yaml", wish(8));
  const { code, stdout } = await play(on, "--with", "half.yaml", "--svg", "out.svg");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^With half\.yaml: \d+ USD instead of \d+, and [\d.]+ GPU-hours fewer missing\. It asks for 192\.0 GPU-hours fewer\.$/m,
  );
  expect(stdout).toMatch(/^ {2}GPUs {6}[▁▂▃▄▅▆▇█ ]{60} {2}0 to 16$/m);
  expect(stdout).toContain("What this does not know:");
  const svg = readFileSync(join(on.folder, "out.svg"), "utf8");
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg.match(/<desc /g)).toHaveLength(4);
  // A character that is no text in the style would end the rule after it.
  expect(svg).not.toMatch(/·/);
});

test("no command of a fleet runs, no metric is read, and a deadline is as far away as from now", async () => {
  const on = await onMarket();
  const until = new Date(Date.now() + 12 * HOUR_MS).toISOString();
  const touch = `command: [sh, -c, "touch ${join(on.folder, "ran")}"]`;
  const asks = ["setup", "beforeStop", "idle", "ready", "health"].map((key) => {
    const more =
      key === "idle" ? "for: 1h, " : key === "setup" || key === "beforeStop" ? "" : "address: host, ";
    return `    ${key}: { ${more}${touch} }\n`;
  });
  on.write("fleet.yaml", wish(16, `    until: "${until}"\n${asks.join("")}`));
  on.write("moving.yaml", wish(16, `    surge: 4\n    improve: { saves: 10% }\n${asks.join("")}`));
  const { code, stderr, said } = await play(on, "--with", "moving.yaml", "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readdirSync(on.folder)).not.toContain("ran");
  const [file] = said.files;
  expect(file.notPlayed.map((text: string) => text.split(":")[0])).toEqual([
    "training.setup",
    "training.ready",
    "training.idle",
    "training.beforeStop",
    "training.health",
  ]);
  expect(file.fleets[0].gpuHours.asked.median).toBeGreaterThan(180);
  expect(file.fleets[0].gpuHours.asked.median).toBeLessThan(195);
  // What waited for a setup would never take the place of another machine.
  expect(said.files[1].fleets[0].left.median).toBeGreaterThan(0);
});

test("time is billed as the profile of the fleet file says, also by the agent that plays; without one a first hour is paid", async () => {
  const on = await onMarket();
  const until = new Date(Date.now() + HOUR_MS / 2).toISOString();
  const played = async (service: string) => {
    on.write("fleet.yaml", `${service}${wish(16, `    until: "${until}"\n    budget: { total: 20 }\n`)}`);
    const { stderr, said } = await play(on, "--json");
    expect(stderr).toBe("");
    const [{ all, launches }] = said.files;
    const known = said.notKnown.join("\n");
    return { usd: Number(all.cost.median), launches: launches.median, known };
  };
  // Two machines of 16 USD an hour are wanted for half an hour.
  const unsaid = await played("");
  expect(unsaid).toMatchObject({ usd: 16, launches: 1 });
  expect(unsaid.known).toContain("How time is billed: no profile says it");
  const billed = await played(`service: { baseUrl: "${on.url}", profile: lambda }\n`);
  expect(billed.launches).toBe(2);
  expect(billed.usd).toBeGreaterThan(12);
  expect(billed.usd).toBeLessThan(18);
  expect(billed.known).not.toContain("How time is billed");
});

/** A program that plays with another fleet file than it is given. */
function otherVersion(on: Place, file: string): void {
  const entry = join(import.meta.dirname, "..", "..", "agent", "cli", "entry.ts");
  const text = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${entry}" whatif ${file} "$@"\n`;
  writeFileSync(join(on.folder, "other"), text, { mode: 0o755 });
}

test("--upgrade says whether another version decides alike, or from which machine on it does not", async () => {
  const on = await onMarket();
  otherVersion(on, "fleet.yaml");
  const same = await play(on, "--upgrade", "./other", "--json");
  expect({ code: same.code, stderr: same.stderr }).toEqual({ code: 0, stderr: "" });
  expect(same.said).toMatchObject({
    compared: null,
    upgrade: { other: "./other", alike: true, differs: [] },
  });
  const [machines] = same.said.files[0].machines;
  expect(machines).toHaveLength(3);
  expect(machines.filter(({ lost }: { lost: boolean }) => lost)).toHaveLength(1);

  on.write("half.yaml", wish(8));
  otherVersion(on, "half.yaml");
  const { code, stdout } = await play(on, "--upgrade", "./other");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^With \.\/other: \d+ USD instead of \d+/m);
  expect(stdout).toMatch(
    /^\.\/other decides otherwise:\n {2}play 1: alike for 0\.0 days\. At \S+ h100-x\d @ \w+\/\w+ for training begins to run in the play of this version, and not in that of \.\/other\.$/m,
  );
});

test("--upgrade names a program that is one of ours", async () => {
  const on = await onMarket();
  const fails = async (program: string, text: string) => {
    const { code, stderr } = await play(on, "--upgrade", program);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(text) });
  };
  await fails("./nowhere", "--upgrade ./nowhere: there is no ");
  await fails("false", "--upgrade false: it ended with 1.");
  await fails("true", "--upgrade true: it did not print what this version's whatif --json prints");
});

const OFFERS: readonly Quoted[] = [
  {
    offer: "h100-x8",
    provider: "north",
    location: "oslo",
    gpus: 8,
    gpuModel: "H100",
    price: "16.0000",
    room: 4,
  },
  {
    offer: "h100-x4",
    provider: "south",
    location: "rome",
    gpus: 4,
    gpuModel: "H100",
    price: "10.0000",
    room: null,
  },
  { offer: "h100-x1", provider: "east", location: "bern", gpus: 1, gpuModel: "H100", price: null, room: 3 },
];

/** A ledger whose agent has looked at these offers each hour, for so many hours until now but for a gap of five. */
async function recorded(on: Place, hours: number, offers: readonly Quoted[] = OFFERS): Promise<string> {
  const path = join(on.folder, "ledger.db");
  const ledger = openSqliteLedger({ path, newId: "ledger0000000000", now: Date.now() });
  const account = await ledger.openAccount({
    baseUrl: on.url,
    account: {
      id: "a",
      email: "you@example.com",
      display_name: "You",
      created_at: "2026-01-01T00:00:00Z",
    } as never,
    tenure: "exclusive",
    billing: { unit: 1000, minimum: 60_000, reserved: 0 },
  });
  const now = Date.now();
  const series = new SampleSeries();
  for (let hour = hours; hour >= 0; hour--) {
    if (hour > 10 && hour < 15) continue;
    const at = now - hour * HOUR_MS;
    const sample = series.next(at, offers, { whole: true });
    if (sample) await ledger.putSamples(account, [sample], at, at + 1);
  }
  ledger.close();
  return path;
}

test("whatif plays on the market of the own ledger, says what nobody looked at, and does not change a byte of it", async () => {
  const on = await place();
  on.write("fleet.yaml", wish(16));
  const path = await recorded(on, 24);
  const before = readFileSync(path);
  const { mtimeMs } = statSync(on.folder);
  const { code, stdout, stderr } = await on.run(["whatif", "--days", "2", "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readFileSync(path).equals(before)).toBe(true);
  // Who opens it to write puts files beside it.
  expect(statSync(on.folder).mtimeMs).toBe(mtimeMs);
  expect(readdirSync(on.folder).sort()).toEqual(["fleet.yaml", "ledger.db"]);
  expect(new Set(Object.values(on.simulator.truth().requests))).toEqual(new Set([0]));
  const said = JSON.parse(stdout);
  expect(said.market.days).toBeCloseTo(1, 2);
  expect(said.market).toMatchObject({ daysAsked: 2, offers: 2 });
  expect(said.seeds).toBe(3);
  expect(said.files[0].fleets[0].gpuHours.missing.median).toBeLessThan(1);
  const known = said.notKnown.join("\n");
  expect(known).toContain("1 of 2 offers showed how many could be had");
  expect(known).toContain("5.0 hours, in 1 gaps");
  expect(known).toContain("What 1 offers cost");
  expect(known).toContain("this ledger never had one");
  expect(known).not.toContain("How time is billed");
  const text = await on.run(["whatif", "--days", "2", "--seeds", "1"]);
  expect(text.stdout).toContain("2 days were asked for, and no more is known.");
});

test("what is wrong is named, and what to do: no history, too short a one, a wrong market, the same file, no fleets", async () => {
  const on = await onMarket();
  const fails = async (args: readonly string[], ...texts: readonly string[]): Promise<void> => {
    const { code, stderr, stdout } = await on.run(["whatif", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const text of texts) expect(stderr).toContain(text);
  };
  await fails([], "there is no ledger here", "--history", "--market");
  await fails(["--history", "elsewhere.db"], "elsewhere.db: there is no ledger here");
  await fails(["--days", "0"], "expected at least 1");
  await fails(["--seeds", "0"], "expected at least 1");
  await fails(["--market", "market.json", "--history", "ledger.db"], "cannot be used with");
  await fails(["--market", "none.json"], "The market file none.json cannot be read: there is no such file");
  await fails(["fleet.yaml", "--market", "market.json", "--with", "./fleet.yaml"], "this is the same file");
  await fails(["none.yaml", "--market", "market.json"], "none.yaml cannot be read");
  on.write("bad.yaml", wish(-1));
  await fails(["bad.yaml", "--market", "market.json"], "bad.yaml:3:");
  on.write("empty.yaml", "fleets: []\n");
  await fails(["empty.yaml", "--market", "market.json"], "has no fleets");
  await fails(
    ["--market", "market.json", "--svg", "none/out.svg"],
    "--svg none/out.svg: nothing can be written to",
  );
  on.write("text.json", "days: 3");
  await fails(["--market", "text.json"], "text.json: expected a market as JSON");
  const wrong = {
    ...MARKET,
    events: [
      [1, "p", 0, 3],
      [0, "q", 0, 3],
    ],
  };
  on.write("wrong.json", JSON.stringify(wrong));
  await fails(
    ["--market", "wrong.json"],
    'wrong.json: events.1: expected [ms, "p", offer, USD an hour]',
    'got [0,"q",0,3]',
  );
  on.write(
    "order.json",
    JSON.stringify({
      ...MARKET,
      start: [[16, 2]],
      events: [
        [5, "c", 0, 1],
        [1, "c", 7, 1],
      ],
    }),
  );
  await fails(
    ["--market", "order.json"],
    "start.length: expected a price and a room for each of the 2 offers",
    "events.1.0: expected events in order of time, got 1",
    "events.1.2: expected an offer from 0 to 1, got 7",
  );
  await recorded(on, 0);
  await fails([], "the market was looked at for 0 minutes in the last 30 days", "an hour is the least");
  rmSync(join(on.folder, "ledger.db"));
  await recorded(
    on,
    3,
    OFFERS.map((offer) => ({ ...offer, price: null })),
  );
  await fails(
    [],
    "offers ever showed a price, so nothing can be launched in a play",
    "offers.fields.pricePerHour",
  );
});
