import { expect, onTestFinished, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { isOver } from "../../agent/fleet/declare/fleets.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { homesElsewhere } from "../../agent/fleet/file/home.ts";
import { ofService } from "../../agent/fleet/file/of-service.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { VirtualClock } from "../../simulator/index.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { SECOND } from "./on-stage.ts";

const NAMES = ["north", "south", "west"] as const;
const PRICES = { north: "16", south: "18", west: "20" };

/** Three services of a fleet file, each with its account, whose agents all read it. */
async function services() {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const stages = new Map<string, Stage>();
  for (const [index, name] of NAMES.entries()) {
    const offers = [{ ...H100, provider: name, pricePerHour: PRICES[name] }];
    const made = await stage({ clock, ledger, offers, seed: index + 1 });
    stages.set(name, made);
    onTestFinished(() => made.stop());
  }
  let most = 0;
  const gpus = (): readonly number[] =>
    [...stages.values()].map((each) => each.alive().reduce((sum, machine) => sum + machine.gpus, 0));
  return {
    stages,
    gpus,
    most: () => most,
    declare: async (fleet: string, names: readonly string[] = NAMES) => {
      const text = names.map(
        (name) =>
          `  ${name}: { baseUrl: "https://${name}.example.com", profile: p.yaml, account: exclusive, apiKey: { env: ${name.toUpperCase()} } }\n`,
      );
      const file = parseFleetFile(
        `services:\n${text.join("")}fleets:\n  - { name: web, select: { gpuModel: H100 }, ${fleet} }\n`,
        "/fleet.yaml",
      );
      for (const name of names) {
        const keeper = stages.get(name)?.keeper;
        const { source, fleets, ...more } = ofService(file, name);
        if (!keeper) throw new Error("no such service");
        const homes = await homesElsewhere(keeper, { source, fleets, ...more });
        await declareFleets(keeper, source, () => fleets, {
          ...{ leaving: more.leaving, elsewhere: more.elsewhere, homesElsewhere: homes },
        });
      }
    },
    play: async (minutes: number) => {
      for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
        await clock.advance(5 * SECOND);
        most = Math.max(
          most,
          gpus().reduce((sum, each) => sum + each, 0),
        );
      }
    },
    rows: async () => {
      const rows = [];
      for (const { keeper } of stages.values()) {
        const draft = await readDraft(keeper);
        for (const fleet of draft.fleets.values()) if (!isOver(draft, fleet)) rows.push(fleet.name);
      }
      return rows;
    },
  };
}

async function begun(fleet: string) {
  const on = await services();
  await on.declare(fleet);
  for (const each of on.stages.values()) each.start();
  await on.play(10);
  return on;
}

test("services in another order change nothing, and the whole is counted as before", async () => {
  const on = await begun("gpus: 16, services: [north, south]");
  expect(on.gpus()).toEqual([16, 0, 0]);
  const launches = () => [...on.stages.values()].map((each) => each.launches());
  const before = launches();
  await on.declare("gpus: 16, services: [south, north]");
  await on.play(10);
  expect([on.gpus(), launches()]).toEqual([[16, 0, 0], before]);
  expect(await on.rows()).toEqual(["web", "web@south"]);
  await on.declare("gpus: 8, services: [south, north]");
  await on.play(20);
  expect(on.gpus()).toEqual([8, 0, 0]);
  await on.declare("gpus: 24, services: [south, north]");
  await on.play(20);
  expect(on.gpus()).toEqual([24, 0, 0]);
  expect(on.most()).toBe(24);
});

test("the first service is taken out: its machines stop once others run, and the count is kept on", async () => {
  const on = await begun("gpus: 16, surge: 8, services: [north, south]");
  await on.declare("gpus: 16, surge: 8, services: [south]");
  await on.play(60);
  expect(on.gpus()).toEqual([0, 16, 0]);
  expect(on.most()).toBe(24);
  await on.declare("gpus: 8, surge: 8, services: [south]");
  await on.play(20);
  expect(on.gpus()).toEqual([0, 8, 0]);
  await on.declare("gpus: 24, surge: 8, services: [west, north]");
  await on.play(60);
  expect(on.gpus()).toEqual([24, 0, 0]);
  expect(await on.rows()).toEqual(["web", "web@west"]);
  expect(on.most()).toBe(24 + 8);
});

test("another service is added and taken out, and then nothing of it is left", async () => {
  const on = await begun("gpus: 16, surge: 16, services: [south, west]");
  expect(on.gpus()).toEqual([0, 16, 0]);
  await on.declare("gpus: 32, surge: 16, services: all");
  await on.play(20);
  expect(on.gpus()).toEqual([16, 16, 0]);
  expect(await on.rows()).toEqual(["web@north", "web", "web@west"]);
  await on.declare("gpus: 32, surge: 16, services: [south, west]");
  await on.play(60);
  expect(on.gpus()).toEqual([0, 32, 0]);
  expect(await on.rows()).toEqual(["web", "web@west"]);
  expect(on.most()).toBeLessThanOrEqual(48);
});

test("the account that keeps the count does not leave the file unseen", async () => {
  const on = await begun("gpus: 16, services: [north, south]");
  const without = on.declare("gpus: 8, services: [south, west]", ["south", "west"]);
  await expect(without).rejects.toThrow(
    /fleet web: its count is kept with north .*Write north under services again, and leave it out of services of the fleet alone/,
  );
  await on.play(10);
  expect(on.gpus()).toEqual([16, 0, 0]);
});
