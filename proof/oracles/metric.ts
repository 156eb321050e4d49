import { milliseconds } from "../../service/text/duration.ts";
import { gpusOfValue } from "../scenario/metric.ts";
import type { FleetSpec } from "../scenario/scenario.ts";
import { clockError, specOf } from "../scenario/scenario.ts";
import type { Sized } from "../world/recorder.ts";
import type { Evidence, Violation } from "./evidence.ts";

/** An answer counts for so long after it was asked for. */
const LATE_MS = 60_000;

/**
 * A size that follows a metric changes only by an answer that the metric gave, and gave in time; by so many GPUs a step, never
 * past what that answer asks for; after more, or less, was asked for during all of its time; and stays within its bounds.
 */
export function sizesFollowTheirMetric(evidence: Evidence): readonly Violation[] {
  return [...Map.groupBy(evidence.recorder.sized, ({ owner }) => owner)].flatMap(([owner, sizes]) => {
    const spec = specOf(evidence.scenario, owner);
    if (!spec?.metric) return [];
    const metric = spec.metric;
    return sizes.flatMap((size, index) =>
      wrongWith(evidence, { gpus: spec.gpus, metric }, sizes.slice(0, index + 1)).map((what) => ({
        rule: "4.10 metric",
        at: size.at,
        what: `${owner} wants ${size.gpus} GPUs by ${size.value}, and ${what}`,
      })),
    );
  });
}

interface Followed {
  /** Its count before the first answer. */
  readonly gpus: number;
  readonly metric: NonNullable<FleetSpec["metric"]>;
}

/** The last of these sizes is judged. */
function wrongWith(
  evidence: Evidence,
  { gpus, metric }: Followed,
  sizes: readonly Sized[],
): readonly string[] {
  const last = sizes.at(-1);
  if (!last) return [];
  const tolerance = clockError(evidence.scenario) + 1_000;
  const before = sizes.at(-2)?.gpus ?? Math.min(metric.max, Math.max(metric.min, gpus));
  const asked = gpusOfValue(metric, Number(last.value));
  const isUp = last.gpus > before;
  const { most, stabilization } = isUp ? metric.up : metric.down;
  // Since when each answer asked for more, or for less, than there was.
  const others = sizes.findLastIndex(({ value }) => {
    const wanted = gpusOfValue(metric, Number(value));
    return isUp ? wanted <= before : wanted >= before;
  });
  const since = sizes[others + 1]?.at ?? last.at;
  const isHeard = evidence.recorder.measured.some(
    ({ says, asked: from, answered }) =>
      Number(says) === Number(last.value) &&
      answered <= last.at + tolerance &&
      from >= last.at - LATE_MS - tolerance,
  );
  const isSame = last.gpus === before;
  return [
    isHeard ? "" : "the metric did not say that within a minute",
    last.gpus < metric.min || last.gpus > metric.max ? `${metric.min} to ${metric.max} are its bounds` : "",
    !isSame && Math.abs(last.gpus - before) > most ? `${before} were wanted, and a step is ${most}` : "",
    !isSame && (isUp ? last.gpus > asked : last.gpus < asked) ? `that asks for ${asked}` : "",
    !isSame && last.at - since < milliseconds(stabilization) - tolerance
      ? `that was asked for since ${(last.at - since) / 1000} s alone`
      : "",
  ].filter((why) => why !== "");
}
