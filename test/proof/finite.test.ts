// @module-tag repeats
import { afterAll, beforeAll, expect, it } from "vitest";
import { broken, type Finite, nothing, take, type Value } from "../../proof/model/finite.ts";
import { ACTIONS, INVARIANT, STATE } from "../../proof/model/paid-once.ts";
import { inOneState, openSolver } from "../../proof/model/smt.ts";
import { Prng } from "../../simulator/prng.ts";

/* Traces are held to the text of the model by an evaluator of ours. Here Z3 reads the same text of the same small states. */

const PATIENCE = 600_000;
const COUNTS = { Place: 2, Account: 2, Host: 1, Intent: 3, Machine: 3, Grant: 1 } as const;
const SORTS: Readonly<Record<string, readonly string[]>> = {
  Row: ["None", "Open", "Claimed", "Absent", "Done"],
  Life: ["Unborn", "Unlisted", "Listed", "Halted", "Hidden", "Over"],
};
const FIXED: Readonly<Record<string, readonly [readonly string[], string]>> = {
  fills: [["Intent", "Place"], "Bool"],
  account: [["Intent"], "Account"],
  sender: [["Intent"], "Host"],
  liar: [["Intent"], "Bool"],
  alike: [["Intent", "Intent"], "Bool"],
  from: [["Grant"], "Account"],
  to: [["Grant"], "Account"],
  what: [["Grant"], "Place"],
  chosen: [["Intent"], "Bool"],
  shown: [["Machine"], "Bool"],
  unanswered: [[], "Bool"],
  listedAtOnce: [[], "Bool"],
};

let solver: Awaited<ReturnType<typeof openSolver>>;
beforeAll(async () => {
  solver = await openSolver();
}, PATIENCE);
afterAll(() => solver.close());

it("what a trace may do is what Z3 is asked about", { timeout: PATIENCE }, async () => {
  const random = new Prng("finite");
  const names = Object.keys(ACTIONS).filter((name) => name !== "SendAgain");
  for (const name of names) {
    const [allowed, forbidden] = [drawnFor(random, name, true), drawnFor(random, name, false)];
    for (const { pins, about, clauses, after } of [allowed, forbidden]) {
      expect(await solver.ask(inOneState(pins, undefined, [], clauses))).toBe("yes");
      const says = await solver.ask(inOneState(pins, name, about, after ?? "true"));
      expect(says, `${name} ${about.join(" ")}`).toBe(after === undefined ? "no" : "yes");
    }
  }
});

/** A state in which the evaluator allows the action, or forbids it, with what it says of the invariant before it and of all after it. */
function drawnFor(random: Prng, name: string, isAllowed: boolean) {
  for (;;) {
    const { world, fixed } = drawn(random);
    const sorts = [...(ACTIONS[name]?.of ?? "").matchAll(/\w+ (\w+)\)/g)].map(([, sort = ""]) => sort);
    const about = sorts.map((sort) => random.pick(thingsOf(sort)));
    const pins = `${declared()}${pinned(FIXED, fixed, "")}${pinned(STATE, world.state, "")}`;
    const isBroken = broken(world);
    const clauses = Object.entries(INVARIANT).map(([clause, text]) =>
      isBroken.includes(clause) ? `(not ${text})` : text,
    );
    if ((take(world, name, about) === undefined) !== isAllowed && name !== "Ask") continue;
    const after = isAllowed || name === "Ask" ? pinned(STATE, world.state, "+", "and") : undefined;
    return { pins, about, clauses: `(and ${clauses.join(" ")})`, after };
  }
}

function thingsOf(sort: string): readonly string[] {
  const count = COUNTS[sort as keyof typeof COUNTS];
  return SORTS[sort] ?? Array.from({ length: count }, (_, nth) => `${sort}${nth}`);
}

function tuples(sorts: readonly string[]): readonly (readonly string[])[] {
  return sorts.reduce<readonly (readonly string[])[]>(
    (so, sort) => so.flatMap((each) => thingsOf(sort).map((thing) => [...each, thing])),
    [[]],
  );
}

function drawn(random: Prng): { world: Finite; fixed: Readonly<Record<string, ReadonlyMap<string, Value>>> } {
  const value = (sort: string): Value =>
    sort === "Bool" ? random.next() < 0.4 : random.pick(thingsOf(sort));
  const all = (of: typeof FIXED): Record<string, Map<string, Value>> =>
    Object.fromEntries(
      Object.entries(of).map(([name, [sorts, is]]) => [
        name,
        new Map(tuples(sorts).map((each) => [each.join(" "), value(is)])),
      ]),
    );
  const fixed = all(FIXED);
  for (const [one = "", other = ""] of tuples(["Intent", "Intent"])) {
    const isAlike = one === other || fixed.alike?.get(`${other} ${one}`) === true;
    fixed.alike?.set(`${one} ${other}`, isAlike).set(`${other} ${one}`, isAlike);
  }
  const world = nothing(
    Object.fromEntries(
      Object.entries(fixed).map(([name, values]) => [name, (...of) => values.get(of.join(" ")) ?? ""]),
    ),
  );
  for (const sort of Object.keys(COUNTS)) world.things[sort]?.push(...thingsOf(sort));
  for (const [name, values] of Object.entries(all(STATE)))
    for (const [key, each] of values) world.state[name]?.set(key, each);
  return { world, fixed };
}

/** There are these things, and no others. */
function declared(): string {
  return Object.keys(COUNTS)
    .map((sort) => {
      const things = thingsOf(sort);
      const constants = things.map((thing) => `(declare-const ${thing} ${sort})`).join("");
      const distinct = things.length > 1 ? `(assert (distinct ${things.join(" ")}))` : "";
      return `${constants}${distinct}(assert (forall ((x ${sort})) (or false ${things.map((thing) => `(= x ${thing})`).join(" ")})))`;
    })
    .join("");
}

function pinned(
  of: typeof FIXED,
  values: Readonly<Record<string, ReadonlyMap<string, Value>>>,
  suffix: string,
  how: "assert" | "and" = "assert",
): string {
  const equal = Object.entries(of).flatMap(([name, [sorts]]) =>
    tuples(sorts).map((each) => {
      const term = sorts.length === 0 ? name : `(${name}${suffix} ${each.join(" ")})`;
      return `(= ${term} ${values[name]?.get(each.join(" "))})`;
    }),
  );
  return how === "and" ? `(and ${equal.join(" ")})` : equal.map((each) => `(assert ${each})`).join("");
}
