import type { Answer } from "../../agent/fleet/wish/machine-question.ts";
import { openSqliteLedger, type Tenure } from "../../ledger/index.ts";
import { machine, slot } from "../../provider/kinds.ts";
import { sessionOf } from "../../provider/runtime/host/open-environment.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import type { Environment } from "../../provider/runtime/session/environment.ts";
import { H100, keeperOn, type Stage } from "../support/stage.ts";

export interface Desk extends Environment {
  readonly lines: string[];
  /** What machines answer to the check, and how often they were asked. */
  readonly asked: { answer: Answer; times: number };
  /** As the death of this process does: nothing that waits goes on. */
  kill(): void;
}

let ids = 0;

/** One process that runs resources on a stage. A second desk is another process on the same ledger. */
export function deskOn({ keeper }: Stage): Desk {
  const lines: string[] = [];
  const ending = new AbortController();
  const session = sessionOf(keeper, ending.signal);
  const asked: Desk["asked"] = { answer: { kind: "good" }, times: 0 };
  return {
    lines,
    asked,
    kill: () => ending.abort(new Error("killed")),
    problem: () => undefined,
    usedParameters: () => undefined,
    session: async () => session,
    glimpse: async () => session,
    ledger: async () => keeper.ledger,
    held: new Set(),
    ledgerThere: async () => keeper.ledger,
    run: async () => undefined,
    whyNotRun: () => undefined,
    async ask() {
      asked.times++;
      return asked.answer;
    },
    newId: () => `slot${++ids}`,
    host: "here",
    say: (text, name) => lines.push(name === undefined ? text : `${name}: ${text}`),
    now: () => keeper.clock.now().mono,
    hide: (text) => text,
    signal: ending.signal,
  };
}

export const COMBINATION = { offer: H100.offer, provider: H100.provider, location: H100.location };

/** What the engine keeps of one deployment between its runs. */
export interface State {
  readonly slot: { readonly id: string; readonly outs: Properties };
  readonly machine?: { readonly id: string; readonly outs: Properties };
}

/** Creates the slot alone, as an engine has it in its state when the machine's create begins. */
export async function slotOf(desk: Desk, args: Properties = {}): Promise<State> {
  return { slot: await slot.create(desk, { label: "project/dev/web", ...COMBINATION, ...args }) };
}

export function machineInputsOf({ slot: { id, outs } }: State, args: Properties = {}): Properties {
  return { label: "project/dev/web", ...COMBINATION, slot: id, ledger: outs.ledger, ...args };
}

export async function createMachine(desk: Desk, state: State, args: Properties = {}): Promise<State> {
  return { ...state, machine: await machine.create(desk, machineInputsOf(state, args)) };
}

/** What an engine does for one deployment: the child first. */
export async function destroy(desk: Desk, state: State): Promise<void> {
  if (state.machine) await machine.delete(desk, state.machine.id, state.machine.outs);
  await slot.delete(desk, state.slot.id, state.slot.outs);
}

/** This account from another ledger, as on another computer, or after the file was lost. */
export async function elsewhere(
  on: Stage,
  tenure: Tenure = "shared",
  alter?: (profile: string) => string,
): Promise<Stage> {
  const ledger = openSqliteLedger({ path: ":memory:", newId: "otherledger0", now: on.clock.now() });
  const keeper = await keeperOn(on.simulator, on.clock, "plain", tenure, ledger, {}, alter);
  return { ...on, keeper };
}

/** A command in a process of its own, which is killed so many ms later; the error that it ends with. */
export async function killedAfter(
  ms: number,
  on: Stage,
  command: (desk: Desk) => Promise<unknown>,
): Promise<Error> {
  const desk = deskOn(on);
  const ended = failure(command(desk));
  await on.clock.advance(ms);
  desk.kill();
  return on.clock.run(ended);
}

/** The error that a promise fails with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

export function never(): AbortSignal {
  return new AbortController().signal;
}
