import { expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { said } from "../support/said-of-fleet-file.ts";

const RANGE = "{ min: 4, max: 64, at: 16 }";
const GOOD = '{ http: { url: "https://q.example.com", pointer: /length }, target: 4 }';

function file(metric: string, gpus = RANGE, more: readonly string[] = []): string {
  const lines = [`gpus: ${gpus}`, "select: {}", `metric: ${metric}`, ...more];
  return `fleets:\n  - name: a\n${lines.map((line) => `    ${line}`).join("\n")}\n`;
}

const http = (more: string): string => file(`{ http: { ${more} } }`);
const command = (more: string): string => file(`{ command: [./q.sh], ${more} }`);

test.each([
  ["a good one", file(GOOD), "nothing"],
  ["an address without TLS, and no secret", http('url: "http://prometheus:9090", pointer: ""'), "nothing"],
  [
    "no way to ask",
    file("{ target: 4 }"),
    "fleet.yaml:5:13 fleets.0.metric: expected exactly one of prometheus, http, command, and there is none",
  ],
  [
    "two ways to ask",
    file('{ command: [./q.sh], prometheus: { url: "https://p.example.com", query: up } }'),
    "fleet.yaml:5:13 fleets.0.metric: expected exactly one of prometheus, http, command, and there is prometheus and command",
  ],
  [
    "a target of 0",
    command("target: 0"),
    "fleet.yaml:5:42 fleets.0.metric.target: expected a number above 0: how much of the metric one GPU is for, got 0",
  ],
  [
    "a step of 0",
    command("up: { most: 0 }"),
    "fleet.yaml:5:46 fleets.0.metric.up.most: expected a whole number of 1 or more, got 0",
  ],
  [
    "asked too often",
    command("every: 1s"),
    'fleet.yaml:5:41 fleets.0.metric.every: expected at least 10s, got "1s"',
  ],
  [
    "no address",
    http('url: prometheus:9090, pointer: ""'),
    "fleet.yaml:5:28 fleets.0.metric.http.url: expected a whole address, such as http://prometheus:9090",
  ],
  [
    "a password in the address",
    http('url: "https://me:hush@q.example.com", pointer: ""'),
    "fleet.yaml:5:28 fleets.0.metric.http.url: carries a user name or password: it would stand in files and messages; write secret: { env: NAME }",
  ],
  [
    "a secret that would go unencrypted",
    http('url: "http://q.example.com", pointer: "", secret: { env: TOKEN }'),
    "fleet.yaml:5:28 fleets.0.metric.http.url: would go over the network unencrypted: write https://; http:// is for this machine only",
  ],
  [
    "a path for a pointer",
    http('url: "https://q.example.com", pointer: queue.length'),
    'fleet.yaml:5:62 fleets.0.metric.http.pointer: expected a JSON Pointer such as /queue/length, or "" for the whole answer, got "queue.length": write /queue/length',
  ],
  [
    "a number beside it",
    file(GOOD, "16"),
    "fleet.yaml:3:11 fleets.0.gpus: expected { min, max, at } beside metric, such as { min: 0, max: 64, at: 16 }, got 16",
  ],
  [
    "min above max",
    file(GOOD, "{ min: 4, max: 3, at: 4 }"),
    "fleet.yaml:3:26 fleets.0.gpus.max: expected at least min, which is 4, got 3",
  ],
  [
    "all or nothing",
    file(GOOD, RANGE, ["allOrNothing: { within: 20m }"]),
    "fleet.yaml:5:13 fleets.0.metric: expected none beside allOrNothing: what is wanted as a whole has one size, and a metric asks for any",
  ],
  [
    "idle machines that are given back beside it",
    file(GOOD, RANGE, ["idle: { command: [x], for: 20m, then: stop, address: host }"]),
    'fleet.yaml:6:43 fleets.0.idle.then: expected tell beside metric: else both would say how many machines there are, got "stop"',
  ],
])("%s", (_, content, expected) => {
  expect(said(content)).toBe(expected);
});

test("is stored with the bounds of its size", () => {
  const [fleet] = parseFleetFile(file(GOOD), "fleet.yaml").fleets;
  expect(fleet?.wish).toMatchObject({
    gpus: 16,
    metric: { http: { pointer: "/length" }, target: 4, every: "30s", min: 4, max: 64, at: 16 },
  });
});
