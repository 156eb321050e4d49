import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countOf } from "../../proof/arguments.ts";
import { planningsOn, waysOn } from "../../proof/exhaustive/combinations.ts";
import { PATHS } from "../../proof/exhaustive/crash-points.ts";
import { STANDARD } from "../../proof/explorer/cases.ts";
import { PLANTS } from "../../proof/plants.ts";
import { Journal } from "../../proof/prove/journal.ts";
import type { Part } from "../../proof/prove/part.ts";
import { chosenParts } from "../../proof/prove/part.ts";
import { partsOfTheProof } from "../../proof/prove/parts.ts";
import type { Walk } from "../../proof/prove/walk.ts";
import { walk } from "../../proof/prove/walk.ts";
import { WIRE_NAMES } from "../../proof/scenario/wires.ts";
import { DIRECTED_NAMES } from "../../proof/stories/index.ts";
import { emptyFolder } from "../setup/folder.ts";

const PARTS: readonly Part[] = ["one", "two", "three"].map((name) => ({
  name,
  args: [name],
  inSample: false,
}));

/** A walk through three parts that pass, but for what is said. */
function walked(differs: Partial<Walk> = {}) {
  const ran: string[] = [];
  const said: string[] = [];
  const journal = new Journal(emptyFolder(), "key");
  const counts = walk({
    parts: PARTS,
    jobs: 2,
    journal,
    run: async ({ name }) => {
      ran.push(name);
      return { passed: true, output: "" };
    },
    isUnchanged: () => true,
    print: (text) => said.push(text),
    signal: new AbortController().signal,
    ...differs,
  });
  return counts.then((all) => ({ ...all, ran, said: said.join("\n") }));
}

describe("a walk through the parts", () => {
  it("goes on where an interrupted one was, and counts what passed then", async () => {
    const folder = emptyFolder();
    const aborting = new AbortController();
    const first = await walked({
      journal: new Journal(folder, "key"),
      jobs: 1,
      signal: aborting.signal,
      run: async ({ name }) => {
        if (name === "two") aborting.abort();
        return { passed: true, output: "" };
      },
    });
    expect(first).toMatchObject({ passed: 1, failed: 1, said: expect.stringContaining("interrupted") });
    const second = await walked({ journal: new Journal(folder, "key") });
    expect(second).toMatchObject({ passed: 3, failed: 0, ran: ["two", "three"] });
    const fresh = await walked({ journal: new Journal(folder, "key", { fresh: true }) });
    expect(fresh).toMatchObject({ passed: 3, failed: 0, ran: ["one", "two", "three"] });
  });

  it("counts a part that failed, says how it is repeated and what it printed, and runs it again next time", async () => {
    const folder = emptyFolder();
    const failing = await walked({
      journal: new Journal(folder, "key"),
      run: async ({ name }) => ({ passed: name !== "two", output: "what it printed" }),
    });
    expect(failing).toMatchObject({ passed: 2, failed: 1 });
    expect(failing.said).toContain("two: FAILED\n$ node two\nwhat it printed");
    expect(failing.said).toContain("failed: two");
    expect(await walked({ journal: new Journal(folder, "key") })).toMatchObject({ passed: 3, ran: ["two"] });
  });

  it("takes no result from other sources, nor keeps one of sources that changed meanwhile", async () => {
    const folder = emptyFolder();
    await walked({ journal: new Journal(folder, "before") });
    const after = await walked({ journal: new Journal(folder, "after"), isUnchanged: () => false });
    expect(after).toMatchObject({ passed: 0, failed: 1, said: expect.stringContaining("sources changed") });
    expect(new Journal(folder, "after").hasPassed("one")).toBe(false);
    expect(readdirSync(folder)).not.toContain("before.jsonl");
  });

  it("fails where nothing was chosen", async () => {
    expect(await walked({ parts: [] })).toMatchObject({ passed: 0, failed: 1 });
  });
});

it("a journal whose last line was cut off keeps the others", () => {
  const folder = emptyFolder();
  new Journal(folder, "key").add({ part: "one", passed: true, seconds: 1 });
  appendFileSync(join(folder, "key.jsonl"), '{"part":"two","pas');
  const journal = new Journal(folder, "key");
  expect([journal.hasPassed("one"), journal.hasPassed("two")]).toEqual([true, false]);
});

describe("the parts of the proof", () => {
  const parts = partsOfTheProof();
  const option = (name: string): readonly string[] =>
    parts.flatMap(({ args }) =>
      args.includes(name) ? (args[args.indexOf(name) + 1] ?? "").split("\n") : [],
    );
  const listed = (name: string): readonly string[] =>
    parts.flatMap(({ args }) => (args.includes(name) ? (args[args.indexOf(name) + 1] ?? "").split(",") : []));

  it("have each story, planted bug, path, case and seed once", () => {
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    expect(listed("--directed")).toEqual(DIRECTED_NAMES);
    expect(new Set(listed("--only"))).toEqual(new Set(PLANTS.map(({ name }) => name)));
    expect(option("--path")).toEqual(PATHS.map(({ name }) => name));
    expect(option("--case")).toEqual(STANDARD.map(({ name }) => name));
    const worlds = parts.filter(({ args }) => args[0] === "proof/run.ts" && args.includes("--from"));
    const [several, seeds] = [true, false].map((is) =>
      worlds.filter(({ args }) => args.includes("--several") === is),
    ) as [Part[], Part[]];
    // Each part begins where the one before it ended.
    const played = (some: readonly Part[]): readonly number[] =>
      some.flatMap(({ args }) => {
        const [count, from] = ["--seeds", "--from"].map((name) => Number(args[args.indexOf(name) + 1]));
        return Array.from({ length: count ?? 0 }, (_, at) => (from ?? 0) + at);
      });
    expect(played(several)).toEqual(Array.from({ length: 100 }, (_, at) => 1 + at));
    expect(played(seeds)).toEqual(Array.from({ length: 2_000 }, (_, at) => 1 + at));
  });

  it("go to the shards and to the sample and the rest so that each is somewhere, and only once", () => {
    const names = (some: readonly Part[]): readonly string[] => some.map(({ name }) => name).sort();
    const shards = [1, 2, 3].flatMap((index) => chosenParts(parts, { shard: { index, count: 3 } }));
    expect(names(shards)).toEqual(names(parts));
    const halves = [...chosenParts(parts, { only: "sample" }), ...chosenParts(parts, { only: "rest" })];
    expect(names(halves)).toEqual(names(parts));
    expect(chosenParts(parts, { only: "sample" }).length).toBeLessThan(parts.length / 2);
  });

  it("play each set of faults once: all pairs on each wire, and all triples on one", async () => {
    for (const wire of WIRE_NAMES) {
      const ways = await waysOn(wire);
      const whole = { index: 1, count: 1 };
      const most = wire === "nothing" ? 3 : 2;
      const all = [...planningsOn(ways, { least: 0, most, slice: whole })].length;
      let played = 0;
      for (const { args } of parts.filter((part) => part.args.includes(wire))) {
        // Read as the command reads them: a number that it refuses must fail here.
        const [least = 0, highest = 0] = ["--least", "--most"].map((name) =>
          args.includes(name) ? countOf(name, args[args.indexOf(name) + 1] ?? "") : 0,
        );
        const [index = 0, count = 0] = (args.at(-1) ?? "").split("/").map(Number);
        played += [...planningsOn(ways, { least, most: highest, slice: { index, count } })].length;
      }
      expect({ wire, played }).toEqual({ wire, played: all });
    }
  });
});
