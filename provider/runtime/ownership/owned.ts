import {
  type Context,
  contextOf,
  type Keeper,
  livingOf,
  mayStop,
  occupancy,
  slotMachine,
} from "../../../launch/index.ts";
import {
  type DeploymentRow,
  type Draft,
  type IntentRow,
  type Owner,
  readDraft,
  type SlotRow,
  slotOwner,
} from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { undecided } from "./doubt.ts";

/** What a slot or a fleet has, and what may turn out to be its own. */
export interface Owned {
  /** Every claim that has not ended, also if it is being stopped. */
  readonly alive: readonly DeploymentRow[];
  /** Launches whose outcome is not known. */
  readonly open: readonly IntentRow[];
  /** Machines of which one is ours. Only a person can say which. */
  readonly disputed: readonly DeploymentRow[];
}

export function ownedBy(draft: Draft, owner: Owner, context: Context): Owned {
  const { intents } = occupancy(draft, owner, context);
  const inDispute = new Set(intents.filter(({ state }) => state === "disputed").map((intent) => intent.id));
  return {
    alive: livingOf(draft, owner),
    open: intents.filter(({ state }) => state === "open"),
    disputed: [...draft.deployments.values()].filter(
      (row) => row.claim === "disputed" && row.end === null && inDispute.has(row.intent ?? ""),
    ),
  };
}

export interface SlotState extends Owned {
  readonly slot: SlotRow | undefined;
  /** The claim that fills it and is alive. */
  readonly machine: DeploymentRow | undefined;
  readonly draft: Draft;
  readonly context: Context;
}

export async function readSlot(keeper: Keeper, id: string): Promise<SlotState> {
  const draft = await readDraft(keeper);
  const context = contextOf(keeper);
  return {
    slot: draft.slots.get(id),
    machine: slotMachine(draft, id),
    ...ownedBy(draft, slotOwner(id), context),
    draft,
    context,
  };
}

/**
 * Throws if a person has to act, since no wait helps. Waits until nothing else of the owner is under way, so
 * that all that can be stopped is stopped first.
 */
export function mustEndByItself(owner: Owner, { alive, open, disputed }: Owned, canStop: boolean): void {
  const isEnding = (row: DeploymentRow): boolean => row.status === "stopping" || (canStop && mayStop(row));
  if (open.length > 0 || alive.some(isEnding)) return;
  const doubtful = [...disputed, ...alive.filter((row) => !mayStop(row))];
  if (doubtful.length > 0) throw undecided(owner, doubtful);
  if (alive.length > 0) throw cannotStop(...alive.map(({ id }) => id));
}

/** No wait helps here: a person has to stop the machine, or add the stop part to the profile. */
export function cannotStop(...ids: readonly string[]): FleetkeeperError {
  const [have, them] = ids.length > 1 ? ["have", "them"] : ["has", "it"];
  return new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `${ids.join(", ")} ${have} to be stopped, and the profile has no part "stop": stop ${them} in the service's dashboard and run ` +
      "this again, or add the part.",
  );
}
