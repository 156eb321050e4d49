import { claimedBy, contextOf, sameAccount, trimSlots, whyForgotten } from "../../launch/index.ts";
import { slotOwner } from "../../ledger/index.ts";
import { place } from "../../service/contract.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { Environment } from "./environment.ts";
import { mustEndByItself } from "./holdings.ts";
import { nameOf, timeoutOf } from "./inputs.ts";
import { progressOf } from "./progress.ts";
import type { Properties } from "./resource-kind.ts";
import { same } from "./same.ts";
import type { SlotState } from "./slot-state.ts";
import { readSlot } from "./slot-state.ts";
import { outlive, startWaitLimit } from "./wait-limit.ts";

/**
 * Closes the slot for good: nothing is launched into it any more, its open launches are looked for, everything in it is
 * stopped, and it is over when the service shows the ends. An interrupted one goes on where it was.
 *
 * With `onDelete: "abandon"` nothing is stopped: what is in it, or turns out to be, becomes foreign, and it is over when
 * no launch is open any more.
 */
export async function emptySlot(env: Environment, slot: string, props: Properties): Promise<void> {
  const { keeper, rounds } = await env.session();
  const tell = progressOf(env, nameOf(props));
  sameAccount(keeper, await keeper.ledger.accountOfSlot(slot), `slot ${slot}`);
  const abandoned = props.onDelete === "abandon";
  const wait = startWaitLimit(keeper.clock, timeoutOf(props, "delete"), env.signal);
  await keeper.ledger.decide(keeper.account, (draft) => {
    const row = draft.slots.get(slot);
    if (!row) return;
    const closed = { ...row, closing: true, abandoned };
    if (!same(row, closed)) draft.putSlot(closed);
    // Before any list: what an earlier run asked to stop must not be stopped by this one.
    trimSlots(draft, contextOf(keeper));
  });
  if (abandoned) tell("left to itself: what runs here keeps running, and is nobody's here");
  // What is in the slot, and what is to be stopped of it, is decided upon a list that was begun after it was closed: one that
  // came. Without it a machine that came late would be left behind, and nobody looks at the account after this.
  let looked = false;
  let look = (): Promise<void> => rounds.next();
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
    wait.check(what);
    look = () => rounds.poll(wait.signal);
  }
}

/** A slot of no launch may be one whose launch this ledger does not know any more. */
function whatItForgot({ draft, context }: SlotState, slot: string): string | undefined {
  const owner = slotOwner(slot);
  const wasUsed =
    claimedBy(draft, owner).length > 0 || [...draft.intents.values()].some((each) => each.owner === owner);
  return wasUsed ? undefined : whyForgotten(draft, context);
}

function isEmpty({ alive, open, disputed }: SlotState): boolean {
  return alive.length === 0 && open.length === 0 && disputed.length === 0;
}

function description({ alive, open }: SlotState): string {
  const [row] = alive;
  if (row?.stop?.error) return `${row.id} is ${row.status}; the last stop failed: ${row.stop.error}`;
  if (row)
    return row.status === "stopping" ? `${row.id} is stopping` : `stopping ${row.id}, which is ${row.status}`;
  if (open[0]) return `looking for ${place(open[0])}, in case its launch made a machine: ${open[0].detail}`;
  return "waiting for a list that shows whether something of it runs";
}
