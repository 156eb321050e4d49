import type { z } from "zod";
import { fittingBuffer } from "./buffer-wish.ts";
import { fittingIdle } from "./idle-wish.ts";
import { fittingImprove } from "./improve-wish.ts";
import { fittingUpdate } from "./update-wish.ts";
import { fittingWaits } from "./waiting-wish.ts";
import { fittingWork } from "./work-wish.ts";

type Idle = Parameters<typeof fittingIdle>[0];
type Improve = Parameters<typeof fittingImprove>[0];
type Update = Parameters<typeof fittingUpdate>[0];
type Waits = Parameters<typeof fittingWaits>[0];
type Buffer = Parameters<typeof fittingBuffer>[0];
type Work = Parameters<typeof fittingWork>[0];

/** Holds the parts of a wish to one another, where people write it. Its `gpus`: the most that it may ever want. */
export function fittingWish(
  wish: Idle & Improve & Update & Waits & Buffer & Work,
  context: z.RefinementCtx,
): void {
  for (const fitting of [
    fittingIdle,
    fittingImprove,
    fittingUpdate,
    fittingWaits,
    fittingBuffer,
    fittingWork,
  ])
    fitting(wish, context);
}
