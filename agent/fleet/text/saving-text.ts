import type { ShortRow } from "../../json/parts.ts";
import { timeOfDay } from "./text.ts";

/** For people: what the stop of a machine waits for; undefined: nothing. `now`: wall time in ms. */
export function savingText({ beforeStop }: Pick<ShortRow, "beforeStop">, now: number): string | undefined {
  if (!beforeStop || beforeStop.until <= now || !["waiting", "running"].includes(beforeStop.state))
    return undefined;
  const does = beforeStop.state === "running" ? "runs" : "waits";
  return `stopping: its beforeStop ${does} until ${timeOfDay(beforeStop.until).slice(0, 5)}`;
}
