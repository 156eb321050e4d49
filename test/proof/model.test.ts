// @module-tag repeats
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MODEL, runModel } from "../../proof/model/alloy.ts";
import { ACTIONS, INVARIANT, RULES } from "../../proof/model/paid-once.ts";
import { isCi } from "../../scripts/setup/set-up.mjs";
import { emptyFolder } from "../setup/folder.ts";

const TEXT = readFileSync(MODEL, "utf8");
const PATIENCE = 600_000;

describe("the model of the protocol, and the same for any number of all things", () => {
  it("have the same rules, actions and names of what they keep", () => {
    expect(namesOf(/enum Rule \{([^}]*)\}/)).toEqual([...RULES]);
    const acts = namesOf(/enum Act \{([^}]*)\}/);
    expect(acts.filter((act) => act !== "Rest").sort()).toEqual(Object.keys(ACTIONS).sort());
    const kept = ["good", "invariant"].flatMap((name) => namesOf(new RegExp(`pred ${name} \\{([^}]*)\\}`)));
    // The solver is not asked whether a place is lost on its way between two accounts: nobody pays for that.
    const clauses = kept.map((name) => (name === "sharesAreTheWhole" ? "sharesNeverAbove" : name));
    expect(clauses.filter((name) => name !== "good" && name !== "and").sort()).toEqual(
      Object.keys(INVARIANT).sort(),
    );
  });
});

const jar = process.env.FLEETKEEPER_ALLOY;
const why =
  jar || isCi(process.env) ? "" : " [skipped: no Alloy; npm test -- --repeats fetches it where it may]";

describe.skipIf(why !== "")(`what Alloy finds in the model${why}`, () => {
  let running: ReturnType<typeof runModel> | undefined;
  const found = async (command: string): Promise<readonly string[] | undefined> => {
    if (jar === undefined) throw new Error("there is no Alloy in this CI: see what the set-up said");
    running ??= runModel(jar, emptyFolder());
    const result = (await running).find((each) => each.command === command);
    if (!result) throw new Error(`${MODEL} has no command ${command}`);
    return result.acts;
  };

  it.each(["begins", "stays"])(
    "nothing against what it says, by %s",
    { timeout: PATIENCE },
    async (check) => {
      expect(await found(check)).toBeUndefined();
    },
  );

  it.each(["lateTwin", "moved"])("what may happen does: %s", { timeout: PATIENCE }, async (story) => {
    expect(await found(story)).toBeDefined();
  });

  it.each(RULES)("how it goes wrong without %s", { timeout: PATIENCE }, async (rule) => {
    expect(await found(`no${rule}`)).toBeDefined();
  });
});

function namesOf(list: RegExp): readonly string[] {
  return (list.exec(TEXT)?.[1] ?? "").match(/\w+/g) ?? [];
}
