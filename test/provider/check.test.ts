import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { wishShape } from "../../agent/fleet/wish/wish.ts";
import type {
  FleetArgs,
  FleetBudget,
  FleetBuffer,
  FleetCandidate,
  FleetGpuUse,
  FleetHealth,
  FleetIdle,
  FleetImprove,
  FleetImproveWindow,
  FleetImproveWithin,
  FleetMetric,
  FleetMetricHttp,
  FleetMetricPrometheus,
  FleetMetricStep,
  FleetPatience,
  FleetRange,
  FleetReady,
  FleetSchedule,
  FleetScheduleWindow,
  FleetSelect,
  FleetUpdate,
  FleetWork,
} from "../../provider/fleet.ts";
import type { Environment, Properties, ResourceKind } from "../../provider/kinds.ts";
import { machine, slot, wish } from "../../provider/kinds.ts";
import { openEnvironment } from "../../provider/runtime/host/open-environment.ts";
import { wishInputs } from "../../provider/runtime/inputs/inputs.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { createSimulator, dialectProfilePath } from "../../simulator/index.ts";
import { stage } from "../support/stage.ts";
import { deskOn, never } from "./support.ts";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const env = {
  problem: () => undefined,
  usedParameters: () => undefined,
  glimpse: () => Promise.reject(new FleetkeeperError("UNREACHABLE", "offline")),
  ledgerThere: async () => undefined,
  held: new Set(),
  hide: (text: string) => text,
  say: () => undefined,
  now: () => 0,
} as unknown as Environment;
const schedule = {
  timeZone: "Europe/Berlin",
  entries: [{ from: "Mon-Fri 08:00", to: "Mon-Fri 20:00", gpus: 32 }],
};
const range = { min: 0, max: 64 };
const metric = {
  http: { url: "http://queue:9000/length", pointer: "/length" },
  target: 4,
  down: { most: 8 },
};
const combination = { label: "project/dev/web", offer: "o", provider: "p", location: "l" };
const inSlot = { ...combination, slot: "s", ledger: "l" };
const fleet = { label: "project/dev/web", source: "s", name: "n", ledger: "l", gpus: 8, select: {} };

async function failures(kind: ResourceKind, news: Properties, by: Environment = env): Promise<string[]> {
  const checked = await kind.check(by, { __provider: "exports", ...news });
  return checked.failures.map(({ property, reason }) => `${property}: ${reason}`);
}

describe("a machine's slot, which a program gives with the place where it was made", () => {
  it("stands in the state as two properties, as ever", async () => {
    const { inputs } = await machine.check(env, { ...combination, slot: { id: "s", ledger: "l" } });
    expect(inputs).toEqual(inSlot);
  });

  it("is known where only its place is not, as while the slot changes in place", async () => {
    const news = { ...combination, slot: { id: "s", ledger: UNKNOWN } };
    const { inputs, failures: found } = await machine.check(env, news, inSlot);
    expect(inputs).toEqual({ ...inSlot, ledger: UNKNOWN });
    expect(found).toEqual([]);
    expect(await failures(machine, { ...combination, slot: { id: UNKNOWN, ledger: UNKNOWN } })).toEqual([]);
  });
});

/** True where both have the same keys; tsc says so. */
type SameKeys<One, Other> = [keyof One, keyof Other] extends [keyof Other, keyof One] ? true : false;
type Written<Key extends keyof WishInput> = NonNullable<WishInput[Key]>;
type InStack = Omit<FleetArgs, "name" | "awaitReady" | "reconcile" | "timeouts" | "triggers">;
type Http = NonNullable<Written<"metric">["http"]>;
type Prometheus = NonNullable<Written<"metric">["prometheus"]>;

