import type { Case } from "./case.ts";
import { faulty } from "./fault-steps.ts";
import { madeBy, strangers } from "./service.ts";
import type { Answer, Request, State, Step } from "./state.ts";
import { withMachine } from "./state.ts";

/** What the service makes of the POSTs that have left, and what it shows. */
export function serviceSteps(world: Case, state: State): readonly Step[] {
  return [
    ...state.requests.flatMap((request) =>
      request.prompt ? served(world, state, request) : drifting(state, request),
    ),
    ...state.machines
      .filter(({ listed }) => !listed)
      .map((machine) => {
        const next = withMachine(state, machine, { listed: true });
        return { words: `${machine.id} is listed from now on`, free: true, next };
      }),
    ...hired(world, state),
  ];
}

/** A POST on its way, whose sender waits or stands still. */
function served(world: Case, state: State, request: Request): readonly Step[] {
  const { intent } = request;
  const gone = without(state, request);
  const made = madeBy(state, request);
  const at = (listed: boolean): State => ({ ...gone, machines: [...gone.machines, { ...made, listed }] });
  const steps: Step[] = [
    {
      words: `the service makes ${made.id} for ${intent}, and answers`,
      free: true,
      next: answering(at(true), intent, "accepted", made.id),
    },
  ];
  const fault = (kind: Case["kinds"][number], words: string, next: State): void => {
    if (world.kinds.includes(kind)) steps.push(...faulty(state, words, next));
  };
  fault(
    "lag",
    `the service makes ${made.id} for ${intent} and answers, and does not list it yet`,
    answering(at(false), intent, "accepted", made.id),
  );
  fault("adrift", `the POST of ${intent} is not answered`, {
    ...state,
    requests: state.requests.map((each) => (each === request ? { ...each, prompt: false } : each)),
    tasks: state.tasks.map((task) => (task.intent === intent ? { ...task, slow: true } : task)),
  });
  for (const answer of ["rejected", "cooling", "notSent"] as const) {
    fault(answer, `the POST of ${intent}: ${answer}`, answering(gone, intent, answer, null));
  }
  return steps;
}

/** A POST that nobody waits for properly: lost, or late and then answered late or never. */
function drifting(state: State, request: Request): readonly Step[] {
  const { intent } = request;
  const gone = without(state, request);
  const made = madeBy(state, request);
  const late: State = { ...gone, machines: [...gone.machines, made] };
  const steps: Step[] = [
    { words: `the POST of ${intent} is lost for good`, free: true, next: gone },
    { words: `the service makes ${made.id} for ${intent}, late`, free: true, next: late },
  ];
  if (state.tasks.some((task) => task.intent === intent && task.stage.at === "sent")) {
    const next = answering(late, intent, "accepted", made.id, true);
    steps.push({ words: `the service makes ${made.id} for ${intent}, late, and answers`, free: true, next });
  }
  return steps;
}

function hired(world: Case, state: State): readonly Step[] {
  const { budget } = state;
  const place = world.slots[0];
  if (budget.strangers === 0 || place === undefined) return [];
  const machine = strangers(state, place);
  const next: State = {
    ...state,
    machines: [...state.machines, machine],
    budget: { ...budget, strangers: budget.strangers - 1 },
  };
  return [{ words: `STRANGER: somebody else launches ${machine.id}`, free: false, next }];
}

function answering(
  state: State,
  intent: string,
  answer: Answer,
  machine: string | null,
  slow = false,
): State {
  const stage = { at: "answered", answer, machine } as const;
  const tasks = state.tasks.map((task) => (task.intent === intent ? { ...task, slow, stage } : task));
  return { ...state, tasks };
}

function without(state: State, request: Request): State {
  return { ...state, requests: state.requests.filter((each) => each !== request) };
}
