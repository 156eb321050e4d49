import { admit, stampForSend } from "../../launch/admit/admit.ts";
import type { LaunchWish } from "../../launch/admit/rule.ts";
import { dueStops, mayStop, storeStop } from "../../launch/ends/stop.ts";
import type { Context } from "../../launch/facts/context.ts";
import { SLOT_RULES, trimSlots } from "../../launch/people/slot.ts";
import { observe } from "../../launch/protocol.ts";
import { storeAnswer } from "../../launch/resolve/answer.ts";
import { storeLook, toLookUp } from "../../launch/resolve/missing.ts";
import type { Draft } from "../../ledger/draft.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { Combination } from "../../service/contract/contract.ts";
import { unhandled } from "../../service/contract/errors.ts";
import type { Deployment, LaunchAnswer, StopAnswer } from "../../service/contract/service.ts";
import type { Case } from "./case.ts";
import { decide, LEDGER_ID } from "./decide.ts";
import { faulty } from "./fault-steps.ts";
import { shown, shownBy } from "./service.ts";
import type { Answer, Machine, State, Step, Task } from "./state.ts";
import { isAlive, withMachine } from "./state.ts";
import { identityOf, momentOf } from "./time.ts";

/**
 * What our processes do. Each step is one effect of launch/protocol.ts, through the same functions. Steps
 * happen as soon as they may, in every order, which includes what provider and agent do.
 */
export function processSteps(world: Case, state: State): readonly Step[] {
  return [
    ...listSteps(world, state),
    ...launchSteps(world, state),
    ...state.tasks.flatMap((task) => taskSteps(world, state, task)),
    ...stopSteps(world, state),
  ];
}

function listSteps(world: Case, state: State): readonly Step[] {
  const steps: Step[] = [];
  const deployments = shownBy(world, state);
  for (const process of lookers(world, state)) {
    const slots = state.slots.some(({ wish }) => wish === "closing")
      ? state.slots.map((slot) => (slot.wish === "closing" ? { ...slot, wish: "looked" as const } : slot))
      : state.slots;
    const next = { ...stored(world, state, deployments, process), slots };
    steps.push({ words: `${listing(world, process)}: ${describe(deployments)}`, free: true, next });
  }
  for (const list of state.lists) {
    const lists = state.lists.filter((each) => each !== list);
    const lost = { ...state, lists };
    steps.push({ words: "a slow list is lost", free: true, next: lost });
    if (state.processes[list.process]?.paused) continue;
    const next = stored(world, lost, list.deployments, list.process, list.begun);
    steps.push({ words: `a slow list is stored at last: ${describe(list.deployments)}`, free: true, next });
  }
  if (world.kinds.includes("cutList")) {
    for (const { id, status } of deployments) {
      if (status !== "running") continue;
      const cut = deployments.filter((each) => each.id !== id);
      const next = stored(world, state, cut);
      steps.push(...faulty(state, `a list is taken that lacks ${id}: ${describe(cut)}`, next));
    }
  }
  return steps;
}

/** Who takes a list makes a difference only between hosts. */
function lookers(world: Case, { processes }: State): readonly number[] {
  const able = processes.flatMap(({ paused }, at) => (paused ? [] : [at]));
  return world.hosts === 1 ? able.slice(0, 1) : able;
}

function listing({ hosts }: Case, process: number): string {
  return hosts === 1 ? "a list is taken" : `host ${process + 1} takes a list`;
}

/** As takeList: the list, and a GET for each machine that it lacks. */
function stored(
  world: Case,
  state: State,
  deployments: readonly Deployment[],
  process = 0,
  begun = momentOf(world, state, process),
): State {
  const observed = (draft: Draft, context: Context): readonly string[] => {
    observe(draft, { begun, deployments }, context);
    trimSlots(draft, context);
    return toLookUp(draft);
  };
  const seen = decide(world, state, observed, process);
  return seen.result.reduce((now, id) => look(world, now, id, process), { ...state, rows: seen.rows });
}