it("a Fleet is asked for with the words of a fleet file", () => {
  const same: [
    SameKeys<InStack, WishInput & Record<"services" | "spread", unknown>>,
    SameKeys<FleetCandidate, Written<"candidates">[number]>,
    SameKeys<FleetSelect, Written<"select">>,
    SameKeys<FleetPatience, NonNullable<Written<"select">["patience"]>>,
    SameKeys<FleetBudget, Written<"budget">>,
    SameKeys<FleetReady, Written<"ready">>,
    SameKeys<FleetHealth, Written<"health">>,
    SameKeys<FleetIdle, Written<"idle">>,
    SameKeys<FleetBuffer, Written<"buffer">>,
    SameKeys<FleetImprove, Written<"improve">>,
    SameKeys<FleetUpdate, Written<"update">>,
    // What is wanted where nothing asks is the fleet's own `gpus`, and the bounds stand once.
    SameKeys<FleetRange, Omit<Written<"range">, "at">>,
    SameKeys<FleetSchedule, Omit<Written<"schedule">, keyof Written<"range">>>,
    SameKeys<FleetMetric, Omit<Written<"metric">, keyof Written<"range">>>,
    // Secrets are those of the agent.
    SameKeys<FleetMetricHttp, Omit<Http, "secret">>,
    SameKeys<FleetMetricPrometheus, Omit<Prometheus, "secret">>,
    SameKeys<FleetMetricStep, NonNullable<Written<"metric">["up"]>>,
    SameKeys<FleetScheduleWindow, Written<"schedule">["entries"][number]>,
    SameKeys<FleetWork, Written<"work">>,
    SameKeys<FleetImproveWithin, NonNullable<Written<"improve">["within"]>>,
    SameKeys<FleetImproveWindow, NonNullable<Written<"improve">["within"]>["entries"][number]>,
    SameKeys<FleetGpuUse, NonNullable<Written<"idle">["gpud"]>>,
  ] = [
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
  ];
  expect(same).toHaveLength(22);
  const own = ["label", "source", "ledger", "name", "awaitReady", "reconcile", "timeouts", "triggers"];
  own.push("services", "spread", "range", "schedule", "metric");
  expect(Object.keys(wishInputs.shape).sort()).toEqual([...own, ...Object.keys(wishShape)].sort());
});

