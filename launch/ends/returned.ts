import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, elapsed } from "../../ledger/instant.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { DeploymentRow, Owner, ReturnRow } from "../../ledger/rows.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold, holdText } from "../facts/hold.ts";
import { isBilled, type ShownBy } from "./unnamed-state.ts";

/*
 * A machine that comes back had not ended, whatever its state is called. Each seeming end has another one
 * rented in its place, and each return has one of the two stopped: a machine that flaps would burn a first
 * hour each time. So after its first return its ends are believed slowly. After the second return of an
 * owner's machines nothing is launched for that owner before a person has looked.
 */

/**
 * Believes the end of a machine that came back before only if two full lists, a settle time apart, show it,
 * none between them shows it active, and a GET agrees. Until then it is capacity.
 */
export function believeSlowly(
  before: DeploymentRow | undefined,
  row: DeploymentRow,
  look: ShownBy,
  context: Context,
): DeploymentRow {
  const { returned } = row;
  if (!returned || before?.end != null) return row;
  const { ending: _ending, ...past } = returned;
  if (row.end === null) return { ...row, returned: past };
  const ending = further(returned.ending, look, context);
  const agreed = ending?.agreed === true || !context.wire.abilities.get;
  if (ending?.listed && agreed) return { ...row, returned: past };
  return { ...row, end: null, ended: null, returned: ending ? { ...past, ending } : past };
}

/** The GET of such a machine found nothing, which agrees with its end. */
export function agreeOnEnd({ returned, ...row }: DeploymentRow): DeploymentRow {
  if (!returned?.ending) return returned ? { ...row, returned } : row;
  return { ...row, returned: { ...returned, ending: { ...returned.ending, agreed: true } } };
}

/** True if lists have shown its end for long enough, and a GET is still to agree. */
export function isEndDoubted({ end, returned }: DeploymentRow): boolean {
  return end === null && returned?.ending?.listed === true && !returned.ending.agreed;
}

function further(
  ending: ReturnRow["ending"],
  { by, asked }: ShownBy,
  { settings }: Context,
): ReturnRow["ending"] {
  if (asked === null) return ending;
  // Nobody knows how long a reboot took, so the time begins anew.
  if (!ending || ending.since.boot !== asked.boot)
    return by === "list" ? { since: asked, listed: false, agreed: false } : undefined;
  if (by === "get") return ending.agreed ? ending : { ...ending, agreed: true };
  return ending.listed || elapsed(ending.since, asked) < settings.settle
    ? ending
    : { ...ending, listed: true };
}

/**
 * Counts a return. A machine that is being stopped, or is nobody's, has none launched in its place: its
 * returns cost nothing. A return that an old list may explain makes later ends slow, and holds nobody.
 */
export function countReturn(
  draft: Draft,
  before: DeploymentRow | undefined,
  row: DeploymentRow,
  { asked }: ShownBy,
  context: Context,
): DeploymentRow {
  if (before?.end == null || row.end !== null || !isBilled(row.status, context)) return row;
  if (row.owner === null || row.stop !== null || asked === null) return row;
  const { settle } = context.settings;
  const { times = 0, at = null } = before.returned ?? {};
  const isSure =
    before.returned !== undefined || before.ended === null || elapsed(before.ended, asked) >= settle;
  const was = before.end === before.status ? before.end : `${before.end} (${before.status})`;
  const back = `${row.id} was ${was}, and is ${row.status} again`;
  const about = { owner: row.owner, deployment: row.id };
  const isHeld = isSure && (at !== null || haveOthersReturned(draft, row, context));
  const returned: ReturnRow = {
    times: times + 1,
    at: isSure ? context.now : at,
    ...(isHeld ? { held: true } : {}),
  };
  if (isHeld) {
    const text = holdText(whyHeldBy(row));
    note(draft, context, "returned", text.replace(`${row.id} came back after it had ended`, back), about);
  } else {
    const slowly = `two lists, ${Math.round(settle / 1000)} s apart, and a look at it alone`;
    note(draft, context, "distrust", `${back}: it counts again, and ends again only by ${slowly}`, about);
  }
  return { ...row, returned };
}

/** Machines that come back at about the same time, as after a mistake about a provider, are one return. */
function haveOthersReturned(draft: Draft, { id, owner }: DeploymentRow, { now, settings }: Context): boolean {
  return [...draft.deployments.values()].some(({ id: other, owner: whose, returned }) => {
    if (other === id || whose !== owner || !returned?.at) return false;
    const ago = elapsed(returned.at, now);
    return ago >= settings.settle && ago < DAY_MS;
  });
}

/** Why nothing is launched for this owner before a person has looked; else undefined. */
export function whyHeld(draft: Draft, owner: Owner): Hold | undefined {
  const row = heldBy(draft).find((each) => each.owner === owner);
  return row && whyHeldBy(row);
}

/** The machines that hold their owners. */
export function heldBy(draft: Draft): readonly DeploymentRow[] {
  return [...draft.deployments.of("holds", "launches")];
}

export function whyHeldBy(row: DeploymentRow): Hold {
  return hold("returned", { id: row.id, fleet: fleetOf(row) });
}

/** A person has looked: launches go on until such a machine comes back once more. False: nothing was held. */
export function letGoOn(draft: Draft, isMeant: (owner: Owner) => boolean): boolean {
  let any = false;
  for (const row of heldBy(draft)) {
    if (!row.returned || row.owner === null || !isMeant(row.owner)) continue;
    const { held: _held, ...returned } = row.returned;
    draft.putDeployment({ ...row, returned });
    any = true;
  }
  return any;
}

function fleetOf({ owner }: DeploymentRow): string {
  const { kind, name } = owner === null ? {} : ownerParts(owner);
  return kind === "fleet" ? ` ${name}` : "";
}