function look(world: Case, state: State, id: string, process = 0): State {
  const machine = state.machines.find((each) => each.id === id);
  const found = machine?.listed ? shown(world, machine) : undefined;
  const asked = momentOf(world, state, process);
  const { rows } = decide(
    world,
    state,
    (draft, context) => storeLook(draft, id, found, asked, context),
    process,
  );
  return { ...state, rows };
}

function launchSteps(world: Case, state: State): readonly Step[] {
  return state.processes.flatMap(({ pid, paused }, process) => {
    if (paused) return [];
    return state.slots.flatMap(({ id: slot, place, wish }) => {
      // A host that was killed late may still launch into a slot that is being deleted.
      if (wish === "deleted" || state.tasks.some((task) => task.process === process && task.slot === slot))
        return [];
      const id = `i${String(state.rows.intents.length + 1).padStart(7, "0")}`;
      const { rows, result } = decide(
        world,
        state,
        (draft, context) =>
          admit(draft, wishOf(slot, place), context, {
            id,
            ledger: LEDGER_ID,
            sender: identityOf(world, state.boot, process, pid),
          }),
        process,
      );
      if (!("intent" in result)) return [];
      const task: Task = { process, slot, intent: id, stage: { at: "admitted" }, sent: 0, slow: false };
      const next = { ...state, rows, tasks: [...state.tasks, task] };
      return [{ words: `process ${pid} writes the launch ${id} for ${slot}`, free: true, next }];
    });
  });
}

function placeOf({ slots }: State, id: string): Combination {
  const slot = slots.find((each) => each.id === id);
  if (slot === undefined) throw new Error(`no slot ${id}`);
  return slot.place;
}

function wishOf(slot: string, place: Combination): LaunchWish {
  const rest = { gpus: 1, pricePerHour: null, parameters: {}, limits: {}, rules: SLOT_RULES };
  return { ...place, ...rest, owner: slotOwner(slot) };
}

function taskSteps(world: Case, state: State, task: Task): readonly Step[] {
  const process = state.processes[task.process];
  if (process === undefined || process.paused) return [];
  const { stage, intent } = task;
  const who = `process ${process.pid}`;
  switch (stage.at) {
    case "admitted": {
      const { rows, result } = decide(
        world,
        state,
        (draft, context) =>
          stampForSend(draft, intent, context, wishOf(task.slot, placeOf(state, task.slot))),
        task.process,
      );
      if (!result) {
        const next = { ...state, rows, tasks: replaced(state, task, undefined) };
        return [{ words: `${who} gives ${intent} up`, free: true, next }];
      }
      const stamped: Task = { ...task, stage: { at: "stamped" } };
      const next = { ...state, rows, tasks: replaced(state, task, stamped) };
      // A death between the two looks like a POST that is lost on its way. Only a pause does not.
      if (!world.kinds.includes("pauseAnywhere")) return [sending(world, next, stamped, who)];
      return [{ words: `${who} looks once more and may send ${intent}`, free: true, next }];
    }
    case "stamped":
      return [sending(world, state, task, who)];
    case "sent": {
      if (!task.slow) return [];
      const rows = answered(world, state, task, { kind: "unknown", reason: "no answer" });
      const next = { ...state, rows, tasks: replaced(state, task, undefined) };
      return [{ words: `${who} gets no answer to ${intent}, or an error`, free: true, next }];
    }
    case "answered": {
      const rows = answered(world, state, task, answerOf(stage.answer, stage.machine));
      const next = { ...state, rows, tasks: replaced(state, task, undefined) };
      const words = `${who} stores the answer to ${intent}: ${stage.answer} ${stage.machine ?? ""}`.trimEnd();
      return [{ words, free: true, next }];
    }
    default:
      return unhandled(stage);
  }
}

function sending(world: Case, state: State, task: Task, who: string): Step {
  const { intent, slot } = task;
  const sent = state.now;
  const next: State = {
    ...state,
    tasks: replaced(state, task, { ...task, stage: { at: "sent" }, sent }),
    requests: [...state.requests, { intent, slot, sent, prompt: true }],
    wrong: world.prompt ? wrongToSend(state, task) : null,
  };
  return { words: `${who} looks once more, and the POST of ${intent} leaves it`, free: true, next };
}

