import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow, ProfileKnowledge } from "../../ledger/rows.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { tellsApart } from "../claim/groups.ts";
import { type Context, knowledgeOf } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { newMachineRow } from "./new-machine.ts";

/*
 * An id that has become another machine's. The specification does not say that ids are given only once, and a
 * claim stands on the id alone: a stop of "our" machine could end somebody else's. A machine does not change
 * its offer and its size. If both are shown changed, without our marker, it is taken for another one.
 */

/**
 * What this ledger knows of the id before this look. If the id shows another machine now, an ended row is put
 * aside under a name of its own, with its owner and costs, and the id begins anew as nobody's.
 */
export function knownBefore(draft: Draft, shown: Deployment, context: Context): DeploymentRow | undefined {
  const known = draft.deployments.ever(shown.id);
  if (!known || !isAnother(draft, known, shown, context)) return known;
  return known.end === null
    ? doubtLiving(draft, known, shown, context)
    : putAside(draft, known, shown, context);
}

/** True for a machine that only seems ours, since its id shows another one. A person says whose it is. */
export function isReused({ claim, end, reused }: DeploymentRow): boolean {
  return reused === true && claim === "inferred" && end === null;
}

function isAnother(draft: Draft, known: DeploymentRow, shown: Deployment, { wire }: Context): boolean {
  const { claim, offer, gpus, lastSeen, intent, end } = known;
  // A person's word about an id stays. Nothing is concluded from a machine that nobody claimed.
  if (claim === null || claim === "foreign" || lastSeen === null) return false;
  // An inferred or disputed one is let go by the fields that tell apart: see withdraw in resolve/resolve.ts.
  if (end === null && claim !== "certain") return false;
  if (offer === null || gpus === null || shown.offer === undefined || shown.gpus === undefined) return false;
  const profile = knowledgeOf(draft, wire.profileHash);
  if (shown.offer === offer || shown.gpus === gpus || hasEnded(shown, profile, wire)) return false;
  if (shown.marker !== undefined && shown.marker === draft.intents.ever(intent ?? "")?.marker) return false;
  // A wrong pointer, or another profile's, would call every machine another one.
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
 * On a shared account it may be a stranger's. It is not stopped, and counts until a person decides: nothing
 * says that ours has ended. On an exclusive account whatever bills is ours, and stays so: otherwise nothing
 * would ever stop it.
 */
function doubtLiving(draft: Draft, known: DeploymentRow, shown: Deployment, context: Context): DeploymentRow {
  const { id, owner } = known;
  const about = { owner, deployment: id, intent: known.intent };
  if (draft.account.tenure === "exclusive") {
    // A machine that flaps is no news at each list.
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
    ...newMachineRow(draft, id, context),
    ...{ claim: "inferred", owner, intent, claimed, gpus, pricePerHour, reused: true },
    ...(saidGpus === undefined ? {} : { saidGpus }),
    ...(expectedGpus === undefined ? {} : { expectedGpus }),
  });
}

/** The row of an ended machine says what was paid: another machine with its id must not rewrite it. */
function putAside(draft: Draft, known: DeploymentRow, shown: Deployment, context: Context): DeploymentRow {
  const { id, owner, end } = known;
  const aside = nameFor(draft, id);
  draft.moveDeployment("putAside", { ...known, id: aside });
  const intent = draft.intents.ever(known.intent ?? "");
  if (intent?.deployment === id) draft.putIntent({ ...intent, deployment: aside });
  note(
    draft,
    context,
    "reused",
    `${changed(known, shown)}. What had it was ${end}, and is called ${aside} from now on; the id is another machine's, and nobody's here: ` +
      `fleetkeeper adopt ${id} or fleetkeeper disown ${id}`,
    { owner, deployment: id },
  );
  return draft.moveDeployment("beginAnew", { ...newMachineRow(draft, id, context), reused: true });
}

function changed({ id, offer, gpus }: DeploymentRow, shown: Deployment): string {
  return `${id} was ${offer} with ${gpusText(gpus)}, and is shown as ${shown.offer} with ${gpusText(shown.gpus ?? null)}`;
}

function gpusText(gpus: number | null): string {
  return `${gpus ?? "unknown"} GPU${gpus === 1 ? "" : "s"}`;
}

function nameFor(draft: Draft, id: string): string {
  let number = 1;
  while (draft.deployments.ever(`${id}~${number}`) !== undefined) number += 1;
  return `${id}~${number}`;
}
