import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { durationOf } from "../../service/text/duration.ts";
import { asNobodys } from "../claim/claim.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";

/*
 * An accepted id that nothing ever shows (rule 9 of docs/how/protocol.md). The specification's service shows it; one
 * that lost its database, or that gives ids before it looks for a machine, may not. It counts, and people are told.
 */

/** From then on people are told. */
const TOLD_MS = 10 * MINUTE_MS;

/** For so long lists must lack it, and its id be found neither at the beginning nor at the end. */
export function neverShownFor({ wire, settings }: Context): number {
  return Math.max(wire.abilities.mayVanish ?? HOUR_MS, settings.settle);
}

/** What people are told of it, and can do; undefined: it was shown, is over, or is too new. */
export function neverShownText(row: DeploymentRow, context: Context): string | undefined {
  const { now, wire } = context;
  const { id, lastSeen, missing, end, claim, claimed } = row;
  if (lastSeen !== null || missing === null || end !== null || claim === "foreign") return undefined;
  if (claimed === null || elapsed(claimed, now) < TOLD_MS) return undefined;
  // Who reads the ledger alone, as status does, has no profile to say it of.
  const isKnown = wire.profileHash !== "";
  const byId =
    wire.abilities.get || !isKnown ? "" : " (lists alone say so: the profile has no deployments.get)";
  const time = isKnown
    ? durationOf(neverShownFor(context))
    : "an hour, or for the profile's launch.mayVanish,";
  const asked = missing.doubt ? ` Asked for by its id: ${missing.doubt.why}` : "";
  return (
    `the service accepted a launch as ${id}, and never showed that id: it counts as a machine, and may bill. Look in the service's ` +
    `dashboard; fleetkeeper disown ${id} says that it is not there. What is not found for ${time} counts as absent${byId}, and is launched anew.${asked}`
  );
}

/**
 * Its launch made nothing that can be found, and frees its place and money. Should the id show after all, the launch
 * is confirmed by it, as by any answer that is shown late: confirmAllShown in resolve.ts.
 */
export function neverWas(draft: Draft, row: DeploymentRow, context: Context): void {
  const { id, owner } = row;
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const { now: at } = context;
  draft.moveDeployment("letGo", { ...asNobodys(row), end: "gone", ended: at });
  const reason = `the service accepted a launch as ${id}, and for ${durationOf(neverShownFor(context))} neither a list nor its id showed it`;
  if (intent?.state === "claimed" && intent.deployment === id) {
    draft.moveIntent("callAbsent", {
      ...{ ...intent, state: "absent", resolved: at, deployment: null, settle: null, detail: reason },
      answer: { at, id: null, reason, unshown: id },
    });
  }
  const text = `${reason}: it is absent, and launched anew. Should it show up, it is ours`;
  note(draft, context, "absent", text, { owner, deployment: id, intent: intent?.id ?? null });
}
