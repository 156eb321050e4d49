import { expect, test } from "vitest";
import { declareAll } from "../../agent/fleet/declare/declare-all.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { contextOf } from "../../launch/index.ts";
import { brokenBy, type Declared, type Kind, type Policy } from "../../policy/rules.ts";
import { stage } from "../support/stage.ts";

const until = "2027-01-01T00:00:00Z";
const PRICE: Policy = { rule: "price", most: "3.00" };
const LABEL: Policy = { rule: "label", name: "team", values: ["vision", "nlp"] };

test.each<[Policy, Declared, string | undefined, Kind?]>([
  [{ rule: "end" }, {}, "until: expected an end, and nothing ends it: set until, or budget.total"],
  [{ rule: "end" }, { until }, undefined],
  [{ rule: "end" }, { budget: { total: "20" } }, undefined],
  [{ rule: "end" }, { work: { by: until } }, undefined],
  [
    { rule: "end" },
    { budget: { perHour: "2" } },
    "until: expected an end, and nothing ends it: set until",
    "Deployment",
  ],
  [
    { rule: "price" },
    {},
    "budget: expected a price ceiling, and there is none: set select.maxPricePerGpuHour or budget.perGpuHour",
  ],
  [{ rule: "price" }, { budget: { perHour: "9" } }, undefined],
  [{ rule: "price" }, { select: { maxPricePerGpuHour: 9 } }, undefined],
  [
    PRICE,
    { budget: { perHour: "2" } },
    "budget: expected a price ceiling, and there is none: set select.maxPricePerGpuHour or budget.perGpuHour, to 3.00 at most",
  ],
  [
    PRICE,
    { budget: { perGpuHour: "3.000001" } },
    "budget.perGpuHour: expected 3.00 at most, got 3.000001: lower it",
  ],
  // What is no amount is not 0.
  [PRICE, { budget: { perGpuHour: "1e3" } }, "budget.perGpuHour: expected 3.00 at most, got 1e3: lower it"],
  [
    PRICE,
    { budget: { perGpuHour: "3.0000001" } },
    "budget.perGpuHour: expected 3.00 at most, got 3.0000001: lower it",
  ],
  [PRICE, { select: { maxPricePerGpuHour: "4" }, budget: { perGpuHour: "3" } }, undefined],
  [
    PRICE,
    { select: { maxPricePerGpuHour: "2", patience: { maxPricePerGpuHour: "3.5" } } },
    "select.patience.maxPricePerGpuHour: expected 3.00 at most, got 3.5: lower it",
  ],
  [PRICE, { budget: { perHour: "24" }, gpus: 8 }, undefined, "Deployment"],
  [
    PRICE,
    { budget: { perHour: "24.5" }, gpus: 8 },
    "budget.perHour: expected 24 at most, got 24.5: lower it",
    "Deployment",
  ],
  [
    PRICE,
    {},
    "budget: expected a price ceiling, and there is none: set budget.perHour, to 3.00 at most",
    "Deployment",
  ],
  [LABEL, {}, "labels.team: expected a value of vision, nlp, and there is none: add it to labels"],
  [LABEL, { labels: { team: "sales" } }, "labels.team: expected one of vision, nlp, got sales: change it"],
  [LABEL, { labels: { team: "nlp" } }, undefined],
  [{ rule: "floor" }, {}, undefined],
  [
    { rule: "floor" },
    { budget: { floor: "0.00" } },
    "budget.floor: expected more than 0, got 0.00: a floor of 0 keeps nothing in the balance. Raise it, or take it out",
  ],
  [{ rule: "floor" }, { budget: { floor: 20 } }, undefined],
])("%j of %j", (policy, declared, text, kind = "Fleet") => {
  const broken = brokenBy(policy, declared, kind);
  const said = broken && `${broken.key.join(".")}: ${broken.text}`;
  expect(said).toBe(text === undefined ? undefined : `${text} (policy ${policy.rule})`);
});

const FILE = `
policy:
  - rule: end
  - { rule: price, most: 3.00 }
  - { rule: label, name: team }
fleets:
  - name: training
    gpus: 8
    select: { gpuModel: h100, maxPricePerGpuHour: 4 }
    until: ${until}
`;

test("a fleet file is held by its own policy: fleet, rule, value and remedy, with the line", () => {
  expect(() => parseFleetFile(FILE, "fleet.yaml")).toThrow(
    /fleet\.yaml:9:\d+ fleets\.0\.select\.maxPricePerGpuHour: training breaks the policy: expected 3 at most, got 4: lower it \(policy price\)/,
  );
  expect(() => parseFleetFile(FILE, "fleet.yaml")).toThrow(
    /fleets\.0.*: training breaks the policy: labels\.team: expected a value, and there is none/,
  );
  const right = FILE.replace("Hour: 4", "Hour: 3").replace(
    "gpus: 8",
    "gpus: 8\n    labels: { team: vision }",
  );
  expect(parseFleetFile(right, "fleet.yaml").policies).toHaveLength(3);
});

test.each([
  ["{ rule: ends }", /policy\.0\.rule: expected "end" or "price" or "label" or "floor", got "ends"/],
  ["{ rule: price, most: cheap }", /policy\.0\.most: expected an amount/],
  ["{ rule: label }", /policy\.0\.name/],
  ["{ rule: label, name: 'a b' }", /policy\.0\.name: expected the name of a label/],
  ["{ rule: end, within: 7d }", /policy\.0\.within/],
  ["end", /policy\.0/],
])("a mistake in a policy is named with its key: %s", (policy, named) => {
  expect(() => parseFleetFile(`policy: [${policy}]\nfleets: []\n`, "fleet.yaml")).toThrow(named);
});

test("whatever else is declared in its account is held by it, and what was declared before goes on", async () => {
  const on = await stage();
  const { keeper } = on;
  const declare = (source: string, fleets: readonly object[], policies?: readonly Policy[]) =>
    keeper.ledger.decide(keeper.account, (draft) => {
      const declared = fleets.map((wish, index) => ({
        name: `f${index}`,
        source,
        wish: parseWish({ gpus: 1, select: {}, ...wish }),
      }));
      return declareAll(
        draft,
        { source, fleets: declared, ...(policies && { policies }) },
        contextOf(keeper),
      );
    });
  await declare("stack:p/d/x#1", [{}]);
  await declare("file:fleet.yaml", [], [{ rule: "end" }, LABEL]);
  await declare("stack:p/d/x#1", [{}]);
  await expect(declare("stack:p/d/x#1", [{ gpus: 2 }])).rejects.toThrow(
    /^fleet f0: until: expected an end, and nothing ends it: set until, or budget\.total \(policy end\)\. The policy stands in file:fleet\.yaml\.$/,
  );
  await expect(declare("stack:p/d/x#1", [{ gpus: 2, until: "2040-01-01T00:00:00Z" }])).rejects.toThrow(
    "policy label",
  );
  expect((await keeper.ledger.read(keeper.account)).fleets).toMatchObject([
    { name: "f0", removed: false, wish: { gpus: 1 } },
  ]);
  // What was removed is declared anew, however little is changed.
  await declare("stack:p/d/x#1", []);
  await expect(declare("stack:p/d/x#1", [{}])).rejects.toThrow("policy end");
  await declare("file:fleet.yaml", [], []);
  await declare("stack:p/d/x#1", [{ gpus: 2 }]);
  expect((await keeper.ledger.read(keeper.account)).account.policies).toBeUndefined();
});
