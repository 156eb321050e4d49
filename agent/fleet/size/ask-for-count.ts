import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { AskRow, FleetRow } from "../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { FleetPhase } from "../../json/status.ts";
import { fleetNamed } from "../phase/fleet-orders.ts";
import { fleetPhase } from "../phase/fleet-phase.ts";
import { gpusText } from "../text/text.ts";
import { type Range, rangeOf } from "../wish/size-range.ts";
import { parseWish } from "../wish/wish.ts";
import { askedNow, asWhole } from "./asked-size.ts";
import { unlowered } from "./lowered-count.ts";
import { isAskOver, momentText, whyText } from "./person-ask.ts";

/*
 * An operator's order, as a pause is one: so many GPUs, within the fleet's range. It is a decision over rows alone, for whoever
 * gives it: a command, or another program. See person-ask.ts for what it asks for.
 */

export interface Ask {
  readonly gpus: number;
  /** Wall time in ms, after now. Absent: until it is taken back. */
  readonly until?: number | undefined;
  /** What for, for people. */
  readonly why?: string | undefined;
}

/** What follows from it. */
export interface Answered {
  /** GPUs that are asked for by now, by all that its size follows. */
  readonly gpus: number;
  readonly stands: FleetPhase;
}

/** Takes the place of what a person asked for before. Throws CONFIG if the fleet has no range, or the number is outside of it. */
export function askForCount(
  draft: Draft,
  name: string,
  { gpus, until, why }: Ask,
  context: Context,
): Answered {
  const fleet = fleetNamed(draft, name);
  const { min, max } = rangeToAskIn(fleet);
  if (!Number.isSafeInteger(gpus) || gpus < min || gpus > max)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: ${gpus} GPUs cannot be asked for: expected a whole number from ${min} to ${max}, as the min and max of its declaration say.`,
    );
  if (parseWish(asWhole(fleet).wish).allOrNothing && gpus !== 0 && gpus !== max)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: ${gpusText(gpus)} cannot be asked for: it wants all of its GPUs or none (allOrNothing), which is ${max} or 0.`,
    );
  if (until !== undefined && !(until > context.now.wall))
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: what is asked for until ${momentText(until)} is over already: name a later moment.`,
    );
  const now = { gpus, ...(until !== undefined && { until }), ...(why !== undefined && { why }) };
  const how = until === undefined ? "until that is taken back" : `until ${momentText(until)}`;
  const text = `an operator asks for ${gpusText(gpus)} of ${name}${whyText(now)}, ${how}`;
  return change(draft, fleet, now, text, context);
}

/** Takes it back. Undefined: nobody asked. */
export function endAsk(draft: Draft, name: string, context: Context): Answered | undefined {
  const fleet = fleetNamed(draft, name);
  const asked = fleet.ask?.now;
  if (!asked || isAskOver(fleet, context)) return undefined;
  return change(draft, fleet, undefined, `${noMore(name, asked.gpus)}: an operator took it back`, context);
}

/** Writes down that its time is over. */
export function storeAskOver(draft: Draft, fleet: FleetRow, context: Context): void {
  const asked = fleet.ask?.now;
  if (!asked || !isAskOver(fleet, context)) return;
  change(draft, fleet, undefined, `${noMore(fleet.name, asked.gpus)}: its time is over`, context);
}

function noMore(name: string, gpus: number): string {
  return `nobody asks for ${gpusText(gpus)} of ${name} any more`;
}

/** Between which numbers a person may ask. A text: why nobody may. */
export function askableRange(fleet: FleetRow): Range | string {
  const { name, part } = fleet;
  const wish = parseWish(asWhole(fleet).wish);
  if (wish.work) return `its work, to be done by ${wish.work.by}, says how many GPUs it wants`;
  if (part && part.of !== name)
    return `it is a part of ${part.of}, which several services keep: ask for GPUs of ${part.of}`;
  return (
    rangeOf(wish) ??
    `its count is ${wish.gpus} and has no range. In a fleet file write gpus: { min: 0, max: 64, at: ${wish.gpus} }, in a program range: { min: 0, max: 64 }`
  );
}

function rangeToAskIn(fleet: FleetRow): Range {
  const range = askableRange(fleet);
  if (typeof range !== "string") return range;
  throw new FleetkeeperError(
    "CONFIG",
    `fleet ${fleet.name}: nobody can ask for a number of its GPUs: ${range}.`,
  );
}

function change(draft: Draft, fleet: FleetRow, now: AskRow["now"], text: string, context: Context): Answered {
  const before = askedUntilNow(fleet, context);
  const { now: _over, ...had } = fleet.ask ?? {};
  const put = (ask: AskRow): FleetRow => draft.putFleet({ ...fleet, ask: { ...had, ...ask } });
  const asked = askedNow(asWhole(put(now ? { now } : {})), context);
  // What was launched for it and goes now is no loss: people want less.
  if (asked < before) put({ ...(now && { now }), fell: context.now });
  note(draft, context, "asked", text, { owner: fleetOwner(fleet.name) });
  const next = draft.fleets.get(fleet.name) ?? fleet;
  // As with a window of a schedule that begins: more than was asked for is a new wish.
  if (asked > before && next.lowered !== undefined) {
    draft.putFleet(unlowered(next));
    note(draft, context, "resumed", `${fleet.name} wants its ${gpusText(asked)} again: more is asked for`, {
      owner: fleetOwner(fleet.name),
    });
  }
  return { gpus: asked, stands: fleetPhase(draft, draft.fleets.get(fleet.name) ?? next, context) };
}

/** What was asked for right before: a number whose time is just over counts still. */
function askedUntilNow(fleet: FleetRow, context: Context): number {
  const whole = asWhole(fleet);
  if (!fleet.ask?.now) return askedNow(whole, context);
  const { until: _over, ...still } = fleet.ask.now;
  return askedNow({ ...whole, ask: { now: still } }, context);
}
