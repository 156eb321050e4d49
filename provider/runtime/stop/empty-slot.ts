import { sameAccount } from "../../../account/index.ts";
import { isHooked } from "../../../launch/facts/stop-hook.ts";
import {
  claimedBy,
  contextOf,
  holdText,
  trimSlots,
  whyForgotten,
  whyNotStopping,
} from "../../../launch/index.ts";
import { slotOwner } from "../../../ledger/index.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { beforeStopOf, nameOf, timeoutOf } from "../inputs/inputs.ts";
import { type Properties, same } from "../inputs/resource-kind.ts";
import { mustEndByItself, readSlot, type SlotState } from "../ownership/owned.ts";
import type { Environment, Session } from "../session/environment.ts";
import { type Progress, progressOf } from "../session/progress.ts";
import { outlive, startWaitLimit, type WaitLimit } from "../session/wait-limit.ts";
import { refuseHeld } from "./held.ts";
import { beginSaving, type Saving, saveFirst, toSave, untilText } from "./save-first.ts";
import { adviceOf, stopText } from "./stop-text.ts";

/**
 * Closes the slot for good: nothing more is launched into it. Its open launches are looked for, its machines
 * are stopped, and it is over once the service shows the ends. It goes on after an interruption.
 *
 * With `onDelete: "abandon"` nothing is stopped: its machines, found now or later, become foreign. It is over
 * once no launch is open.
 */
export async function emptySlot(env: Environment, slot: string, props: Properties): Promise<void> {
  const session = await env.session();
  const { keeper } = session;
  const tell = progressOf(env, nameOf(props));
  sameAccount(keeper, await keeper.ledger.accountOfSlot(slot), `slot ${slot}`);
  const abandoned = props.onDelete === "abandon";
  const wait = startWaitLimit(keeper.clock, timeoutOf(props, "delete"), env.signal);
  const beforeStop = abandoned ? undefined : beforeStopOf(props);
  const isInTime = await keeper.ledger.decide(keeper.account, (draft) => {
    const row = draft.slots.get(slot);
    if (!row) return true;
    const context = contextOf(keeper);
    if (!row.closing && !abandoned) refuseHeld(draft, slotOwner(slot), context);
    const saved = beforeStop && toSave(draft, slot);
    const closed = { ...row, closing: true, abandoned };
    if (!same(row, closed)) draft.putSlot(closed);
    // Done before any list: this run must not carry out a stop that an earlier run asked for.
    trimSlots(draft, context);
    return !saved || saveFirst(draft, saved, slot, beforeStop, wait, context);
  });
  const warn = progressOf(env, nameOf(props), "warning");
  if (!isInTime) warn("its beforeStop is not run: its timeout of a delete, or until, leaves no time for it");
  const saving = beforeStop && (await beginSaving(env, session, slot, beforeStop, tell, warn));
  try {
    await untilEmpty(session, slot, abandoned, wait, tell, saving);
  } finally {
    saving?.cut();
    await saving?.over;
  }
}

async function untilEmpty(
  { keeper, lists }: Session,
  slot: string,
  abandoned: boolean,
  wait: WaitLimit,
  tell: Progress,
  saving: Saving | undefined,
): Promise<void> {
  if (abandoned) tell("left to itself: what runs here keeps running, and is nobody's here");
  // Only a successful list that began after the slot was closed can show that it is empty. With an older one,
  // a machine that came late would run on unseen: nobody looks at the account after this.
  let looked = false;
  let look = (): Promise<void> => lists.next();
  // Once the command is over, the stop's call waits for no poll.
  let saved = saving?.over.then(() => {
    saved = undefined;
    return lists.next();
  });
  saved?.catch(() => undefined);
  for (;;) {
    await outlive(
      async () => {
        await look();
        looked = true;
      },
      tell,
      () => keeper.clock.sleep(keeper.settings.poll, wait.signal),
    );
    const state = await readSlot(keeper, slot);
    const isBelieved = looked && state.draft.account.doubt === null;
    if (isBelieved && isEmpty(state)) {
      const forgotten = abandoned ? undefined : whatItForgot(state, slot);
      if (forgotten === undefined) return;
      throw new FleetkeeperError("REFUSED", `slot ${slot} may have a machine that runs: ${forgotten}`);
    }
    mustEndByItself(slotOwner(slot), state, abandoned || keeper.service.abilities.stop);
    const what = description(state);
    tell(what);
    wait.check(what, adviceOf(state.alive));
    const poll = () => lists.poll(wait.signal);
    look = () => (saved === undefined ? poll() : Promise.race([saved, poll()]));
  }
}

/** A slot without launches may have one that this ledger has lost. */
function whatItForgot({ draft, context }: SlotState, slot: string): string | undefined {
  const owner = slotOwner(slot);
  const wasUsed =
    claimedBy(draft, owner).length > 0 ||
    draft.archive.hadBy(owner) > 0 ||
    [...draft.intents.values()].some((each) => each.owner === owner);
  const forgotten = wasUsed ? undefined : whyForgotten(draft, context);
  return forgotten && holdText(forgotten);
}

function isEmpty({ alive, open, disputed }: SlotState): boolean {
  return alive.length === 0 && open.length === 0 && disputed.length === 0;
}

function description({ alive, open, slot, draft, context }: SlotState): string {
  const [row] = alive;
  if (row?.stop?.hook && isHooked(row, context))
    return `${row.id} runs until its beforeStop is over, or until ${untilText(row.stop.hook)}`;
  if (row) return whyNotStopping(draft, row, context) ?? stopText(row, slot?.name);
  if (open[0])
    return `looking for ${combinationText(open[0])}, in case its launch made a machine: ${open[0].detail}`;
  return "waiting for a list that shows whether something of it runs";
}
