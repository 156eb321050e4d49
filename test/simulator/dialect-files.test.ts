import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { wireProfileSchema } from "../../service/profile/profile.ts";
import { createSimulator, DIALECT_NAMES, dialectProfile, dialectProfilePath } from "../../simulator/index.ts";
import { HERE, SimulatorBench } from "./bench.ts";

test.each(DIALECT_NAMES)("the profile of %s is there, is valid, and says that it is invented", (name) => {
  const path = dialectProfilePath(name);
  expect(basename(dirname(path))).toBe(`simulated-${name}`);
  expect(readFileSync(path, "utf8")).toMatch(/^# Invented for fleetkeeper's simulator; no real service/);
  expect(dialectProfile(name).name).toBe(name);
});

test("each dialect has its own word for the stopped state", () => {
  const words = DIALECT_NAMES.map((name) => dialectProfile(name).deployments?.states.terminal?.[0]);
  expect(new Set(words).size).toBe(DIALECT_NAMES.length);
});

test("any wire profile can be spoken, also one that says little", async () => {
  const profile = wireProfileSchema.parse({
    profile: 1,
    name: "mine",
    auth: { header: "Key", value: "{secret}" },
    launch: { body: { o: "{offer}", at: ["{provider}", "{location}"] }, id: "/a~1b/~0id" },
    deployments: {
      list: { items: "/x", pagination: { kind: "cursor", cursorParameter: "c", next: "/n", size: 2 } },
    },
  });
  const bench = new SimulatorBench({ dialect: profile });
  const send: typeof bench.send = (method, path, body) =>
    bench.send(method, path, body, { key: bench.simulator.apiKey });
  const launched = await send("POST", "/api/v1/deployments", { o: "box", at: ["acme", "mars"] });
  expect(JSON.parse(launched.body)).toEqual({ "a/b": { "~id": bench.truth.machines[0]?.id } });
  for (let number = 0; number < 2; number += 1) bench.control.launchByHand(HERE);
  const first = JSON.parse((await send("GET", "/api/v1/deployments")).body);
  const second = JSON.parse((await send("GET", `/api/v1/deployments?c=${first.n}`)).body);
  expect([first.x.length, second.x.length, second.n]).toEqual([2, 1, null]);
});

test("what is left is said in the words of the profile", async () => {
  const plain = dialectProfile("plain");
  const profile = wireProfileSchema.parse({
    ...plain,
    offers: {
      ...plain.offers,
      fields: { ...plain.offers?.fields, available: { pointer: "/shelf", soldOut: ["bare", "gone"] } },
    },
  });
  const offer = { ...HERE, gpus: 1, gpuModel: "g", pricePerHour: "1", capacity: 1 };
  const bench = new SimulatorBench({ dialect: profile, offers: [offer] });
  const shelf = async () => {
    const { body } = await bench.send("GET", "/api/v1/offers");
    return JSON.parse(body).offers[0].shelf;
  };
  expect(await shelf()).toBe("in_stock");
  bench.control.launchByHand(HERE);
  expect(await shelf()).toBe("bare");
});

test("a dialect of one's own can be given", () => {
  const own = { ...createSimulator().dialect, name: "own" };
  expect(createSimulator({ dialect: own }).dialect).toBe(own);
});

test("wrong options are errors", () => {
  expect(() => createSimulator({ balance: "1.23456" })).toThrow("at most 4 decimals");
  expect(() => createSimulator({ settings: { refundOnStpo: true } as object })).toThrow("refundOnStpo");
  const offer = { ...HERE, gpus: 1, gpuModel: "g", pricePerHour: "1", capacity: 1 };
  expect(() => createSimulator({ offers: [offer, offer] })).toThrow("twice");
});