/** In a prompt case no POST may leave for a wish that an earlier POST, or its machine, may still fill. */
function wrongToSend(state: State, task: Task): string | null {
  const closing = state.rows.slots.find(({ id }) => id === task.slot)?.closing;
  if (closing) return `a POST leaves for ${task.slot}, whose deletion has begun`;
  const earlier = state.requests.find(({ slot }) => slot === task.slot);
  return earlier
    ? `a POST leaves for ${task.slot} while that of ${earlier.intent} may still make a machine`
    : null;
}

function answered(world: Case, state: State, { intent, process }: Task, answer: LaunchAnswer): State["rows"] {
  return decide(world, state, (draft, context) => storeAnswer(draft, intent, answer, context), process).rows;
}

function answerOf(answer: Answer, machine: string | null): LaunchAnswer {
  switch (answer) {
    case "accepted":
      return { kind: "accepted", id: machine ?? "", deployment: {} };
    case "rejected":
      return { kind: "rejected", status: 422, code: "no_capacity" };
    case "cooling":
      return { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 1 };
    case "notSent":
      return { kind: "notSent", reason: "connection refused" };
    case "unknown":
      return { kind: "unknown", reason: "no answer" };
    default:
      return unhandled(answer);
  }
}

/** As carryOutStops: what is due, a last look, the call, and its outcome. */
function stopSteps(world: Case, state: State): readonly Step[] {
  if (state.rows.deployments.every(({ stop, end }) => stop === null || end !== null)) return [];
  if (state.processes.every(({ paused }) => paused)) return [];
  const due = decide(world, state, (draft, context) => dueStops(draft, context));
  return due.result.flatMap(({ id }) => {
    const before = look(world, { ...state, rows: due.rows }, id);
    const row = before.rows.deployments.find((each) => each.id === id);
    const machine = before.machines.find((each) => each.id === id);
    if (row === undefined || machine === undefined) return [];
    if (!mayStop(row) || row.status === "stopping") {
      return [{ words: `the last look at ${id} shows nothing to stop`, free: true, next: before }];
    }
    // One more try that changes nothing would only be counted.
    if (!(machine.listed && isAlive(machine)) && (row.stop?.attempts ?? 0) > 1) return [];
    const stopping = stopped(before, machine, row.claim);
    const record = (at: State, answer: StopAnswer): State => ({
      ...at,
      rows: decide(world, at, (draft, context) => storeStop(draft, id, answer, context)).rows,
    });
    const steps: Step[] = [];
    const kind = machine.listed && isAlive(machine) ? "accepted" : "gone";
    const answer: StopAnswer = { kind, said: "answered" };
    steps.push({ words: `${id} is stopped (${answer.kind})`, free: true, next: record(stopping, answer) });
    if (world.kinds.includes("stop")) {
      const failed: StopAnswer = { kind: "failed", reason: "no answer" };
      steps.push(...faulty(state, `${id} is stopped, and that is not answered`, record(stopping, failed)));
      steps.push(...faulty(state, `the stop of ${id} fails`, record(before, failed)));
    }
    return steps;
  });
}

function stopped(state: State, machine: Machine, claim: string | null): State {
  if (!machine.listed || !isAlive(machine)) return state;
  const wrong =
    machine.slot === null
      ? `${machine.id} is a stranger's, and is stopped`
      : claim !== "certain"
        ? `${machine.id} is stopped, and its claim is ${claim}`
        : state.wrong;
  return { ...withMachine(state, machine, { status: "stopped" }), wrong };
}

function replaced(state: State, task: Task, by: Task | undefined): readonly Task[] {
  return state.tasks.flatMap((each) => (each === task ? (by ? [by] : []) : [each]));
}

function describe(deployments: readonly Deployment[]): string {
  return deployments.map(({ id, status }) => `${id} ${status}`).join(", ") || "nothing";
}
