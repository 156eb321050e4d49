import { type FleetSpec, specOf } from "../scenario/scenario.ts";
import type { Evidence } from "./evidence.ts";

type Watched = Pick<Evidence, "recorder" | "started">;

/** When a fleet ends by its file, as it stands at a moment, in ms of the truth's clock; Infinity: never. */
export function endAt({ recorder, started }: Watched, spec: FleetSpec | undefined, at: number): number {
  const until = started + (spec?.untilMs ?? Number.POSITIVE_INFINITY);
  const lives = recorder.lives.filter(
    ({ owner, from, over }) => owner === spec?.owner && from <= at && at < over,
  );
  return Math.min(until, ...lives.map(({ end }) => end));
}

export function endOf(evidence: Evidence, owner: string, at: number): number {
  return endAt(evidence, specOf(evidence.scenario, owner), at);
}
