import { expect, it } from "vitest";
import { disown, haltsOf, resume } from "../../launch/people/operator.ts";
import { LaunchBench } from "./bench.ts";

const MINUTE = 60_000;

/** Machines of one fleet, some of which the service shows no more. */
function without(all: readonly string[], hidden: readonly string[], bench = new LaunchBench()): LaunchBench {
  for (const id of all) bench.machine(id);
  for (const id of hidden) bench.shown.delete(id);
  return bench;
}

const gone = (bench: LaunchBench): readonly string[] =>
  [...bench.draft.deployments.values()].filter(({ end }) => end === "gone").map(({ id }) => id);
const ALL = ["m1", "m2", "m3", "m4"];

it("takes one of those that vanished together for gone, and tells of the others within minutes", () => {
  const bench = without(ALL, ALL);
  bench.rounds(3 * MINUTE);
  expect(gone(bench)).toEqual(["m1"]);
  expect(bench.told("halted")).toEqual([
    expect.stringMatching(/^3 more machines vanished .*m2, m3, m4.*fleetkeeper resume$/),
  ]);
  expect(haltsOf(bench.rows.account)).toEqual(bench.told("halted"));
  bench.rounds(240 * MINUTE);
  expect(gone(bench)).toEqual(["m1"]);
  expect(bench.told("halted")).toHaveLength(1);
});

it("has one machine launched in the place of what counts as gone, and no second one beside it", () => {
  const bench = without(ALL, ALL);
  bench.rounds(3 * MINUTE);
  const first = bench.launch();
  expect(bench.why(bench.admit())).toBe("vanished");
  bench.accept(first, "probe");
  bench.rounds(MINUTE);
  expect(bench.why(bench.admit())).toBe("vanished");
  expect(bench.why(bench.admit({ owner: "fleet:other" }))).toBe("admitted");
});

it("has another one launched if that one ends, or a person has looked", () => {
  const bench = without(ALL, ALL);
  bench.rounds(3 * MINUTE);
  bench.accept(bench.launch(), "probe");
  bench.show("probe", { status: "failed" });
  bench.rounds(MINUTE);
  bench.accept(bench.launch(), "another");
  bench.rounds(MINUTE);
  expect(bench.why(bench.admit())).toBe("vanished");
  bench.decide(resume);
  expect(bench.why(bench.admit())).toBe("admitted");
});

it.each([
  [["m1"], ["m1"]],
  [["m1", "m2"], ["m1"]],
])("of four machines that a list lacks %j, and %j are gone", (hidden, end) => {
  const bench = without(ALL, hidden);
  bench.rounds(5 * MINUTE);
  expect(gone(bench)).toEqual(end);
});

it("counts what vanishes in the very list that believes the first ones gone, whichever comes first", () => {
  const bench = without([...ALL, "m5"], ["m1", "m5"]);
  bench.rounds(MINUTE);
  expect(gone(bench)).toEqual([]);
  bench.shown.delete("m3");
  bench.rounds(bench.settings.poll);
  expect(gone(bench)).toEqual(["m1"]);
  expect(bench.told("halted")).toEqual([expect.stringContaining("2 more machines vanished")]);
});

it("takes what vanishes minutes later for a part of it", () => {
  const bench = without(ALL, ["m1"]);
  bench.rounds(5 * MINUTE);
  bench.shown.delete("m2");
  bench.rounds(5 * MINUTE);
  bench.shown.delete("m3");
  bench.rounds(5 * MINUTE);
  expect(gone(bench)).toEqual(["m1"]);
});

it("takes it for another one if it vanishes hours later, among others that are listed", () => {
  const bench = without([...ALL, "m5"], ["m1"]);
  bench.rounds(5 * MINUTE);
  bench.rounds(120 * MINUTE);
  bench.shown.delete("m2");
  bench.rounds(5 * MINUTE);
  expect(gone(bench)).toEqual(["m1", "m2"]);
});

it("holds back what one owner lost, and not what another one did beside many that are listed", () => {
  const bench = without([...ALL, "m5"], []);
  for (const id of ["s1", "s2"]) bench.machine(id, { owner: "fleet:small" });
  for (const id of ["s1", "s2"]) bench.shown.delete(id);
  bench.rounds(3 * MINUTE);
  expect(gone(bench)).toEqual(["s1"]);
  bench.shown.delete("m1");
  bench.rounds(3 * MINUTE);
  expect(gone(bench)).toEqual(["m1", "s1"]);
});

it("takes what was told to stop for gone, however much of it", () => {
  const bench = without(ALL, ALL);
  bench.decide((draft, { now }) => {
    const stop = {
      asked: now,
      why: "0 GPUs asked for",
      attempts: 0,
      attempted: null,
      accepted: false,
      error: null,
    };
    for (const row of [...draft.deployments.values()]) draft.putDeployment({ ...row, stop });
  });
  bench.rounds(3 * MINUTE);
  expect(gone(bench)).toEqual(ALL);
});

