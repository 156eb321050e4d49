import { describe, expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { said } from "../support/said-of-fleet-file.ts";
import { place } from "./cli.ts";

const EXAMPLE =
  "\nA fleet file looks like this:\nfleets:\n  - name: training\n    gpus: 8\n    select:\n      gpuModel: H100";
const EITHER =
  "says nowhere what may be rented: add candidates (combinations of offer, provider and location) or select (a choice among the service's offers)";

describe("what a newcomer gets wrong in a fleet file is said where it stands", () => {
  test.each([
    [
      "nothing in it",
      "",
      `fleet.yaml:1:1 the file is empty: expected a mapping ("key: value" lines)${EXAMPLE}`,
    ],
    [
      "another file",
      "- a\n- b\n",
      `fleet.yaml:1:1 expected a mapping ("key: value" lines), got a list${EXAMPLE}`,
    ],
    ["no fleets", "service: {}\n", `fleet.yaml:1:1 fleets: is missing: expected a list${EXAMPLE}`],
    [
      "fleets by name",
      "fleets:\n  a: { gpus: 8 }\n",
      `fleet.yaml:1:1 fleets: expected a list, got a mapping${EXAMPLE}`,
    ],
    [
      "a placement by another name",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    placement: spread\n",
      'fleet.yaml:5:16 fleets.0.placement: expected any, same (all in one location) or { mostPerLocation: 8 } (so many GPUs in one at most), got "spread"',
    ],
    [
      "all or nothing without its key",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    allOrNothing: 20m\n",
      'fleet.yaml:5:19 fleets.0.allOrNothing: expected { within: 20m }, got "20m"',
    ],
    [
      "patience without a first price",
      "fleets:\n  - name: a\n    gpus: 8\n    select: { patience: { for: 2h, maxPricePerGpuHour: 3 } }\n",
      "fleet.yaml:4:25 fleets.0.select.patience: expected maxPricePerGpuHour beside it: the price until then",
    ],
    [
      "patience with a price that is no higher",
      "fleets:\n  - name: a\n    gpus: 8\n    select: { maxPricePerGpuHour: 3, patience: { for: 2h, maxPricePerGpuHour: 3 } }\n",
      "fleet.yaml:4:79 fleets.0.select.patience.maxPricePerGpuHour: expected more than maxPricePerGpuHour, which is 3, got 3",
    ],
    [
      "patience that a budget ends",
      "fleets:\n  - name: a\n    gpus: 8\n    budget: { perGpuHour: 2.5 }\n    select: { maxPricePerGpuHour: 2, patience: { for: 2h, maxPricePerGpuHour: 3 } }\n",
      "fleet.yaml:5:79 fleets.0.select.patience.maxPricePerGpuHour: expected at most budget.perGpuHour, which is 2.5: nothing dearer is ever launched, got 3",
    ],
    [
      "patience that waits for nothing",
      "fleets:\n  - name: a\n    gpus: 8\n    select: { patience: { for: 2h } }\n",
      "fleet.yaml:4:25 fleets.0.select.patience: expected either maxPricePerGpuHour or above, such as 50%",
    ],
    [
      "patience with two prices",
      "fleets:\n  - name: a\n    gpus: 8\n    select: { maxPricePerGpuHour: 2, patience: { for: 2h, maxPricePerGpuHour: 3, above: 50% } }\n",
      "fleet.yaml:4:48 fleets.0.select.patience: expected either maxPricePerGpuHour or above, such as 50%",
    ],
    [
      "other sizes that nothing has room for",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    otherSizes: { after: 20m }\n",
      "fleet.yaml:5:17 fleets.0.otherSizes: expected overshoot or surge beside it: they say how many GPUs more another size may bring",
    ],
    [
      "a buffer of fewer than none",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    buffer: { gpus: -2, maxPricePerGpuHour: 2.50 }\n",
      "fleet.yaml:5:21 fleets.0.buffer.gpus: expected a whole number of 1 or more, got -2",
    ],
    [
      "a buffer without a price",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    buffer: 2\n",
      "fleet.yaml:5:13 fleets.0.buffer: expected { gpus: 2, maxPricePerGpuHour: 2.50 }, got 2",
    ],
    [
      "a price of a buffer with its currency",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    buffer: { gpus: 2, maxPricePerGpuHour: 2.50 USD }\n",
      'fleet.yaml:5:44 fleets.0.buffer.maxPricePerGpuHour: expected an amount as a plain decimal, such as 12.50, got "2.50 USD"',
    ],
    [
      "a buffer that is dearer than the budget allows",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    budget: { perGpuHour: 2 }\n    buffer: { gpus: 2, maxPricePerGpuHour: 2.50 }\n",
      "fleet.yaml:6:44 fleets.0.buffer.maxPricePerGpuHour: expected at most budget.perGpuHour, which is 2: nothing dearer is ever launched, got 2.5",
    ],
    [
      "a buffer of all or nothing",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    allOrNothing: { within: 20m }\n    buffer: { gpus: 2, maxPricePerGpuHour: 2.50 }\n",
      "fleet.yaml:6:13 fleets.0.buffer: expected none beside allOrNothing: what is wanted as a whole has no GPUs more",
    ],
    [
      "a count in words",
      "fleets:\n  - name: a\n    gpus: eight\n    select: {}\n",
      'fleet.yaml:3:11 fleets.0.gpus: expected a whole number of 0 or more, got "eight"',
    ],
    [
      "a count in quotes",
      'fleets:\n  - name: a\n    gpus: "8"\n    select: {}\n',
      'fleet.yaml:3:11 fleets.0.gpus: expected a whole number of 0 or more, got "8": take the quotes away',
    ],
    [
      "a duration without its unit",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    allOrNothing: { within: 20 }\n",
      "fleet.yaml:5:29 fleets.0.allOrNothing.within: expected a duration such as 90s, 1h30m or 7d, got 20",
    ],
    [
      "a placement that there is not",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    placement: spread\n",
      'fleet.yaml:5:16 fleets.0.placement: expected any, same (all in one location) or { mostPerLocation: 8 } (so many GPUs in one at most), got "spread"',
    ],
    ["no source", "fleets:\n  - name: a\n    gpus: 8\n", `fleet.yaml:2:5 fleets.0: ${EITHER}`],
    [
      "two sources",
      "fleets:\n  - name: a\n    gpus: 8\n    select: {}\n    candidates: [{ offer: o, provider: p, location: l, gpus: 8 }]\n",
      "fleet.yaml:4:5 fleets.0.select: stands beside candidates: keep one of the two",
    ],
    [
      "a price of 0",
      "fleets:\n  - name: a\n    gpus: 8\n    candidates: [{ offer: o, provider: p, location: l, gpus: 8, pricePerHour: 0.00004 }]\n",
      "fleet.yaml:4:79 fleets.0.candidates.0.pricePerHour: expected an amount above 0, such as 2.49 (0 is no price: leave it out if nobody knows it), got 0.00004",
    ],
    [
      "a word that is nearly right",
      "fleets:\n  - name: a\n    gpus: 8\n    slect: {}\n    select: {}\n",
      'fleet.yaml:4:5 fleets.0.slect: is not a known key: did you mean "select"?',
    ],
    [
      "a key in the wrong place",
      "baseUrl: http://127.0.0.1\nfleets: []\n",
      'fleet.yaml:1:1 baseUrl: is not a known key here: it belongs under "service"',
    ],
    [
      "a key of the selection beside it",
      "fleets:\n  - name: a\n    gpus: 8\n    gpuModel: H100\n    select: {}\n",
      'fleet.yaml:4:5 fleets.0.gpuModel: is not a known key here: it belongs under "fleets.select"',
    ],
    [
      "one word where a list stands",
      "fleets:\n  - name: a\n    gpus: 8\n    select: { locations: is-rey, providers: 'a, b' }\n",
      'fleet.yaml:4:26 fleets.0.select.locations: expected a list, got "is-rey": write [is-rey]\n' +
        'fleet.yaml:4:45 fleets.0.select.providers: expected a list, got "a, b": write ["a, b"]',
    ],
    [
      "a secret that is not the service's",
      "fleets: []\nnotify:\n  - token: abc\n    command: [tell]\n",
      "fleet.yaml:3:5 notify.0.token: is not a known key: known here are webhook, secret, slack, command, ping, every, on",
    ],
    [
      "dollars",
      "fleets:\n  - name: a\n    gpus: 8\n    select: { maxPricePerGpuHour: $2.50 }\n",
      'fleet.yaml:4:35 fleets.0.select.maxPricePerGpuHour: expected an amount as a plain decimal, such as 12.50, got "$2.50"',
    ],
    [
      "an address without https",
      "service: { baseUrl: gpu.example.com }\nfleets: []\n",
      'fleet.yaml:1:21 service.baseUrl: "gpu.example.com" is not a base URL. Write it whole, such as https://gpu.example.com.',
    ],
    [
      "a home folder that only a shell knows",
      "service:\n  profile: ~/acme.yaml\n  ledger: sqlite:~/l.db\nfleets: []\n",
      "fleet.yaml:2:12 service.profile: ~ is not expanded in a file: write the whole path\n" +
        "fleet.yaml:3:11 service.ledger: ~ is not expanded in a file: write the whole path",
    ],
    [
      "a password in the ledger's URL",
      'service: { ledger: "postgres://me:sesame@db/fleets" }\nfleets: []\n',
      "fleet.yaml:1:20 service.ledger: a password never stands in a fleet file: take it out of the URL, and set PGPASSWORD or PGPASSWORD_FILE",
    ],
    [
      "an account of another kind",
      "service: { account: private }\nfleets: []\n",
      'fleet.yaml:1:21 service.account: expected "exclusive" or "shared", got "private"',
    ],
    [
      "a name twice",
      "fleets:\n  - { name: a, gpus: 8, select: {} }\n  - { name: a, gpus: 8, select: {} }\n",
      "fleet.yaml:3:13 fleets.1.name: a fleet is called a already: names are unique",
    ],
    [
      "tabs",
      "fleets:\n\t- name: a\n",
      "fleet.yaml:2:1 Tabs are not allowed as indentation; indent with blanks, YAML knows no tabs there",
    ],
  ])("%s", (_, content, message) => {
    expect(said(content)).toBe(message);
  });

  test("all that is wrong at once, in the order of the file", () => {
    const lines = said("fleets:\n  - name: a b\n    gpu: 8\n    select: { models: x }\n").split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual([
      "fleet.yaml:2:5",
      "fleet.yaml:2:11",
      "fleet.yaml:3:5",
      "fleet.yaml:4:15",
    ]);
  });

  test.each([
    ["service:\n  api_key", "fleet.yaml:2:3 service.api_key"],
    ["service:\n  token", "fleet.yaml:2:3 service.token"],
    ["secret", "fleet.yaml:1:1 secret"],
  ])("a credential in it (%j) is never repeated", (key, at) => {
    const message = said(`${key}: sk-live-never-print-me\nfleets: []\n`);
    expect(message).toBe(
      `${at}: the credential never stands in a fleet file: take it out, and set FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE`,
    );
  });
});

test("a credential in the place of its variable is never repeated", () => {
  const message = said("service:\n  apiKey: sk-live-never-print-me\nfleets: []\n");
  expect(message).toBe(
    "fleet.yaml:2:11 service.apiKey: expected { env: NAME } of the variable that holds it",
  );
});

describe("what is wrong with several services is said where it stands", () => {
  const service = (more: string, baseUrl = "https://a.example.com") =>
    `{ baseUrl: "${baseUrl}", profile: ./p.yaml, account: exclusive, ${more} }`;
  const acme = `services:\n  acme: ${service("apiKey: { env: ACME_KEY }")}\n`;
  const fleet = (more: string) => `fleets:\n  - { name: a, gpus: 8, select: {}${more} }\n`;

  test.each([
    [
      "both forms",
      `service: {}\n${acme}fleets: []\n`,
      "fleet.yaml:2:1 services: stands beside service: keep one of the two; several services all stand under services",
    ],
    [
      "no service among them",
      "services: {}\nfleets: []\n",
      "fleet.yaml:1:11 services: names no service: add one, or take services out and write service",
    ],
    [
      "a fleet without its service",
      acme + fleet(""),
      "fleet.yaml:4:5 fleets.0: says nowhere which service keeps it: add service: acme",
    ],
    [
      "a service that is not there",
      acme + fleet(", service: acne"),
      'fleet.yaml:4:46 fleets.0.service: expected one of services (acme), got "acne"',
    ],
    [
      "a fleet's service where there is only one",
      `service: {}\n${fleet(", service: acme")}`,
      "fleet.yaml:3:37 fleets.0.service: goes with services: this file has one service, so take it out",
    ],
    [
      "one account twice",
      `${acme}  dune: ${service("apiKey: { env: ACME_KEY }", "https://A.example.com/")}\nfleets: []\n`,
      "fleet.yaml:3:3 services.dune: is the same account as acme: it has the same address and the same credential (ACME_KEY). Keep one of the two, or name another variable",
    ],
    [
      "a ledger for one of them",
      `services:\n  acme: ${service("ledger: ./l.db, apiKey: { env: ACME_KEY }")}\nfleets: []\n`,
      "fleet.yaml:2:84 services.acme.ledger: one ledger has all services: write it beside services",
    ],
    [
      "a ledger beside one service",
      "service: {}\nledger: ./l.db\nfleets: []\n",
      "fleet.yaml:2:1 ledger: goes with services: where a file has one service, write service.ledger",
    ],
    [
      "a name with a blank",
      `services:\n  a b: ${service("apiKey: { env: ACME_KEY }")}\nfleets: []\n`,
      'fleet.yaml:2:3 services.a b: expected letters, digits, dots, underscores and hyphens, got "a b"',
    ],
    [
      "a service without its credential",
      `services:\n  acme: ${service("")}\nfleets: []\n`,
      "fleet.yaml:2:9 services.acme.apiKey: is missing: expected { env: NAME } of the variable that holds it",
    ],
  ])("%s", (_, content, problem) => expect(said(content)).toBe(problem));

  test.each(["apiKey", "token", "api_key"])("a credential in one of them (%s) is never repeated", (key) => {
    const message = said(`services:\n  acme: ${service(`${key}: sk-live-never-print-me`)}\nfleets: []\n`);
    expect(message).toContain(`services.acme.${key}: `);
    expect(message).toContain("{ env: NAME }");
    expect(message).not.toContain("sk-live");
  });
});

test.each([
  ["./l.db", "/etc/fleets/l.db"],
  ["sqlite:./l.db", "/etc/fleets/l.db"],
  ["sqlite://l.db", "/etc/fleets/l.db"],
  ["/var/l.db", "/var/l.db"],
  ["sqlite:///var/l.db", "/var/l.db"],
  ["postgres://me@db/fleets", "postgres://me@db/fleets"],
])("the ledger %s is found from the file's folder, wherever a command stands", (ledger, path) => {
  const { configuration } = parseFleetFile(
    `service: { ledger: "${ledger}" }\nfleets: []\n`,
    "/etc/fleets/f.yaml",
  );
  expect(configuration.ledger).toBe(path);
});

test.each([
  [
    "a wrong file",
    "fleet.yaml",
    "fleets:\n  - name: a\n    gpus: eight\n    select: {}\n",
    [],
    "fleet.yaml:3:11",
  ],
  [
    "a file that is not there",
    "x.yaml",
    "",
    ["-c", "other.yaml"],
    "other.yaml cannot be read: there is no such file",
  ],
  ["a folder", "x.yaml", "", ["-c", "."], "it is a folder: name the file in it"],
])(
  "%s: exit code 2, one clear error, nothing is asked of the service",
  async (_, name, content, flags, message) => {
    const on = await place();
    on.write(name, content);
    for (const command of [["agent"], ["plan", "--json"]]) {
      const { code, stdout, stderr } = await on.run([...command, ...flags]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    expect(Object.values(on.simulator.truth().requests)).toEqual(Array(7).fill(0));
  },
);
