import type { Case } from "./case.ts";
import { shownBy } from "./service.ts";
import type { Process, State, Step } from "./state.ts";
import { isAlive, withMachine } from "./state.ts";
import { momentOf } from "./time.ts";

/** A step that costs one fault; none if no fault is left. */
export function faulty(state: State, words: string, next: State): readonly Step[] {
  const { faults } = state.budget;
  if (faults === 0) return [];
  const paid = { ...next, budget: { ...next.budget, faults: faults - 1 } };
  return [{ words: `FAULT: ${words}`, free: false, next: paid }];
}

/** What happens to processes and machines, whatever they do. */
export function faultSteps(world: Case, state: State): readonly Step[] {
  const steps: Step[] = [];
  const can = (kind: Case["kinds"][number]): boolean => world.kinds.includes(kind);
  for (const [process, { pid, paused }] of state.processes.entries()) {
    if (paused) {
      const next = withProcess(state, process, { pid, paused: false });
      steps.push({ words: `process ${pid} goes on`, free: true, next });
    }
    const tasks = state.tasks.filter((task) => task.process === process);
    const busy = tasks.length > 0 || state.lists.some((list) => list.process === process);
    if (can("crash") && (busy || paused)) {
      steps.push(...faulty(state, `process ${pid} dies and is started again`, crashed(state, process)));
    }
    const anywhere = can("pauseAnywhere");
    const between = tasks.some(({ stage }) => stage.at === "stamped");
    if (!paused && busy && (anywhere || (can("pause") && !between))) {
      const next = withProcess(state, process, { pid, paused: true });
      steps.push(...faulty(state, `process ${pid} stands still`, next));
    }
    if (can("slowList") && !paused && !state.lists.some((list) => list.process === process)) {
      // Asked for just before now: of two lists asked for in one moment neither is the newer.
      const begun = momentOf(world, { ...state, now: state.now - 1 }, process);
      const list = { process, begun, deployments: shownBy(world, state) };
      const next = { ...state, lists: [...state.lists, list] };
      steps.push(...faulty(state, `process ${pid} gets a list, and stores it later`, next));
    }
  }
  if (can("reboot") && state.rows.intents.some((intent) => intent.state === "open")) {
    const dead = state.processes.reduce((now, _process, index) => crashed(now, index), state);
    const anew = { ...dead, boot: state.boot + 1 };
    steps.push(...faulty(state, "the machine of our processes is booted anew", anew));
  }
  if (can("fail")) {
    for (const machine of state.machines) {
      if (!isAlive(machine) || !machine.listed) continue;
      steps.push(...faulty(state, `${machine.id} fails`, withMachine(state, machine, { status: "failed" })));
    }
  }
  return steps;
}

/** Its answers reach nobody. What it sent is still on its way. */
function crashed(state: State, process: number): State {
  const dying = state.tasks.filter((task) => task.process === process);
  const pid = Math.max(...state.processes.map((each) => each.pid)) + 1;
  return {
    ...withProcess(state, process, { pid, paused: false }),
    tasks: state.tasks.filter((task) => task.process !== process),
    lists: state.lists.filter((list) => list.process !== process),
    requests: state.requests.map((request) =>
      dying.some(({ intent }) => intent === request.intent) ? { ...request, prompt: false } : request,
    ),
  };
}

function withProcess(state: State, index: number, process: Process): State {
  return { ...state, processes: state.processes.map((each, at) => (at === index ? process : each)) };
}
