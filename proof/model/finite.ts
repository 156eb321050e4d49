import { ACTIONS, INVARIANT, RULES, STATE, WORDS } from "./paid-once.ts";

/*
 * The same text that Z3 is asked about, for one state of so many things: whether an action may be taken in it, what comes of
 * it, and whether the invariant holds. So what a trace is held to and what is proven cannot part.
 */

/** A thing, a constant such as `Open`, or whether something holds. */
export type Value = string | boolean;

/** What is there by now of each sort, what changes, and what never does. What `known` does not say is false, `None`, or nothing. */
export interface Finite {
  readonly things: Readonly<Record<string, string[]>>;
  readonly state: Readonly<Record<string, Map<string, Value>>>;
  readonly fixed: Readonly<Record<string, (...of: readonly Value[]) => Value>>;
}

type Term = string | readonly Term[];
type Scope = readonly string[];
type Meaning = (world: Finite, values: readonly Value[]) => Value;

const INITIAL: Readonly<Record<string, Value>> = { Bool: false, Row: "None", Life: "Unborn" };
const CONSTANTS = new Set([
  "None",
  "Open",
  "Claimed",
  "Absent",
  "Done",
  "Unborn",
  "Unlisted",
  "Listed",
  "Halted",
  "Hidden",
  "Over",
]);

/** Nothing is there yet. */
export function nothing(fixed: Finite["fixed"]): Finite {
  return {
    things: { Place: [], Account: [], Host: [], Intent: [], Machine: [], Grant: [], Life: [] },
    state: Object.fromEntries(Object.keys(STATE).map((name) => [name, new Map<string, Value>()])),
    fixed,
  };
}

/** Takes a step. The guard that forbids it; undefined: it was taken. `about`: the things of the action, in its order. */
export function take(world: Finite, name: string, about: readonly string[]): string | undefined {
  const action = MEANT.get(name);
  if (!action) throw new Error(`the model has no action ${name}`);
  const wrong = action.when.find(({ holds }) => !holds(world, about));
  if (wrong) return wrong.text;
  const news = action.then.map(({ name: of, sorts, value }) => {
    const changed: [string, Value][] = [];
    for (const of of tuples(world, sorts)) changed.push([of.join(" "), value(world, [...about, ...of])]);
    return [of, changed] as const;
  });
  for (const [of, changed] of news) for (const [key, value] of changed) world.state[of]?.set(key, value);
  return undefined;
}

/** The clauses of the invariant that do not hold. */
export function broken(world: Finite): readonly string[] {
  return CLAUSES.filter(({ holds }) => !holds(world, [])).map(({ name }) => name);
}

function tuples(world: Finite, sorts: readonly string[]): readonly (readonly string[])[] {
  return sorts.reduce<readonly (readonly string[])[]>(
    (so, sort) => so.flatMap((each) => (world.things[sort] ?? []).map((thing) => [...each, thing])),
    [[]],
  );
}

function read(text: string): readonly Term[] {
  const tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const next = (): Term => {
    const token = tokens[at++] ?? ")";
    if (token !== "(") return token;
    const list: Term[] = [];
    while (tokens[at] !== ")") list.push(next());
    at += 1;
    return list;
  };
  const all: Term[] = [];
  while (at < tokens.length) all.push(next());
  return all;
}

function variables(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/\((\w+) (\w+)\)/g)].map(([, name = "", sort = ""]) => [name, sort]);
}

const every =
  (terms: readonly Meaning[]): Meaning =>
  (world, values) =>
    terms.every((each) => each(world, values));
const some =
  (terms: readonly Meaning[]): Meaning =>
  (world, values) =>
    terms.some((each) => each(world, values));

function meaning(term: Term, scope: Scope): Meaning {
  if (typeof term === "string") return atom(term, scope);
  const [head, ...rest] = term;
  if (head === "forall" || head === "exists") return overAll(head, rest, scope);
  const terms = rest.map((each) => meaning(each, scope));
  const [first, second, third] = terms as [Meaning, Meaning, Meaning];
  switch (head) {
    case "and":
      return every(terms);
    case "or":
      return some(terms);
    case "not":
      return (world, values) => !first(world, values);
    case "=>":
      return (world, values) => !first(world, values) || second(world, values);
    case "=":
      return (world, values) => first(world, values) === second(world, values);
    case "distinct":
      return (world, values) => first(world, values) !== second(world, values);
    case "ite":
      return (world, values) => (first(world, values) ? second : third)(world, values);
    default:
      return applied(String(head), terms);
  }
}

function atom(name: string, scope: Scope): Meaning {
  const at = scope.lastIndexOf(name);
  if (at >= 0) return (_, values) => values[at] ?? "";
  if (name === "true") return () => true;
  if (CONSTANTS.has(name)) return () => name;
  // No rule is taken out.
  if ((RULES as readonly string[]).includes(name)) return () => true;
  return applied(name, []);
}

function overAll(which: "forall" | "exists", [bound, body]: readonly Term[], scope: Scope): Meaning {
  const of = (bound as readonly (readonly [string, string])[]).map(([name, sort]) => ({ name, sort }));
  const holds = meaning(body ?? "true", [...scope, ...of.map(({ name }) => name)]);
  const sorts = of.map(({ sort }) => sort);
  const found = (
    world: Finite,
    values: readonly Value[],
    left: readonly string[],
    wanted: boolean,
  ): boolean => {
    const [sort, ...others] = left;
    if (sort === undefined) return holds(world, values) === wanted;
    return (world.things[sort] ?? []).some((thing) => found(world, [...values, thing], others, wanted));
  };
  return which === "exists"
    ? (world, values) => found(world, values, sorts, true)
    : (world, values) => !found(world, values, sorts, false);
}

function applied(name: string, terms: readonly Meaning[]): Meaning {
  const sort = STATE[name]?.[1];
  if (sort !== undefined) {
    const initial = INITIAL[sort] ?? "";
    return (world, values) =>
      world.state[name]?.get(terms.map((each) => each(world, values)).join(" ")) ?? initial;
  }
  if (WORDS[name]) {
    return (world, values) => {
      const word = WORDS_MEANT.get(name);
      return word
        ? word(
            world,
            terms.map((each) => each(world, values)),
          )
        : false;
    };
  }
  return (world, values) => {
    const known = world.fixed[name];
    if (!known) throw new Error(`the model has no ${name}`);
    return known(...terms.map((each) => each(world, values)));
  };
}

const WORDS_MEANT: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(WORDS).map(([name, [of, text]]) => [
    name,
    every(
      read(text).map((each) =>
        meaning(
          each,
          variables(of).map(([variable]) => variable),
        ),
      ),
    ),
  ]),
);

const CLAUSES = Object.entries(INVARIANT).map(([name, text]) => ({
  name,
  holds: every(read(text).map((each) => meaning(each, []))),
}));

const MEANT = new Map(
  Object.entries(ACTIONS).map(([name, { of, when, then }]) => {
    const scope = variables(of).map(([variable]) => variable);
    return [
      name,
      {
        when: when.flatMap((text) =>
          read(text).map((each) => ({ text: textOf(each), holds: meaning(each, scope) })),
        ),
        then: Object.entries(then).map(([fn, text]) => {
          const sorts = STATE[fn]?.[0] ?? [];
          const [value] = read(text);
          return {
            name: fn,
            sorts,
            value: meaning(value ?? "true", [...scope, ...["x", "y"].slice(0, sorts.length)]),
          };
        }),
      },
    ] as const;
  }),
);

function textOf(term: Term): string {
  return typeof term === "string" ? term : `(${term.map(textOf).join(" ")})`;
}