describe("the check", () => {
  it.each<[string, ResourceKind, Properties]>([
    ["a slot", slot, { ...combination, parameters: { image: "ubuntu", size: 3 } }],
    [
      "a machine",
      machine,
      {
        ...inSlot,
        gpus: 8,
        pricePerHour: 2.49,
        budget: { floor: 20, perHour: "3" },
        awaitRunning: false,
        timeouts: { create: "1h30m" },
      },
    ],
    ["a wish", wish, { ...fleet, budget: { floor: "5" }, reconcile: "inline" }],
    ["a wish with a schedule", wish, { ...fleet, range, schedule }],
    ["a wish with a metric", wish, { ...fleet, range, metric }],
    ["a wish with a range alone", wish, { ...fleet, range }],
    ["a metric in a preview", wish, { ...fleet, range, metric: { http: { url: UNKNOWN, pointer: "" } } }],
    ["a wish with a check", wish, { ...fleet, ready: { address: "host", tcp: 22, within: "5m" } }],
    ["a slot in a preview", slot, { ...combination, offer: UNKNOWN, parameters: { image: UNKNOWN } }],
    ["a machine in a preview", machine, { ...inSlot, slot: UNKNOWN, ledger: UNKNOWN }],
    ["a wish in a preview", wish, { ...fleet, select: { gpuModel: UNKNOWN } }],
    [
      "models in a preview",
      wish,
      { ...fleet, select: { gpuModel: ["h100", UNKNOWN], worth: { h200: "1.4" } } },
    ],
    ["models by work", wish, { ...fleet, select: { gpuModel: ["h100", "h200"], worth: { h200: "1.4" } } }],
  ])("lets %s pass", async (_what, kind, news) => {
    expect(await failures(kind, news)).toEqual([]);
  });

  it.each<[ResourceKind, Properties, string]>([
    [slot, { ...combination, offer: "" }, 'offer: expected a text that is not empty, got ""'],
    [
      slot,
      { ...combination, provider: undefined },
      "provider: is missing: expected a text that is not empty",
    ],
    [slot, { ...combination, region: "x" }, "region: is not a known key: known here are offer, provider,"],
    [slot, { ...combination, gpu: 8, ofer: UNKNOWN }, 'gpu: is not a known key: did you mean "gpus"?'],
    [slot, { ...combination, gpu: 8, ofer: UNKNOWN }, 'ofer: is not a known key: did you mean "offer"?'],
    [machine, { ...inSlot, slot: UNKNOWN, gpu: 8 }, 'gpu: is not a known key: did you mean "gpus"?'],
    [machine, { ...inSlot, until: {} }, "(of a Date: its toISOString()), got an object"],
    [
      slot,
      { ...combination, offer: "a\nb" },
      'offer: expected a text without control characters, got "a\\nb"',
    ],
    [
      slot,
      { ...combination, location: "l".repeat(1_001) },
      "location: expected a text of at most 1,000 characters",
    ],
    [slot, { ...combination, provider: "\ud800" }, "provider: expected a text of whole characters"],
    [
      wish,
      { ...fleet, candidates: [{ offer: "o\u0007", provider: "p", location: "l", gpus: 1 }] },
      "candidates.0.offer: ",
    ],
    [machine, { ...inSlot, gpus: 0 }, "gpus: expected a whole number of 1 or more, got 0"],
    [machine, { ...inSlot, gpus: 1.5 }, "gpus: expected a whole number of 1 or more, got 1.5"],
    [wish, { ...fleet, gpus: -1 }, "gpus: expected a whole number of 0 or more, got -1"],
    [wish, { ...fleet, gpus: undefined }, "gpus: is missing: expected a whole number of 0 or more"],
    [wish, { ...fleet, bugdet: {} }, 'bugdet: is not a known key: did you mean "budget"?'],
    [
      wish,
      { ...fleet, budget: { perhour: "1" } },
      'budget.perhour: is not a known key: did you mean "perHour"?',
    ],
    [wish, { ...fleet, source: UNKNOWN, ledger: UNKNOWN, select: undefined }, ": expected either candidates"],
    [
      machine,
      { ...inSlot, pricePerHour: "2,49" },
      'pricePerHour: expected an amount as a plain decimal, such as 12.50, got "2,49"',
    ],
    [
      machine,
      { ...inSlot, timeouts: { create: "soon" } },
      'timeouts.create: expected a duration such as 90s, 1h30m or 7d, got "soon"',
    ],
    [
      wish,
      { ...fleet, ready: { address: "host", command: ["./up.sh"] } },
      "ready.command.0: expected the name of a program in the agent's folder FLEETKEEPER_COMMANDS, such as join.sh, got ./up.sh",
    ],
    [
      wish,
      { ...fleet, reconcile: "inline", setup: { command: ["join.sh"] } },
      'reconcile: expected "agent": the command of setup is run by an agent',
    ],
    [
      wish,
      { ...fleet, services: ["north", "south"], triggers: "v2" },
      "triggers: expected none beside services",
    ],
    [
      wish,
      { ...fleet, range, schedule: { ...schedule, timeZone: "Berlin" } },
      'schedule.timeZone: expected an IANA time zone such as Europe/Berlin, got "Berlin"',
    ],
    [
      wish,
      { ...fleet, schedule, range: { min: 0, max: 0 } },
      "gpus: expected 0 to 0, as min and max say, got 8",
    ],
    [
      wish,
      { ...fleet, metric, range: { min: 9, max: 8 } },
      "range.max: expected at least min, which is 9, got 8",
    ],
    [
      wish,
      { ...fleet, schedule },
      "range: is missing: expected { min, max } beside schedule, such as { min: 0, max: 64 }",
    ],
    [
      wish,
      { ...fleet, metric },
      "range: is missing: expected { min, max } beside metric, such as { min: 0, max: 64 }",
    ],
    [wish, { ...fleet, range: { min: 0 } }, "range.max: "],
    [
      wish,
      { ...fleet, range, work: { gpuHours: 4, by: "2040-01-01T00:00Z" } },
      "range: expected none beside work",
    ],
    [
      wish,
      { ...fleet, range, metric: { http: { ...metric.http, secret: { env: "TOKEN" } } } },
      "metric.http.secret: expected none in a program: the agent sends its secrets for fleets of a fleet file only",
    ],
    [
      wish,
      { ...fleet, range, metric: { prometheus: { url: "prometheus:9090", query: "q" } } },
      "metric.prometheus: expected another url: expected a whole address, such as http://prometheus:9090",
    ],
    [
      wish,
      { ...fleet, range, metric: { prometheus: { url: "http://me:word@prometheus", query: "q" } } },
      "metric.prometheus: expected another url: carries a user name or password: it would stand in files and messages; take it out",
    ],
    [
      wish,
      { ...fleet, range, metric: { command: ["./queue.sh"] } },
      "metric.command.0: expected the name of a program in the agent's folder FLEETKEEPER_COMMANDS",
    ],
    [
      wish,
      { ...fleet, range, metric: { ...metric, command: ["queue.sh"] } },
      "metric: expected exactly one of prometheus, http, command, and there is http and command",
    ],
    [
      wish,
      { ...fleet, range, metric, reconcile: "inline" },
      'reconcile: expected "agent": between two ups nobody else follows the metric',
    ],
    [
      wish,
      { ...fleet, range, reconcile: "inline" },
      'reconcile: expected "agent": between two ups nobody else follows the range',
    ],
    [
      wish,
      { ...fleet, range, schedule: { ...schedule, entries: [{ from: "08:00", to: "09:00", gpus: 65 }] } },
      "schedule.entries.0.gpus: expected 0 to 64, as min and max say, got 65",
    ],
    [
      wish,
      { ...fleet, range, schedule, allOrNothing: { within: "20m" } },
      "schedule.entries.0.gpus: expected 0 or 64, which is max, beside allOrNothing",
    ],
    [
      wish,
      { ...fleet, range, schedule, services: ["north", "south"], allOrNothing: { within: "20m" } },
      "schedule: expected none beside services and allOrNothing",
    ],
    [
      wish,
      { ...fleet, range, schedule, reconcile: "inline" },
      'reconcile: expected "agent": between two ups nobody else follows the schedule',
    ],
    [wish, { ...fleet, reconcile: "yes" }, 'reconcile: expected "agent" or "inline", got "yes"'],
    [
      wish,
      { ...fleet, name: "a b" },
      'name: expected letters, digits, dots, hyphens and underscores, got "a b"',
    ],
    [wish, { ...fleet, candidates: [{ offer: "o" }], select: undefined }, "candidates.0.provider: "],
    [wish, { ...fleet, select: undefined }, ": expected either candidates"],
    [
      wish,
      { ...fleet, select: { gpuModel: ["h100", "h100"] } },
      "select.gpuModel.1: expected each model once: h100 stands there before",
    ],
    [
      wish,
      { ...fleet, select: { gpuModel: "h100", worth: { h200: "2" } } },
      "select.worth.h200: expected the worth of a model of gpuModel, and not of h200: those are h100",
    ],
    [
      wish,
      { ...fleet, select: { gpuModel: "h100", worth: { h100: "0" } } },
      "select.worth.h100: expected how much work one GPU does, above 0",
    ],
  ])("names the property and the value: %#", async (kind, news, message) => {
    expect((await failures(kind, news)).join("\n")).toContain(message);
  });

  it("names pricePerHour where a budget is set and nothing tells a price", async () => {
    const missing = "pricePerHour: is missing: with a budget nothing of unknown price is launched.";
    const list = [{ offer: "o", provider: "p", location: "l", gpus: 1 }];
    const offer = { offer: "o", provider: "p", location: "l", gpus: 1 };
    const limited = { ...inSlot, budget: { floor: "5" } };
    const many = { ...fleet, select: undefined, candidates: list, budget: { total: "5" } };
    const session = await deskOn(await stage()).session();
    const offering = (offers: unknown) =>
      ({ ...env, glimpse: async () => ({ ...session, offers: async () => offers }) }) as Environment;
    for (const offers of [undefined, [offer]]) {
      const asked = offering(offers);
      expect(await failures(machine, limited, asked)).toEqual([expect.stringContaining(missing)]);
      expect(await failures(wish, many, asked)).toEqual([expect.stringContaining(`candidates.0.${missing}`)]);
      expect(await failures(machine, { ...limited, pricePerHour: "2" }, asked)).toEqual([]);
      expect(await failures(machine, inSlot, asked)).toEqual([]);
    }
    // That it is not offered just now is no mistake; nor is that nobody can be asked.
    const others = offering([{ ...offer, location: "elsewhere", pricePerHour: "2" }]);
    expect(await failures(machine, limited, others)).toEqual([]);
    expect(await failures(wish, many)).toEqual([]);
  });

  it("of what is new fails where up would: a key refused, an account of which nobody has said whose it is", async () => {
    const refused = new FleetkeeperError("CREDENTIAL", "the service refused the key", { status: 401 });
    const desk = { ...env, glimpse: () => Promise.reject(refused) } as Environment;
    expect(await failures(machine, inSlot, desk)).toEqual([": the service refused the key"]);
    // Also where an up has failed after its first half: its fleet is in the state, and its wish is not.
    expect(await failures(wish, fleet, desk)).toEqual([": the service refused the key"]);
    const unsaid = deskOn(await stage({ dialect: "nested", account: "unstated" }));
    expect(await failures(machine, inSlot, unsaid)).toEqual([expect.stringContaining("State it: account:")]);
    expect(await failures(machine, inSlot, deskOn(await stage({ account: "unstated" })))).toEqual([]);
  });

  it("passes on what was given, as it was given", async () => {
    const news = { ...combination, parameters: { image: "ubuntu" } };
    expect((await slot.check(env, { __provider: "exports", ...news })).inputs).toEqual(news);
  });

  it("says what is wrong with the configuration, once for a deployment", async () => {
    const broken = { ...env, problem: () => "baseUrl is not set" };
    expect((await slot.check(broken, combination)).failures).toEqual([
      { property: "", reason: "baseUrl is not set" },
    ]);
    expect((await machine.check(broken, inSlot)).failures).toEqual([]);
  });

  it("names the stack's own settings first", () => {
    const surroundings = { given: {}, variables: {}, say: () => undefined, signal: never() };
    expect(openEnvironment(surroundings).problem()).toMatch(
      /^baseUrl is not set: .* Set fleetkeeper:baseUrl \(/,
    );
    const known = { ...surroundings, given: { baseUrl: "http://127.0.0.1:1" } };
    expect(openEnvironment(known).problem()).toMatch(/^profile is not set: .* Set fleetkeeper:profile \(/);
    const given = { baseUrl: "http://127.0.0.1:1", profile: "/nowhere.yaml" };
    const problem = (more: object) =>
      openEnvironment({ ...surroundings, given: { ...given, ...more } }).problem();
    expect(problem({})).toMatch(/^fleetkeeper:profile \(or FLEETKEEPER_PROFILE\): .* cannot be read/);
    expect(problem({ baseUrl: "ftp://x" })).toMatch(
      /^fleetkeeper:baseUrl \(or .*"ftp:\/\/x" is not a base URL/,
    );
    expect(problem({ account: "mine" })).toMatch(
      /^fleetkeeper:account in the stack's configuration says "mine"/,
    );
  });

  it("names the stack's setting where its ledger cannot be opened, and only there", async () => {
    const surroundings = { variables: {}, say: () => undefined, signal: never() };
    const given = { baseUrl: "http://127.0.0.1:1", profile: "/nowhere.yaml", ledger: tmpdir() };
    const failed = {
      code: "LEDGER",
      message: expect.stringMatching(/^fleetkeeper:ledger: .*cannot be used/),
    };
    await expect(openEnvironment({ ...surroundings, given }).ledger()).rejects.toMatchObject(failed);
    await expect(openEnvironment({ ...surroundings, given }).ledgerThere()).rejects.toMatchObject(failed);
    const { ledger, ...others } = given;
    const variables = { FLEETKEEPER_LEDGER: ledger };
    await expect(openEnvironment({ ...surroundings, given: others, variables }).ledger()).rejects.toThrow(
      /^(?!fleetkeeper:ledger)/,
    );
  });

  const UNTIL = "2040-01-01T00:00:00Z";
  const costs = "costs 2.49 USD an hour; a launch reserves the first hour, 2.49 USD";
  const unkept = expect.stringMatching(
    /: no agent keeps the ledger \/.*\/ledger\.db: at until 2040-01-01T00:00:00Z /,
  );
  const told = [
    expect.stringMatching(/^web: costs [\d.]+ USD an hour for 1 GPU, /),
    expect.stringMatching(/^web: no bound on the cost: /),
  ];
  it.each<[string, ResourceKind, Properties, readonly string[]]>([
    ["machine", machine, inSlot, [unkept, `web: h100-80gb-x1 @ aurora/fi-hel ${costs}`, ...told]],
    [
      "fleet",
      wish,
      { ...fleet, source: UNKNOWN, gpus: 1, reconcile: "inline" },
      [expect.stringMatching(/^web: 1 x .* a launch reserves the first hour$/), ...told, unkept],
    ],
  ])(
    "of a new %s says what it costs and that no agent ends it, and makes no ledger: not even whose the account is is kept",
    async (_what, kind, news, said) => {
      const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-check-"));
      const simulator = createSimulator({ apiKey: "the-key" });
      try {
        const { url: baseUrl } = await simulator.listen();
        const ledger = join(folder, "ledger.db");
        const profile = dialectProfilePath("plain");
        const given = { baseUrl, apiKey: "the-key", profile, ledger, account: "exclusive" } as const;
        const lines: string[] = [];
        const say = (text: string, name?: string) => lines.push(`${name}: ${text}`);
        const place = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };
        const asked = { ...news, ...("select" in news ? {} : place), until: UNTIL };
        const by = openEnvironment({ given, variables: {}, say, signal: never() });
        expect(await failures(kind, asked, by)).toEqual([]);
        expect(lines).toEqual(said);
        expect(readdirSync(folder)).toEqual([]);
      } finally {
        await simulator.close();
        rmSync(folder, { recursive: true });
      }
    },
  );
});
