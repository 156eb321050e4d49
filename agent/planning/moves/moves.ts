import { drain } from "./drain.ts";
import { fillBuffer } from "./fill-buffer.ts";
import { giveBack } from "./give-back.ts";
import { goOnImproving } from "./go-on-improving.ts";
import { goOnUpdating } from "./go-on-updating.ts";
import { giveBackIdle } from "./idle.ts";
import { improve } from "./improve.ts";
import { launch } from "./launch.ts";
import type { Move } from "./move.ts";
import { regroup } from "./regroup.ts";
import { renew } from "./renew.ts";
import { replaceUnserving } from "./replace.ts";
import { countFirst, pause, twoListsFirst } from "./stay.ts";
import { stopSurplus } from "./surplus.ts";
import { update } from "./update.ts";

/**
 * What may be planned for a fleet, in the order in which it is asked. The first that stops or launches something is the last. What was
 * begun goes on before anything begins. What a fleet lacks comes before what could be better.
 */
export const MOVES: readonly Move[] = [
  drain,
  pause,
  twoListsFirst,
  countFirst,
  giveBack,
  replaceUnserving,
  goOnImproving,
  goOnUpdating,
  stopSurplus,
  giveBackIdle,
  renew,
  launch,
  fillBuffer,
  update,
  regroup,
  improve,
];
