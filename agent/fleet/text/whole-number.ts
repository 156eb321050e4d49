import { z } from "zod";
import { MOST_GPUS } from "../../../service/contract/limits.ts";

/** A number of GPUs, with its bounds. */
export function whole(least: number) {
  const expected = `expected a whole number of ${least} or more`;
  const most = { error: () => `expected a whole number of ${MOST_GPUS.toLocaleString("en")} or less` };
  return z.int({ error: expected }).min(least, expected).max(MOST_GPUS, most);
}
