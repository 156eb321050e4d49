import { hash } from "node:crypto";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { keyOf } from "./canonical.ts";
import type { Case } from "./case.ts";
import { initial } from "./initial.ts";
import { wrongAtRest, wrongIn } from "./judge.ts";
import { Numbers } from "./numbers.ts";
import { Graph } from "./progress.ts";
import type { State, Step } from "./state.ts";
import { stepsFrom } from "./steps.ts";

interface Bad {
  readonly what: string;
  /** The shortest way there, in words. */
  readonly path: readonly string[];
  readonly state: State;
}

interface Found {
  readonly states: number;
  readonly steps: number;
  /** States that are as they should be, and stay so without another fault. */
  readonly settled: number;
  /** The longest of the shortest ways. */
  readonly depth: number;
  /** Pairs of states with one key that were seen to go on alike. */
  readonly sampled: number;
  readonly bad: Bad | undefined;
}

interface Options {
  /** Throws beyond this number of states. */
  readonly most?: number;
  /** One of this many states that are met again is compared with the first of its key. 0: none. */
  readonly sample?: number;
}

/**
 * Walks through all states of a case, the nearest first, and stops at the first bad one. Then each state must
 * lead to one at rest without a further fault: one that does not is bad, too.
 */
export function explore(world: Case, { most = Infinity, sample = 0 }: Options = {}): Found {
  const numbers = new Map<string, number>();
  const parents = new Numbers();
  const ways = new Numbers();
  const depths = new Numbers();
  const edges = new Numbers();
  /** States that are not as they should be in the end. */
  const unsettled: number[] = [];
  let settled = 0;
  /** States whose next steps are still to be taken. */
  const waiting = new Map<number, State>();
  let steps = 0;
  let again = 0;
  let sampled = 0;

  const first = initial(world);
  numbers.set(digest(keyOf(world, first)), 0);
  parents.push(-1);
  ways.push(-1);
  depths.push(0);
  waiting.set(0, first);
  let depth = 0;

  const found = (bad?: Bad): Found => ({ states: numbers.size, steps, settled, depth, sampled, bad });
  const badAt = (number: number, what: string): Found => {
    const path = pathTo(world, parents, ways, number);
    return found({ what, path: path.words, state: path.state });
  };

  for (let number = 0; number < numbers.size; number++) {
    const state = waiting.get(number);
    if (state === undefined) throw new Error("a state is lost");
    waiting.delete(number);
    depth = depths.at(number);
    if (numbers.size > most) throw new Error(`${world.name}: more than ${most} states`);
    if (wrongAtRest(world, state) !== undefined) unsettled.push(number);
    const next = tried(world, state);
    if ("error" in next) return badAt(number, `a decision fails: ${next.error}`);
    for (const [way, step] of next.steps.entries()) {
      steps += 1;
      const key = digest(keyOf(world, step.next));
      let to = numbers.get(key);
      if (to === undefined) {
        to = numbers.size;
        numbers.set(key, to);
        parents.push(number);
        ways.push(way);
        depths.push(depth + 1);
        const wrong = wrongIn(world, step.next);
        if (wrong !== undefined) return badAt(to, wrong);
        waiting.set(to, step.next);
      } else if (sample > 0 && to !== number && ++again % sample === 0) {
        const other = pathTo(world, parents, ways, to).state;
        const differs = goOnAlike(world, other, step.next);
        if (differs)
          throw new Error(`${world.name}: two states have one key and go on differently: ${differs}`);
        sampled += 1;
      }
      if (step.free && to !== number) {
        edges.push(number);
        edges.push(to);
      }
    }
  }
  const graph = new Graph(edges, numbers.size);
  // What can still change has not settled yet.
  const movable = graph.reaching(unsettled);
  const goals: number[] = [];
  for (let number = 0; number < numbers.size; number++) if (movable[number] === 0) goals.push(number);
  settled = goals.length;
  const stuck = graph.reaching(goals).indexOf(0);
  if (stuck < 0) return found();
  return badAt(stuck, `without another fault it never ends well: ${theEnd(world, parents, ways, stuck)}`);
}

/** What is wrong in the end, for the message: after all free steps have happened. */
function theEnd(world: Case, parents: Numbers, ways: Numbers, number: number): string {
  let { state } = pathTo(world, parents, ways, number);
  for (let round = 0; round < 200; round++) {
    const free = stepsFrom(world, state).filter((step) => step.free && step.next !== state);
    const before = keyOf(world, state);
    const step =
      free.find(({ words, next }) => words !== "time passes" && keyOf(world, next) !== before) ?? free.at(-1);
    if (step === undefined) break;
    state = step.next;
  }
  return wrongAtRest(world, state) ?? "it goes round and round";
}

function tried(world: Case, state: State): { readonly steps: readonly Step[] } | { readonly error: string } {
  try {
    return { steps: stepsFrom(world, state) };
  } catch (error) {
    if (error instanceof FleetkeeperError) return { error: error.message };
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** 128 bits: two of a million states never share them by chance. */
function digest(key: string): string {
  return hash("md5", key, "base64");
}

function pathTo(
  world: Case,
  parents: Numbers,
  ways: Numbers,
  number: number,
): { readonly words: readonly string[]; readonly state: State } {
  const taken: number[] = [];
  for (let at = number; parents.at(at) >= 0; at = parents.at(at)) taken.unshift(ways.at(at));
  let state = initial(world);
  const words = taken.map((way) => {
    const step = stepsFrom(world, state)[way];
    if (step === undefined) throw new Error("a path cannot be walked again");
    state = step.next;
    return step.words;
  });
  return { words, state };
}

/** Undefined, or the first difference in what two states with one key lead to. */
function goOnAlike(world: Case, one: State, other: State): string | undefined {
  const [left, right] = [one, other].map((state) =>
    [...new Set(stepsFrom(world, state).map((step) => `${step.free} ${keyOf(world, step.next)}`))].sort(),
  );
  const at = left?.findIndex((key, index) => key !== right?.[index]) ?? -1;
  if (at < 0 && left?.length === right?.length) return undefined;
  return `\n${keyOf(world, one)}\n${left?.[at]}\n${right?.[at]}`;
}
