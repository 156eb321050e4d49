import { expect, test } from "vitest";
import { clean, cleanFor, jsonText, table } from "../../agent/fleet/text/text.ts";
import type { TruthMachine } from "../../simulator/index.ts";
import { place, running, until } from "./cli.ts";

/** Clears the screen, sets the title, rings, turns the writing around, opens a link, and goes on in 8-bit controls. */
const HOSTILE = "x\u001b[2J\u001b]0;owned\u0007\u202ecba\u2066\u200e\u009b31m\u2028\r\n<script>\u0000";
const MEGABYTES = "m".repeat(3_000_000);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not arrive.
const HARM = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

test("no text of the service reaches the terminal as anything but text", async () => {
  const offer = {
    offer: `8${HOSTILE}`,
    provider: HOSTILE,
    location: `oslo${HOSTILE}`,
    gpus: 8,
    gpuModel: `H100${HOSTILE}`,
    pricePerHour: "1.00",
    capacity: 9,
  };
  const on = await place({ offers: [offer], email: `you${HOSTILE}@example.com` });
  const { control } = on.simulator;
  control.failNext({}, { code: `BAD${HOSTILE}`, reason: `${HOSTILE}${MEGABYTES}`, suggestedAction: HOSTILE });
  on.write("fleet.yaml", "fleets: [{ name: a, gpus: 16, select: {} }]\n");
  const said: string[] = [];
  const say = async (...args: string[]): Promise<void> => {
    const run = await on.run(args);
    expect(run.code).toBe(0);
    said.push(run.said);
  };
  await say("plan");
  await say("plan", "--json");
  await say("agent", "--once");
  await until("one runs", () => running(on) > 0);
  await say("agent", "--once");
  const agent = on.start(["agent"]);
  const isRunning = ({ endedAt, states }: TruthMachine): boolean =>
    endedAt === null && states.at(-1)?.state === "running";
  control.interrupt(on.simulator.truth().machines.find(isRunning)?.id ?? "", { now: true });
  await agent.shows(" interrupted");
  agent.kill("SIGINT");
  said.push((await agent.ended).said);
  control.cooldown(offer, 100_000);
  for (const args of [["status"], ["status", "--json"], ["history"], ["history", "--json"], ["account"]])
    await say(...args);
  await say("offers");
  await say("offers", "--json");
  await say("offers", "--gpu-model", "none");
  await say("deployments", "list", "--all");
  await say("deployments", "list", "--all", "--json");
  for (const { id } of on.simulator.truth().machines) await say("deployments", "show", id);
  await say("hosts");
  await say("hosts", "--json");
  for (const asking of [
    ["stop", "--all"],
    ["account", "--change-to", "shared"],
  ])
    said.push((await on.run(asking)).said);
  on.write(
    "fleet.yaml",
    "fleets: [{ name: a, gpus: 16, select: { gpuModel: none } }, { name: b, gpus: 8, select: {} }]\n",
  );
  await say("plan");
  await say("agent", "--once");
  for (const text of said) {
    expect(text).not.toMatch(HARM);
    expect(text.length).toBeLessThan(100_000);
  }
  expect(said.join("")).toContain("<script>");
});

test("clean takes out what acts, and keeps what is only written", () => {
  expect(clean(HOSTILE)).not.toMatch(HARM);
  expect(clean("grüße, 北京, naïve <b>&amp;</b> 100%")).toBe("grüße, 北京, naïve <b>&amp;</b> 100%");
  expect(clean("abcdef", 4)).toBe("abc…");
  expect(clean(MEGABYTES)).toHaveLength(1000);
  expect(cleanFor({ terminal: true })(MEGABYTES)).toHaveLength(300);
  expect(cleanFor({ terminal: false })(MEGABYTES, 300)).toHaveLength(10_000);
  expect(clean("\ufeff\u00ad\u061c\u180e\u{e0041}\ud800x")).toMatch(/^·+x$/);
});

test("jsonText means the same to a program, and nothing to a terminal", () => {
  const value = { text: HOSTILE, list: ["\u{e0041}", "grüße", "\ud800"], [`k${HOSTILE}`]: 1 };
  const text = jsonText(value);
  expect(text).not.toMatch(HARM);
  expect(JSON.parse(text)).toEqual(value);
  expect(jsonText({ a: 1 }, 0)).toBe('{"a":1}');
  expect(jsonText({ text: MEGABYTES }).length).toBeLessThan(11_000);
});

test("a table keeps its lines, whatever its cells hold", () => {
  expect(table(["A", "B"], [["a\nb", HOSTILE]]).split("\n")).toHaveLength(2);
});
