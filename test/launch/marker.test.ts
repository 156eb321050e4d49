import { expect, it } from "vitest";
import { markerOf } from "../../launch/groups.ts";
import { Bench } from "./bench.ts";

const shared = { tenure: "shared", marker: true } as const;

it("makes a claim certain on a shared account, among strangers' machines", () => {
  const bench = new Bench({ ...shared, shownBack: ["marker"] });
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("theirs");
  bench.show("ours", { marker: bench.intent(intent).marker });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("ours")).toMatchObject({ claim: "certain", intent });
  expect(bench.reported).toEqual(["theirs"]);
});

it("counts as not mapped until an answered launch has shown it back: then looking is by guess", () => {
  const bench = new Bench(shared);
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("any", { marker: "something" });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("any")).toMatchObject({ claim: "inferred", intent });
});

it.each([
  ["another ledger's", markerOf("otherledger0", "intent000001")],
  ["another launch's", markerOf("memoryledger", "intent999999")],
])(
  "is a stranger's if it is %s, also before a marker was shown back, and on an exclusive account",
  (_whose, marker) => {
    for (const bench of [
      new Bench(shared),
      new Bench({ ...shared, shownBack: ["marker"] }),
      new Bench({ marker: true }),
    ]) {
      const intent = bench.launch();
      bench.lose(intent);
      bench.show("theirs", { marker });
      bench.advance(1_000);
      bench.list();
      expect(bench.row("theirs").claim).toBeNull();
      expect(bench.intent(intent).state).toBe("open");
      expect(bench.reported).toEqual(["theirs"]);
    }
  },
);

it("claims all that carry it: a proxy that sent the POST twice made two machines of ours", () => {
  const bench = new Bench({ ...shared, shownBack: ["marker"] });
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("m1", { marker: bench.intent(intent).marker });
  bench.show("m2", { marker: bench.intent(intent).marker });
  bench.advance(1_000);
  bench.list();
  expect(bench.rows.deployments.map(({ claim }) => claim)).toEqual(["certain", "certain"]);
  expect(bench.intent(intent).deployment).toBe("m1");
});
