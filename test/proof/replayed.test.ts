// @module-tag repeats
import { expect, it } from "vitest";
import { RULES } from "../../proof/model/paid-once.ts";
import { PLANTS } from "../../proof/plants.ts";
import { play } from "../../proof/play.ts";
import type { Totals } from "../../proof/seeds/seeds.ts";
import { directed } from "../../proof/stories/index.ts";
import { prove } from "./support.ts";

/*
 * The model shows how it goes wrong without each rule. Here the product has the bug that takes the rule out, in a story in which
 * it matters: it takes the step that the model forbids. Without the bug it takes none.
 */

const PATIENCE = 600_000;

const REPLAYED: Readonly<Partial<Record<(typeof RULES)[number], readonly [bug: string, step: string]>>> = {
  OneOpen: ["two-open-intents-in-a-group", "Admit"],
  LastLook: ["paused-sender-sends", "Send"],
  PostOnce: ["launch-repeated-with-a-new-token", "Send"],
  TakesTime: ["settle-time-cut-short", "CallAbsent"],
  LedgerTime: ["own-clock-in-a-shared-ledger", "CallAbsent"],
  LateWaits: ["late-arrival-beside-an-open-intent", "TakeLate"],
  Uncertain: ["server-error-is-rejection", "Refused"],
  HaltedBills: ["halted-counts-as-over", "CallGone"],
  ProvenMissing: ["gone-within-a-minute", "CallGone"],
};

/** Where others launch, too: what no rule of the model says, and the truth does. */
const BESIDE_OTHERS = [
  ["foreign-marker-is-ours", "Take of list"],
  ["failed-without-a-place-is-of-one-launch", "Take of list"],
  ["surplus-on-a-shared-account-is-ours", "is claimed for certain, by looking alone"],
  ["no-place-yet-is-of-one-launch", "is disputed, though all that lists showed"],
] as const;

it.each(Object.entries(REPLAYED))(
  "without %s the product takes a step that is none: %s",
  { timeout: PATIENCE },
  async (_rule, [bug, step]) => {
    expect((await refusedWith(bug)).map((what) => what.split(" ")[0])).toContain(step);
  },
);

it.each(BESIDE_OTHERS)("where others launch, %s is no step: %s", { timeout: PATIENCE }, async (bug, what) => {
  expect((await refusedWith(bug)).join("\n")).toContain(what);
});

/** The steps that are none, in the bug's first story. Without the bug all of it goes well. */
async function refusedWith(bug: string): Promise<readonly string[]> {
  const [story = ""] = PLANTS.find(({ name }) => name === bug)?.directed ?? [];
  for (const scenario of directed(story)) expect((await play(scenario)).violations).toEqual([]);
  const { output } = await prove("run.ts", "--plant", bug, "--directed", story, "--json");
  const { failed } = JSON.parse(output) as Totals;
  const all = failed.flatMap(({ violations }) => violations);
  return all.flatMap(({ rule, what }) => (rule === "a step of the model" ? [what] : []));
}

it("no rule is left out unseen", () => {
  const left = RULES.filter((rule) => !(rule in REPLAYED));
  // A fleet's places have no identity, shares are amounts; and a launch that is written and forgotten would be no row of the ledger.
  expect(left).toEqual([
    "CountInside",
    "WriteFirst",
    "AbsentExplains",
    "VanishedExplains",
    "GiveFree",
    "LowerFirst",
    "ReceiveOnce",
  ]);
});
