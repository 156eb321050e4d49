import { askingTheService } from "../../agent/ask/ask-the-service.ts";
import { health } from "../../agent/ask/health.ts";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import type { WishInput } from "../../agent/fleet/wish.ts";
import { WakeSignal } from "../../agent/reconcile/wake-signal.ts";
import type { Player } from "./play.ts";

/** The product's own agent, with this wish. */
export function product(wish: WishInput): Player {
  return async (on, lost) => {
    await on.declare({ training: wish });
    if (!wish.health) {
      on.start();
      return;
    }
    const ask = askingTheService(
      async ({ row: { id } }) =>
        lost.has(id) ? { kind: "unknown", why: "no answer within 5 s" } : { kind: "good" },
      on.keeper,
    );
    const watch = new MachineWatch(on.keeper, [health(ask)], (text) => text);
    const wakeSignal = new WakeSignal();
    const { ledger, account } = on.keeper;
    await ledger.onWake(account, () => wakeSignal.ring(), new AbortController().signal);
    on.start({ onTick: () => watch.pump(), wakeSignal });
  };
}
