import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, ProfileKnowledge } from "../ledger/rows.ts";
import type { Deployment } from "../service/service.ts";
import type { Context } from "./context.ts";
import { knowledgeOf } from "./context.ts";
import { note } from "./events.ts";
import { tellsApart } from "./groups.ts";
import { unseen } from "./unseen.ts";

/*
 * An id that is another machine's by now. The specification does not say that an id is given only once, and a claim stands on
 * nothing but the id: where a service gives one anew, a stop of "our" machine would end somebody else's. A machine does not
 * change its offer and its size: what shows both anew, and does not carry our marker, is taken for another one.
 */

/**
 * What this ledger knows of the id before this look is written down: as it was, unless the id shows another machine now. One
 * that has ended keeps its row, its owner and its costs under a name of its own, and the id begins anew as nobody's.
 */
export function beforeLook(draft: Draft, shown: Deployment, context: Context): DeploymentRow | undefined {
  const known = draft.deployments.get(shown.id);
  if (!known || !isAnother(draft, known, shown, context)) return known;
  return known.end === null
    ? doubtLiving(draft, known, shown, context)
    : putAside(draft, known, shown, context);
}

/** True for what only seems to be ours since its id shows another machine: a person says whose it is. */
export function isReused({ claim, end, reused }: DeploymentRow): boolean {
  return reused === true && claim === "inferred" && end === null;
}

function isAnother(draft: Draft, known: DeploymentRow, shown: Deployment, { wire }: Context): boolean {
  const { claim, offer, gpus, lastSeen, intent, end } = known;
  // A person's word about an id stays, and of what nobody claimed nothing is concluded.
  if (claim === null || claim === "foreign" || lastSeen === null) return false;
  // What only seems to be ours is let go by what tells apart: see withdraw in resolve.ts.
  if (end === null && claim !== "certain") return false;
  if (offer === null || gpus === null || shown.offer === undefined || shown.gpus === undefined) return false;
  const profile = knowledgeOf(draft, wire.profileHash);
  if (shown.offer === offer || shown.gpus === gpus || hasEnded(shown, profile, wire)) return false;
  if (shown.marker !== undefined && shown.marker === draft.intents.get(intent ?? "")?.marker) return false;
  // A pointer that reads the wrong thing, or another profile's, would call every machine another one.
  return tellsApart(profile, "offer", offer);
}

function hasEnded(
  { status, stopReason }: Deployment,
  { ends }: ProfileKnowledge,
  wire: Context["wire"],
): boolean {
  const isNamed = ["failed", "interrupted"].includes(status) || wire.isTerminal(status);
  return isNamed || stopReason !== undefined || ends.includes(status);
}

/**
 * Where others launch it may be one of theirs: it is not stopped, and counts as what it was until a person decides, since nothing
 * says that ours has ended. Where nobody else does, whatever bills in the account is ours whichever machine it is: it stays so,
 * or nothing would ever stop it.
 */
function doubtLiving(draft: Draft, known: DeploymentRow, shown: Deployment, context: Context): DeploymentRow {
  const { id, owner } = known;
  const about = { owner, deployment: id, intent: known.intent };
  if (draft.account.tenure === "exclusive") {
    // One that goes to and fro is no news at each list.
    if (!known.reused) {
      const why = "nobody else launches in this account, so it stays ours";
      note(
        draft,
        context,
        "reused",
        `${changed(known, shown)}: ${why}. Look at it in the service's dashboard`,
        about,
      );
    }
    return { ...known, reused: true };
  }
  note(
    draft,
    context,
    "reused",
    `${changed(known, shown)}: the id may be somebody else's machine's by now. It is not stopped, and counts as ours until you ` +
      `say whose it is: fleetkeeper adopt ${id} keeps it, fleetkeeper disown ${id} leaves it to them`,
    about,
  );
  const { claimed, intent, gpus, saidGpus, expectedGpus, pricePerHour } = known;
  return draft.moveDeployment("doubt", {
    ...unseen(draft, id, context),
    ...{ claim: "inferred", owner, intent, claimed, gpus, pricePerHour, reused: true },
    ...(saidGpus === undefined ? {} : { saidGpus }),
    ...(expectedGpus === undefined ? {} : { expectedGpus }),
  });
}

/** The row of a machine that has ended is what was paid for: another machine with its id must not rewrite it. */
function putAside(draft: Draft, known: DeploymentRow, shown: Deployment, context: Context): DeploymentRow {
  const { id, owner, end } = known;
  const aside = nameFor(draft, id);
  draft.moveDeployment("putAside", { ...known, id: aside });
  const intent = draft.intents.get(known.intent ?? "");
  if (intent?.deployment === id) draft.putIntent({ ...intent, deployment: aside });
  note(
    draft,
    context,
    "reused",
    `${changed(known, shown)}. What had it was ${end}, and is called ${aside} from now on; the id is another machine's, and nobody's here: ` +
      `fleetkeeper adopt ${id} or fleetkeeper disown ${id}`,
    { owner, deployment: id },
  );
  return draft.moveDeployment("beginAnew", { ...unseen(draft, id, context), reused: true });
}

function changed({ id, offer, gpus }: DeploymentRow, shown: Deployment): string {
  return `${id} was ${offer} with ${gpusText(gpus)}, and is shown as ${shown.offer} with ${gpusText(shown.gpus ?? null)}`;
}

function gpusText(gpus: number | null): string {
  return `${gpus ?? "unknown"} GPU${gpus === 1 ? "" : "s"}`;
}

function nameFor(draft: Draft, id: string): string {
  let number = 1;
  while (draft.deployments.has(`${id}~${number}`)) number += 1;
  return `${id}~${number}`;
}
