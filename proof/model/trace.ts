import { NoStep } from "./ghost.ts";
import { stored } from "./steps/of-machine.ts";
import { type Playing, playingOf } from "./steps/playing.ts";
import { come, sent } from "./steps/sending.ts";
import type { Trace } from "./truly.ts";
import type { Happened } from "./witness.ts";

/*
 * Plays what the product did, and what the service truly did, as steps of the model. What is no step of it, or has a guard that
 * does not hold, ends the play. docs/how/model.md says what stands for which step, and what is beside the model.
 */

/** What a play came to: the steps by name (in brackets what is beside the model), and the first thing that is no step. */
export interface Played {
  readonly steps: Readonly<Record<string, number>>;
  readonly refused: { readonly at: number; readonly what: string } | undefined;
}

export function playTrace(trace: Trace): Played {
  const playing = playingOf(trace);
  const { ghost } = playing;
  try {
    for (const each of trace.recorder.witness.all) {
      // Of which machine the rows are from now on, the model cannot say.
      if (each.kind === "anew") {
        ghost.count("(an id given anew: the play ends)");
        break;
      }
      happen(playing, each);
    }
  } catch (error) {
    if (!(error instanceof NoStep)) throw error;
    return { steps: ghost.steps, refused: { at: playing.now, what: error.message } };
  }
  return { steps: ghost.steps, refused: undefined };
}

function happen(playing: Playing, happened: Exclude<Happened, { kind: "anew" }>): void {
  const { pending } = playing;
  const due = pending.filter(({ at }) => at <= happened.at).sort((one, other) => one.at - other.at);
  playing.pending = pending.filter(({ at }) => at > happened.at);
  for (const each of due) {
    playing.now = each.at;
    come(playing, each);
  }
  playing.now = happened.at;
  if (happened.kind === "sent") sent(playing, happened);
  else if (happened.kind === "over") playing.ended.add(happened.process);
  else stored(playing, happened.rows, happened.where);
}
