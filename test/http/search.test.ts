import { afterEach, expect, it } from "vitest";
import { search } from "../../agent/tell/http/pages/search.ts";
import { Archive } from "../../ledger/archive.ts";
import { Draft } from "../../ledger/draft.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { AccountRow, DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { tablesOf } from "../../ledger/tables.ts";
import { AT, DEPLOYMENT, intentOf } from "../ledger/contract.ts";
import { read, section } from "./markup.ts";
import type { Scene } from "./scene.ts";
import { badDay } from "./scene.ts";

let on: Scene | undefined;
afterEach(() => on?.close());

const NOTHING = { q: "", fleet: "", state: "", page: 1 };
const ACCOUNT = { key: "a", slots: [] } as unknown as AccountRow;

/** So many machines live, and so many are archived. Counts the archived rows that are read. */
function world(living: number, archived: number) {
  let pairs = 0;
  const machine = (index: number): DeploymentRow => ({
    ...DEPLOYMENT,
    id: `m-${index}`,
    sequence: index,
    offer: "h100-8",
    provider: index % 2 === 0 ? "north" : "south",
    location: "oslo",
    owner: index % 3 === 0 ? "fleet:training" : "fleet:night",
    claim: "certain",
    end: null,
    ended: null,
  });
  const old = (id: string): DeploymentRow => ({ ...machine(0), id, end: "stopped", ended: AT });
  const intent: IntentRow = intentOf("launch0", { state: "claimed", deployment: "old-7" });
  const pair = (id: string) => {
    pairs += 1;
    return {
      row: old(id),
      intent: null,
      archived: { owner: "fleet:training", record: null, spent: {} },
    } as const;
  };
  const ids = Array.from({ length: archived }, (_, index) => `old-${index}`);
  const archive = new Archive(
    { pair, pairOf: (id) => (id === intent.id ? { ...pair("old-7"), intent } : undefined), idsOf: () => ids },
    ids.map((id) => [id, { owner: "fleet:training", record: null, spent: {} }]),
  );
  const deployments = Array.from({ length: living }, (_, index) => machine(index));
  const rows = { account: ACCOUNT, intents: [], deployments, slots: [], fleets: [], cooldowns: [], archive };
  return { draft: new Draft(tablesOf(rows), { isReadOnly: true }), pairs: () => pairs };
}

it("finds by parts of an id, a marker, an offer, a provider, a location, a fleet's name and a state; all words count", () => {
  const { draft } = world(6, 0);
  const found = (q: string, more = {}): readonly string[] =>
    search(draft, { ...NOTHING, q, ...more }).hits.map(({ row }) => row.id);
  expect(found("")).toEqual(["m-5", "m-4", "m-3", "m-2", "m-1", "m-0"]);
  expect(found("M-4")).toEqual(["m-4"]);
  expect(found("h100 SOUTH")).toEqual(["m-5", "m-3", "m-1"]);
  expect(found("south train")).toEqual(["m-3"]);
  expect(found("running oslo m-1")).toEqual(["m-1"]);
  expect(found("west")).toEqual([]);
  expect(found("", { fleet: "training" })).toEqual(["m-3", "m-0"]);
  expect(found("", { fleet: "train" })).toEqual([]);
  expect(found("", { state: "running" })).toHaveLength(6);
  expect(found("", { state: "over" })).toEqual([]);
  expect(found("", { state: "living" })).toHaveLength(6);
});

it("gives a hundred at a time, and reads of the archive only what the page shows", () => {
  const { draft, pairs } = world(150, 20_000);
  const first = search(draft, NOTHING);
  expect([first.hits.length, first.count, first.pages]).toEqual([100, 20_150, 202]);
  expect(pairs()).toBe(0);
  const second = search(draft, { ...NOTHING, page: 2 });
  expect([second.hits.length, second.hits[50]?.row.id]).toEqual([100, "old-19999"]);
  expect(pairs()).toBe(50);
  const last = search(draft, { ...NOTHING, page: 999 });
  expect([last.page, last.hits.length, last.hits.at(-1)?.row.id]).toEqual([202, 50, "old-0"]);
  const before = pairs();
  expect(search(draft, { ...NOTHING, q: "old-1234" }).count).toBe(11);
  expect(search(draft, { ...NOTHING, fleet: "training", state: "over" }).count).toBe(20_000);
  expect(search(draft, { ...NOTHING, state: "living" }).count).toBe(150);
  expect(pairs() - before).toBe(111);
});

it("finds an archived machine by its launch and by its marker", () => {
  const { draft } = world(0, 10);
  for (const q of ["launch0", "fk-ledger-launch0"])
    expect(search(draft, { ...NOTHING, q }).hits.map(({ row }) => row.id)).toEqual(["old-7"]);
});

it("the page is a form that works without a script, with what was asked in it, and shows launches that made nothing", async () => {
  on = await badDay();
  const markup = await on.text("/search?q=south&fleet=training&state=running");
  expect(markup).toMatch(/<form [^>]*action="search" method="get"/);
  expect(markup).toContain('name="q" type="search" value="south"');
  expect(markup).toContain('<option value="training" selected>');
  expect(markup).toContain('<option value="running" selected>');
  expect(section(markup, "found")).toMatch(
    /^aria-labelledby="found"> \d+ found .*running training h100-8 south\/rome/,
  );
  expect(markup).not.toContain("http-equiv");
  const refused = [...(await readDraft(on.keeper)).intents.values()].find(
    ({ state }) => state === "rejected",
  );
  expect(section(await on.text(`/search?q=${refused?.id}`), "found")).toContain(
    `launch ${refused?.id} rejected training`,
  );
  expect(read(await on.text("/search?q=%3Cb%3Enothing"))).toContain("Nothing was found");
});

it("takes whatever stands in its address", async () => {
  on = await badDay();
  for (const odd of [
    "page=-1",
    "page=1e9",
    "page=9999999",
    "state=%00",
    "fleet=%ED%A0%80",
    `q=${"x".repeat(3000)}`,
    "q=a&q=b",
    "page[]=1",
  ])
    expect((await on.get(`/search?${odd}`)).status, odd).toBe(200);
});
