import { nameOf, whoOwns } from "../../../agent/status/owner-names.ts";
import { adopt, claimedBy, contextOf, handOver, leftBehind } from "../../../launch/index.ts";
import { type DeploymentRow, type Draft, readDraft, slotOwner } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { type Candidate, candidatesOf, knownCandidatesOf, whyNotAmong } from "../inputs/candidates.ts";
import type { MachineInputs } from "../inputs/inputs.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import type { Environment, Session } from "../session/environment.ts";
import { newSlotOf } from "./left-behind.ts";
import type { SlotState } from "./owned.ts";

/** The id in `adopt`, unless the slot had it before: one that ended there is replaced by a launch. */
export function toAdopt({ slot, adopt: id }: MachineInputs, { draft }: SlotState): string | undefined {
  return id !== undefined && hadBefore(draft, slot, id) ? undefined : id;
}

function hadBefore(draft: Draft, slot: string, id: string): boolean {
  return claimedBy(draft, slotOwner(slot)).some((row) => row.id === id);
}

/** Makes a machine that runs already the slot's machine: from now on it is certain, by a person's word. */
export async function adoptInto(session: Session, id: string, inputs: MachineInputs): Promise<void> {
  const { keeper, lists } = session;
  await lists.next();
  await keeper.ledger.decide(keeper.account, (draft) => {
    adoptable(draft, id, inputs.slot, candidatesOf(inputs));
    adopt(draft, id, slotOwner(inputs.slot), contextOf(keeper));
  });
}

/**
 * For a preview: the machine that `up` takes, or undefined if it launches one. Throws where `up` does. Candidates that are not known
 * yet rule out none.
 */
export async function foreseenAdoption(
  { held }: Environment,
  { keeper, lists }: Session,
  news: Properties,
): Promise<DeploymentRow | undefined> {
  if (news.adopt === undefined) return undefined;
  await lists.glance();
  const draft = await readDraft(keeper);
  const id = String(news.adopt);
  const to = newSlotOf(news);
  if (to.id !== undefined && hadBefore(draft, to.id, id)) return undefined;
  const before = leftBehind(draft, to).find(({ machine }) => machine?.id === id);
  const slot = before !== undefined && !held.has(before.slot.id) ? before.slot.id : to.id;
  return adoptable(draft, id, slot, knownCandidatesOf(news));
}

/** The machine of this id, for this slot. Throws if it cannot become the slot's. */
function adoptable(
  draft: Draft,
  id: string,
  slot: string | undefined,
  candidates: readonly Candidate[] | undefined,
): DeploymentRow {
  const row = draft.deployments.ever(id);
  const why = whyNotTaken(row, id);
  if (row === undefined || why !== undefined)
    throw problem(row?.end ? `${why} Take out adopt to launch a new machine.` : String(why));
  if (row.claim === "certain" && (slot === undefined || row.owner !== slotOwner(slot))) {
    throw problem(
      `${id} belongs to ${row.owner === null ? "another" : nameOf(whoOwns(draft, row.owner))} already. If that is this very deployment, which is being replaced, take out adopt: ` +
        "then a new machine is launched. Else disown it there first.",
    );
  }
  const other = candidates && whyNotAmong(draft, row, candidates);
  if (other !== undefined) throw problem(`${other}.`);
  return row;
}

/**
 * Takes over the machine that `adopt` names from an older slot of the same resource that no state holds.
 * Otherwise a person would have to disown it there first.
 */
export async function adoptLeftBehind(
  { held }: Environment,
  { keeper }: Session,
  inputs: MachineInputs,
): Promise<void> {
  const { adopt: id, slot } = inputs;
  if (id === undefined) return;
  await keeper.ledger.decide(keeper.account, (draft) => {
    const before = leftBehind(draft, newSlotOf(inputs)).find(({ machine }) => machine?.id === id);
    if (before?.machine === undefined || held.has(before.slot.id)) return;
    const other = whyNotAmong(draft, before.machine, candidatesOf(inputs));
    if (other !== undefined) throw problem(`${other}.`);
    handOver(draft, before, slot);
    adopt(draft, id, slotOwner(slot), contextOf(keeper));
  });
}

/** Why nobody can take this machine, whoever asks. */
function whyNotTaken(row: DeploymentRow | undefined, id: string): string | undefined {
  if (row === undefined || row.missing !== null)
    return `the service does not show ${id} in this account: is the id right?`;
  if (row.end !== null) return `${id} has ended (${row.end}).`;
  return row.status === "stopping" ? `${id} is stopping.` : undefined;
}

/** The machine of this id, for an import into this slot: nobody has it, or this very slot. */
export function importable(draft: Draft, id: string, slot: string): DeploymentRow {
  const row = draft.deployments.ever(id);
  const why = whyNotTaken(row, id);
  if (row === undefined || why !== undefined) throw new FleetkeeperError("CONFIG", `import: ${why}`);
  const { claim, owner } = row;
  if (claim === null || (claim === "certain" && owner === slotOwner(slot))) return row;
  if (claim === "disputed" || claim === "foreign")
    throw new FleetkeeperError(
      "REFUSED",
      `import: ${id} is ${claim} in this ledger, so a person has to say whose it is: take it with the argument adopt of a Deployment.`,
    );
  throw new FleetkeeperError(
    "REFUSED",
    `import: ${id} belongs to ${owner === null ? "another" : nameOf(whoOwns(draft, owner))} in this ledger, and a machine has one owner: ` +
      `disown it there first (fleetkeeper disown ${id}).`,
  );
}

function problem(text: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", `adopt: ${text}`);
}
