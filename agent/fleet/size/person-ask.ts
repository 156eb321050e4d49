import type { Context } from "../../../launch/facts/context.ts";
import type { AskRow, FleetRow } from "../../../ledger/rows.ts";
import type { FleetAsk } from "../../json/status.ts";
import { gpusText } from "../text/text.ts";
import { rangeOf, within } from "../wish/size-range.ts";
import { parseWish } from "../wish/wish.ts";

/*
 * A person asks for so many GPUs of a fleet whose count has a range, until a moment or until that is taken back. It is one of
 * those whose largest number counts (asked-size.ts).
 */

type Fleet = Pick<FleetRow, "wish" | "ask">;
type Asked = NonNullable<AskRow["now"]>;

/** What a person asks for now; undefined: nobody does, or its time is over. */
function askInForce({ ask, wish }: Fleet, { now }: Pick<Context, "now">): Asked | undefined {
  const asked = ask?.now;
  if (!asked || parseWish(wish).work || isPast(asked, now.wall)) return undefined;
  return asked;
}

function isPast({ until = Number.POSITIVE_INFINITY }: Asked, wall: number): boolean {
  return until <= wall;
}

/** Its GPUs, within the range that is declared by now; undefined: nobody asks. */
export function askedByPerson(fleet: Fleet, context: Pick<Context, "now">): number | undefined {
  const asked = askInForce(fleet, context);
  const range = asked && rangeOf(parseWish(fleet.wish));
  return range && within(range, asked.gpus);
}

/** Its time is over, and nobody has written that down yet. */
export function isAskOver({ ask }: Pick<FleetRow, "ask">, { now }: Pick<Context, "now">): boolean {
  return ask?.now !== undefined && isPast(ask.now, now.wall);
}

/** Milliseconds until it asks for nothing more; undefined: no time is said for that. */
export function untilAskEnds(fleet: Fleet, context: Pick<Context, "now">): number | undefined {
  const until = askInForce(fleet, context)?.until;
  return until && until - context.now.wall;
}

/** What a person asks for, for programs; null: nobody does. */
export function askFacts(fleet: Fleet, context: Pick<Context, "now">): FleetAsk | null {
  const asked = askInForce(fleet, context);
  const gpus = askedByPerson(fleet, context);
  if (!asked || gpus === undefined) return null;
  return { asked: asked.gpus, gpus, until: asked.until ?? null, why: asked.why ?? null };
}

/** What a person asks for, and how that ends, for people. */
export function askText(fleet: string, { asked, gpus, until, why }: FleetAsk): string {
  const bound = gpus === asked ? "" : `, and counts as ${gpus} by gpus.min and gpus.max`;
  const end = `fleetkeeper ask ${fleet} --end`;
  const lasts = until === null ? `until ${end}` : `until ${momentText(until)}, or ${end}`;
  return `a person asks for ${gpusText(asked)}${whyText({ why: why ?? undefined })}${bound}, ${lasts}`;
}

export function whyText({ why }: { readonly why?: string | undefined }): string {
  return why === undefined ? "" : ` (${why})`;
}

export function momentText(wall: number): string {
  return `${new Date(wall).toISOString().slice(0, 19)}Z`;
}
