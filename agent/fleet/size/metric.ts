import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { age, elapsed, type Instant, isLater, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow, MetricRow } from "../../../ledger/rows.ts";
import { durationOf, milliseconds } from "../../../service/text/duration.ts";
import { gpusText } from "../text/text.ts";
import { parseWish } from "../wish/wish.ts";
import { askedNow, asWhole } from "./asked-size.ts";
import { unlowered } from "./lowered-count.ts";
import { askedByMetric, gpusFor, nextKnown } from "./metric-size.ts";

/*
 * What a fleet's metric said, in the ledger: a restart or another host goes on from there. An answer that is none, or that
 * comes late, changes nothing but what people are told.
 */

/** `value`: an exact decimal of 0 or more. */
export type Measured =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "unknown"; readonly why: string };

/** An answer says nothing of so long after it was asked for: a process that stood still brings old ones. */
const LATE_MS = MINUTE_MS;
/** How long nothing may be known until people are told. */
const TOLD_AFTER_MS = 5 * MINUTE_MS;

/** Stores an answer. `at`: when it was asked for. */
export function storeMeasured(
  draft: Draft,
  name: string,
  measured: Measured,
  at: Instant,
  context: Context,
): void {
  const fleet = draft.fleets.get(name);
  if (!fleet || fleet.removed || parseWish(asWhole(fleet).wish).metric === undefined) return;
  // Another process may have asked since.
  if (fleet.metric?.known && !isLater(at, fleet.metric.known.at)) return;
  const old = age(at, context.now);
  if (measured.kind === "unknown") storeUnknown(draft, fleet, measured.why, at, context);
  else if (old > LATE_MS)
    storeUnknown(
      draft,
      fleet,
      `the answer came more than ${durationOf(LATE_MS)} after it was asked for`,
      at,
      context,
    );
  else storeValue(draft, fleet, measured.value, at, context);
}

function storeValue(draft: Draft, fleet: FleetRow, value: string, at: Instant, context: Context): void {
  const { metric: wish } = parseWish(asWhole(fleet).wish);
  if (!wish) return;
  const { known: before, fell, problem } = fleet.metric ?? {};
  // It is asked once a tick at most.
  const mostApart = Math.max(milliseconds(wish.every), context.settings.poll) + LATE_MS;
  const known = nextKnown(wish, before, value, at, mostApart);
  const isLess = known.gpus < (before?.gpus ?? wish.at);
  const metric: MetricRow = { known, ...(isLess ? { fell: at } : fell && { fell }) };
  const next = draft.putFleet({ ...fleet, metric });
  const [asked, then] = [next, fleet].map((each) => askedNow(asWhole(each), context)) as [number, number];
  const tell = (kind: "measured" | "resumed", text: string): void =>
    note(draft, context, kind, `${fleet.name} ${text}`, { owner: fleetOwner(fleet.name) });
  if (problem?.told) tell("measured", `follows its metric again, which says ${value}`);
  // As with a window of a schedule that begins.
  if (fleet.lowered === undefined || asked <= then) return;
  draft.putFleet(unlowered(next));
  tell("resumed", `wants its ${gpusText(asked)} again: its metric asks for more`);
}

function storeUnknown(draft: Draft, fleet: FleetRow, why: string, at: Instant, context: Context): void {
  const { problem: before, known, ...row } = fleet.metric ?? {};
  const since = before?.since ?? at;
  const isTold = before?.told ?? elapsed(since, context.now) >= TOLD_AFTER_MS;
  const problem = { since, why, ...(isTold && { told: true as const }) };
  // For as long as it lasts, the ledger is not written again for it.
  if (before?.why === why && before.told === problem.told && !known?.run) return;
  // What was asked for without a break was so until now only.
  const { run: _run, ...still } = known ?? {};
  draft.putFleet({ ...fleet, metric: { ...row, ...(known && { known: still as typeof known }), problem } });
  if (!isTold || before?.told) return;
  const keeps = `It asks for ${gpusText(askedByMetric(asWhole(fleet)) ?? askedNow(asWhole(fleet), context))} until it is known`;
  note(draft, context, "unmeasured", `${fleet.name} does not know its metric: ${why}. ${keeps}`, {
    owner: fleetOwner(fleet.name),
  });
}

/** What the metric asks for, and why it is not known, for people. Its value stands elsewhere: a text that changes is written at each tick. */
export function metricTexts(fleet: Pick<FleetRow, "wish" | "metric">): readonly string[] {
  const { metric } = parseWish(fleet.wish);
  if (!metric) return [];
  const { known, problem } = fleet.metric ?? {};
  const asked = askedByMetric(fleet);
  const says =
    known && asked !== undefined
      ? [`the metric asks for ${gpusText(asked)}${towardsText(asked, gpusFor(metric, known.value))}`]
      : [`the metric was not read yet: gpus.at counts, which is ${metric.at}`];
  if (!problem) return says;
  return [
    ...says,
    `the metric is not known since ${new Date(problem.since.wall).toISOString().slice(0, 19)}Z, and the size stays: ${problem.why}`,
  ];
}

function towardsText(now: number, gpus: number): string {
  return now === gpus ? "" : `, and for ${gpus} once the steps of up and down allow it`;
}
