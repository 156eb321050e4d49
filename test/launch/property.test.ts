import { describe, expect, it } from "vitest";
import { claimedBy } from "../../launch/occupancy.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { ModelOptions } from "./model.ts";
import { Model } from "./model.ts";

const SEEDS = Number(process.env.SEEDS ?? 80);
const STEPS = Number(process.env.STEPS ?? 120);

/** Runs one seed with faults, then without, and returns what is wrong by the model's truth. */
function run(options: ModelOptions): { model: Model; wrong: string[] } {
  const model = new Model(options);
  for (let step = 0; step < STEPS; step++) model.step();
  model.calm(25 * 60_000);
  const { bench } = model;
  const wrong: string[] = [];
  const exact = options.tenure === "exclusive" || options.shownBack?.includes("marker") === true;
  const { draft } = bench;
  const running = model.alive().filter((machine) => machine.status === "running");
  const claimOf = (id: string): string => draft.deployments.get(id)?.claim ?? "none";

  for (const machine of model.machines) {
    if (machine.intent === null && model.stopped.has(machine.id))
      wrong.push(`${machine.id}, a stranger's, was stopped`);
  }
  for (const { id } of running) {
    if (claimOf(id) !== "certain" && claimOf(id) !== "inferred" && !bench.reported.includes(id)) {
      wrong.push(`${id} runs, and nobody says so`);
    }
  }
  if (exact) {
    const ours = running.filter((machine) => machine.intent !== null);
    for (const { id } of ours)
      if (claimOf(id) !== "certain") wrong.push(`${id} is ours, and its claim is ${claimOf(id)}`);
    for (const slot of model.slots) {
      const ids = claimedBy(draft, slotOwner(slot))
        .filter(({ end }) => end === null)
        .map(({ id }) => id);
      const truly = running.filter(({ id }) => ids.includes(id));
      if (truly.length !== 1) wrong.push(`${slot} has ${truly.length} machines: ${ids.join(", ")}`);
    }
    if (ours.length !== model.slots.length)
      wrong.push(`${ours.length} machines of ours run for ${model.slots.length} slots`);
    if (!options.pauses && model.most > model.slots.length) {
      wrong.push(`${model.most} machines of ours ran at once for ${model.slots.length} slots`);
    }
  }
  if (bench.halted) wrong.push(`halted: ${bench.halted}`);
  if (!exact && [...draft.intents.values()].some(({ state }) => state === "open"))
    wrong.push("a launch is still open");
  const before = bench.ledger.log.filter(({ table }) => table !== "account").length;
  model.calm(10 * 60_000);
  const written = bench.ledger.log.filter(({ table }) => table !== "account").slice(before);
  if (written.length > 0) wrong.push(`written in idle: ${written.map(({ table }) => table).join(", ")}`);
  return { model, wrong };
}

const WORLDS: Readonly<Record<string, Omit<ModelOptions, "seed">>> = {
  "exclusive, nothing mapped": { tenure: "exclusive", slots: 3, lag: 100_000, pauses: false },
  "exclusive, first launches ever": {
    tenure: "exclusive",
    slots: 3,
    lag: 100_000,
    pauses: false,
    unproven: true,
  },
  "exclusive, combinations": {
    tenure: "exclusive",
    combination: true,
    slots: 3,
    lag: 100_000,
    pauses: false,
  },
  "exclusive, paused senders": {
    tenure: "exclusive",
    combination: true,
    slots: 3,
    lag: 100_000,
    pauses: true,
  },
  "shared, marker": {
    tenure: "shared",
    marker: true,
    shownBack: ["marker"],
    slots: 3,
    lag: 100_000,
    pauses: false,
  },
  "shared, marker, paused senders": {
    tenure: "shared",
    marker: true,
    shownBack: ["marker"],
    slots: 3,
    lag: 100_000,
    pauses: true,
  },
  "shared, a marker that was not shown back yet": {
    tenure: "shared",
    marker: true,
    slots: 3,
    lag: 100_000,
    pauses: true,
  },
  "shared, nothing mapped": { tenure: "shared", slots: 3, lag: 100_000, pauses: false },
  "shared, combinations, paused senders": {
    tenure: "shared",
    combination: true,
    slots: 3,
    lag: 100_000,
    pauses: true,
    unproven: true,
  },
};

describe.each(Object.entries(WORLDS))("%s", (_name, world) => {
  it("keeps the count, leaks nothing and stops no stranger's machine", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { model, wrong } = run({ ...world, seed });
      expect(wrong, `seed ${seed}:\n${model.history.join("\n")}`).toEqual([]);
    }
  });
});