it("says when they are back, and looks anew at what is not", () => {
  const bench = without(ALL, ALL);
  bench.rounds(30 * MINUTE);
  for (const id of ["m1", "m2", "m3"]) bench.show(id);
  bench.rounds(45_000);
  expect(bench.told("resumed")).toEqual([expect.stringContaining("is shown again")]);
  expect([gone(bench), haltsOf(bench.rows.account)]).toEqual([[], []]);
  bench.rounds(2 * MINUTE);
  expect(gone(bench)).toEqual(["m4"]);
});

it("takes an end that is shown at its word", () => {
  const bench = without(ALL, ALL);
  bench.rounds(5 * MINUTE);
  for (const id of ALL) bench.show(id, { status: "interrupted" });
  bench.poll(15_000);
  expect(ALL.map((id) => bench.row(id).end)).toEqual(ALL.map(() => "interrupted"));
});

it("believes an hour of lists that show a new machine beside a history that is missing", () => {
  const bench = without(ALL, ALL);
  bench.rounds(5 * MINUTE);
  bench.machine("new");
  bench.rounds(MINUTE);
  expect(bench.told("halted")).toEqual([
    expect.any(String),
    expect.stringMatching(/^new, which is new, is listed, and m2, m3, m4 are still missing/),
  ]);
  bench.rounds(57 * MINUTE);
  expect(gone(bench)).toEqual(["m1"]);
  bench.rounds(3 * MINUTE);
  expect(gone(bench)).toEqual(ALL);
  // What vanishes then is none of it.
  bench.machine("newer");
  bench.shown.delete("new");
  bench.rounds(3 * MINUTE);
  expect(gone(bench)).toEqual([...ALL, "new"]);
});

it("believes no hour in which the new machine vanished, too", () => {
  const bench = without(ALL, ALL);
  bench.rounds(5 * MINUTE);
  bench.machine("new");
  bench.rounds(30 * MINUTE);
  bench.shown.delete("new");
  bench.rounds(5 * MINUTE);
  bench.show("new");
  bench.rounds(50 * MINUTE);
  expect(gone(bench)).toEqual(["m1"]);
});

it("goes on at a person's word, also after a reboot", () => {
  const bench = without(ALL, ALL);
  bench.rounds(5 * MINUTE);
  bench.reboot();
  bench.rounds(30 * MINUTE);
  expect(gone(bench)).toEqual(["m1"]);
  expect(bench.decide(resume)).toMatchObject({ vanished: true });
  bench.rounds(MINUTE);
  expect([gone(bench), haltsOf(bench.rows.account)]).toEqual([ALL, []]);
});

it("calls no launch absent by lists that hide most machines", () => {
  const bench = without(ALL, []);
  const intent = bench.launch();
  bench.lose(intent);
  for (const id of ALL) bench.shown.delete(id);
  bench.rounds(30 * MINUTE);
  expect(bench.intent(intent)).toMatchObject({
    state: "open",
    detail: expect.stringContaining("fleetkeeper resume"),
  });
  for (const id of ALL) bench.show(id);
  bench.rounds(5 * MINUTE);
  expect(bench.intent(intent).state).toBe("absent");
});

/** Lists lack each of them five minutes after the one before. Those that count as gone then. */
function oneByOne(all: readonly string[], hidden: readonly string[]): LaunchBench {
  const bench = without(all, [], new LaunchBench({ unlisted: true }));
  bench.rounds(MINUTE);
  for (const id of hidden) {
    bench.shown.delete(id);
    bench.rounds(5 * MINUTE);
  }
  return bench;
}

it.each([
  [2, 2],
  [3, 2],
  [6, 3],
  [8, 4],
])(
  "where ends are unlisted, of %i machines that vanish one by one within an hour %i are replaced",
  (of, most) => {
    const all = Array.from({ length: of }, (_, index) => `m${index}`);
    const bench = oneByOne(all, all);
    expect(gone(bench)).toHaveLength(most);
    expect(bench.told("halted")).toHaveLength(of === 2 ? 0 : 1);
  },
);

it("counts what came in their place and vanished, too, and forgets an hour that a person settled", () => {
  const bench = oneByOne(["m1", "m2"], ["m1", "m2"]);
  bench.machine("new");
  bench.rounds(MINUTE);
  bench.shown.delete("new");
  bench.rounds(5 * MINUTE);
  expect(gone(bench)).toEqual(["m1", "m2"]);
  expect(bench.told("halted")).toEqual([
    expect.stringMatching(/^1 more machine vanished .*more than half within an hour/),
  ]);
  bench.decide(resume);
  bench.rounds(MINUTE);
  expect(gone(bench)).toEqual(["m1", "m2", "new"]);
});

it("replaces all that vanish one by one over hours", () => {
  const bench = oneByOne(ALL, ["m1", "m2"]);
  bench.rounds(60 * MINUTE);
  for (const id of ["m3", "m4"]) {
    bench.shown.delete(id);
    bench.rounds(5 * MINUTE);
  }
  expect(gone(bench)).toEqual(ALL);
});

it("frees what a person disowns meanwhile", () => {
  const bench = without(ALL, ALL);
  bench.rounds(5 * MINUTE);
  bench.decide((draft, context) => disown(draft, "m2", context));
  expect(bench.row("m2")).toMatchObject({ claim: "foreign", owner: null });
});
