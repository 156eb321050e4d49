import { cpuUsage } from "node:process";
import { afterEach, expect, it } from "vitest";
import { fleetOwner, slotOwner } from "../../ledger/owner.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import type { Scene } from "./scene.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

let on: Scene;
afterEach(() => on.close());

/** A fleet and Pulumi deployments of so many machines each, and as many launches that are not resolved. */
async function crowd(count: number): Promise<void> {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()];
    const [intent] = [...draft.intents.values()];
    if (!row || !intent) throw new Error("nothing was launched");
    for (let index = 0; index < count; index++) {
      const id = `0000-${String(index).padStart(31, "0")}`;
      const owner = fleetOwner("training");
      const status = index === count - 1 ? "provisioning" : "running";
      deploymentAsFound(draft, { ...row, id, sequence: 100 + index, intent: null, owner, status });
      draft.putSlot({ id: `s${index}`, name: `web-${index}`, created: row.firstSeen, closing: false });
      const slot = {
        ...row,
        id: `slot-${id}`,
        sequence: 100_000 + index,
        intent: null,
        owner: slotOwner(`s${index}`),
      };
      deploymentAsFound(draft, slot);
      deploymentAsFound(draft, {
        ...slot,
        id: `free-${id}`,
        sequence: 200_000 + index,
        owner: null,
        claim: null,
      });
      intentAsFound(draft, {
        ...intent,
        id: `i${index}`,
        group: `g${index}`,
        state: "open",
        deployment: null,
        resolved: null,
      });
    }
  });
}

const PATHS = [
  "/",
  "/search",
  "/search?q=web",
  "/fleet?name=training&days=90",
  `/machine?id=0000-${"0".repeat(31)}`,
];

it("pages of an account with 5,000 machines of each kind are not much longer than with 200, and say where the others are", async () => {
  const bytes = async (): Promise<readonly { path: string; bytes: number; ms: number; text: string }[]> => {
    const all = [];
    for (const path of PATHS) {
      const before = cpuUsage();
      const text = await on.text(path);
      const { user, system } = cpuUsage(before);
      all.push({ path, bytes: text.length, ms: Math.round((user + system) / 1000), text });
    }
    return all;
  };
  await crowd(200);
  const few = await bytes();
  await on.close();
  await crowd(5_000);
  const many = await bytes();
  for (const [index, { path, bytes: length, ms, text }] of many.entries()) {
    const less = few[index];
    console.log(
      `${path}: ${length} bytes, ${(length / (less?.bytes ?? 1)).toFixed(2)} times those of 200 machines; ${ms} ms of CPU, ${(ms / Math.max(1, less?.ms ?? 1)).toFixed(1)} times`,
    );
    expect(length, path).toBeLessThan(1.2 * (less?.bytes ?? 0));
    expect(length, path).toBeLessThan(200_000);
    expect([...text.matchAll(/<tr /g)].length, path).toBeLessThan(300);
  }
  const [status = ""] = many.map(({ text }) => text);
  expect(status).toContain("5001 machines");
  // What does not run is the first, wherever it stands.
  expect(status.indexOf("provisioning")).toBeLessThan(status.indexOf(">running<"));
  expect(status).toMatch(
    /The first 50 of 5001: .*<a href="search\?fleet=training&amp;state=living">all 5001<\/a>/,
  );
  expect(status).toContain("And 4950 more");
  expect(status).toContain("4990 more launches are not resolved.");
  const last = await on.text("/search?fleet=training&state=living&page=101");
  expect(last).toContain("Page 101 of 101");
});

it("the page of 1,000 machines in a hundred fleets is no longer than 100 kB, and leads to each fleet's machines", async () => {
  on = await scene({ balance: "5000.0000" });
  const names = Array.from({ length: 100 }, (_, index) => `fleet-${index}`);
  const [first = ""] = names;
  await on.declare({ [first]: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()];
    const fleet = draft.fleets.get(first);
    if (!row || !fleet) throw new Error("nothing was launched");
    for (const [index, name] of names.entries()) {
      if (name !== first) draft.putFleet({ ...fleet, name });
      for (let one = 0; one < 10; one++) {
        const id = `0000-${String(100 * index + one).padStart(31, "0")}`;
        const sequence = 100 + 100 * index + one;
        deploymentAsFound(draft, { ...row, id, sequence, intent: null, owner: fleetOwner(name) });
      }
    }
  });
  const text = await on.text("/");
  expect(Buffer.byteLength(text)).toBeLessThan(100_000);
  expect(text).toContain('<a href="search?fleet=fleet-99&amp;state=living">10 machines</a>');
});
