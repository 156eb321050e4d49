import type { Case } from "./case.ts";
import { faultSteps } from "./fault-steps.ts";
import { peopleSteps } from "./people-steps.ts";
import { processSteps } from "./process-steps.ts";
import { serviceSteps } from "./service-steps.ts";
import type { State, Step } from "./state.ts";
import { LISTED_WITHIN, SETTINGS, TICK } from "./time.ts";

/** Everything that can happen next, in a fixed order: a path is then a list of numbers. */
export function stepsFrom(world: Case, state: State): readonly Step[] {
  return [
    ...serviceSteps(world, state),
    ...processSteps(world, state),
    ...peopleSteps(world, state),
    ...tick(world, state),
    ...faultSteps(world, state),
  ];
}

/** Time goes on once nothing happens at once any more. Any longer delay costs a fault. */
function tick(world: Case, state: State): readonly Step[] {
  const then = state.now + TICK;
  const waits = state.tasks.every(({ process, stage, slow, sent }) => {
    if (state.processes[process]?.paused) return true;
    return (stage.at === "sent" || stage.at === "answered") && slow && then <= sent + SETTINGS.postTimeout;
  });
  if (!waits || state.requests.some(({ prompt }) => prompt)) return [];
  if (state.lists.some(({ begun }) => then > begun.mono + LISTED_WITHIN)) return [];
  if (world.prompt) {
    const unseen = [...state.requests, ...state.machines.filter(({ listed }) => !listed)];
    if (unseen.some(({ sent }) => then >= sent + LISTED_WITHIN)) return [];
  }
  return [{ words: "time passes", free: true, next: { ...state, now: then } }];
}
