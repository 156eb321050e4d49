import { init, Z3_error_code, Z3_lbool } from "z3-solver";
import { ACTIONS, type Action, BEGIN, FIXED, INVARIANT, RULES, STATE, WORDS } from "./paid-once.ts";

/*
 * Asks Z3 whether each action keeps the invariant. A question is: may the invariant hold before the action, and a clause of it
 * not after it? The state after it is defined by the one before it, so no question has more than that one.
 */

/** A clause that does not hold at the beginning, or that an action does not keep; or that Z3 does not know of. */
export interface Broken {
  readonly action: string;
  readonly clause: string;
  readonly says: string;
}

type Ask = (question: string) => Promise<string>;

/** Begins Z3. `close` ends its threads, which would keep the process. */
export async function openSolver(): Promise<{ readonly ask: Ask; readonly close: () => void }> {
  const { Z3, em } = await init();
  const ask: Ask = async (question) => {
    const context = Z3.mk_context(Z3.mk_config());
    const solver = Z3.mk_solver(context);
    // Not `eval_smtlib2_string`: it goes on in a thread, and its text was seen to be overwritten before that has read it.
    Z3.solver_from_string(context, solver, `(set-option :timeout 20000)${question}`);
    const error = Z3.get_error_code(context);
    if (error !== Z3_error_code.Z3_OK)
      throw new Error(`Z3 does not read it: ${Z3.get_error_msg(context, error)}`);
    const said = await Z3.solver_check(context, solver);
    Z3.del_context(context);
    return said === Z3_lbool.Z3_L_FALSE ? "no" : said === Z3_lbool.Z3_L_TRUE ? "yes" : "unknown";
  };
  return { ask, close: () => em.PThread.terminateAllThreads() };
}

/** What does not hold without these rules. Ends at the first one where `once`. */
export async function brokenWithout(
  ask: Ask,
  out: readonly string[],
  once = false,
): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  const rules = RULES.map((rule) => `(define-fun ${rule} () Bool ${!out.includes(rule)})`).join("");
  for (const [action, clause, question] of questions()) {
    const says = await ask(`${rules}${question}`);
    if (says === "no") continue;
    broken.push({ action, clause, says });
    if (once && says === "yes") break;
  }
  return broken;
}

/** The actions that can never happen while the invariant holds: what is kept by them would say nothing. */
export async function neverPossible(ask: Ask): Promise<readonly string[]> {
  const never: string[] = [];
  const rules = RULES.map((rule) => `(define-fun ${rule} () Bool ${rule !== "PostOnce"})`).join("");
  for (const [name, action] of Object.entries(ACTIONS))
    if ((await ask(`${rules}${before()}${HOLDS}${step(action)}`)) !== "yes") never.push(name);
  return never;
}

/** May this be said of one state, or of what an action about these things makes of it? `pins`: which state it is. */
export function inOneState(
  pins: string,
  name: string | undefined,
  about: readonly string[],
  says: string,
): string {
  const rules = RULES.map((rule) => `(define-fun ${rule} () Bool true)`).join("");
  const action = name === undefined ? undefined : ACTIONS[name];
  if (!action) return `${rules}${before()}${pins}(assert ${says})`;
  const things = [...action.of.matchAll(/\((\w+) /g)].map(
    ([, thing], at) => `(assert (= ${thing} ${about[at]}))`,
  );
  return `${rules}${before()}${pins}${step(action)}${things.join("")}${words(AFTER)}(assert ${says})`;
}

function* questions(): Generator<readonly [string, string, string]> {
  for (const [clause, text] of Object.entries(INVARIANT))
    yield ["Begin", clause, `${before()}(assert (and ${BEGIN}))(assert (not ${text}))`];
  for (const [name, action] of Object.entries(ACTIONS)) {
    for (const [clause, text] of Object.entries(INVARIANT))
      yield [name, clause, `${before()}${HOLDS}${step(action)}${words(AFTER)}(assert (not ${after(text)}))`];
  }
}

const HOLDS = `(assert (and ${Object.values(INVARIANT).join(" ")}))`;

/** All that there is before an action. */
function before(): string {
  const state = Object.entries(STATE).map(
    ([name, [of, is]]) => `(declare-fun ${name} (${of.join(" ")}) ${is})`,
  );
  return `${FIXED}${state.join("")}${words("")}`;
}

/** The action's own things are constants, and the state after it is defined. */
function step({ of, when, then }: Action): string {
  const things = [...of.matchAll(/\((\w+) (\w+)\)/g)].map(
    ([, name, sort]) => `(declare-const ${name} ${sort})`,
  );
  const next = Object.entries(STATE).map(([name, [sorts, is]]) => {
    const x = sorts.map((sort, at) => `(${VARIABLES[at]} ${sort})`).join(" ");
    const same = `(${name} ${sorts.map((_, at) => VARIABLES[at]).join(" ")})`;
    return `(define-fun ${name}${AFTER} (${x}) ${is} ${then[name] ?? same})`;
  });
  return `${things.join("")}(assert (and true ${when.join(" ")}))${next.join("")}`;
}

const VARIABLES = ["x", "y"] as const;
const AFTER = "+";

function words(suffix: string): string {
  return Object.entries(WORDS)
    .map(([name, [of, text]]) => `(define-fun ${name}${suffix} (${of}) Bool ${suffix ? after(text) : text})`)
    .join("");
}

const CHANGES = new Set([...Object.keys(STATE), ...Object.keys(WORDS)]);

/** The same text about the state after the action. */
function after(text: string): string {
  return text.replaceAll(/[A-Za-z]+/g, (word) => (CHANGES.has(word) ? word + AFTER : word));
}
