import { askingTheService } from "../ask/ask-the-service.ts";
import { health } from "../ask/health.ts";
import { MachineWatch } from "../ask/machine-watch.ts";
import { type Budget, declareBudgets } from "../fleet/declare/budgets.ts";
import { declareFleets } from "../fleet/declare/declare-fleets.ts";
import type { FleetDeclaration } from "../fleet/declare/fleets.ts";
import type { TickReport } from "../reconcile/tick.ts";
import { WakeSignal } from "../reconcile/wake-signal.ts";
import type { Player } from "./play.ts";

/** What an agent is told to keep, and the limits that they share. */
export interface Kept {
  readonly source: string;
  readonly fleets: readonly FleetDeclaration[];
  readonly budgets?: readonly Budget[];
}

/** The product's own agent, with these fleets. `heard` gets what it did, and when, wall time in ms. */
export function keeping(
  { source, fleets, budgets = [] }: Kept,
  heard: (report: TickReport, at: number) => void = () => undefined,
): Player {
  return async (on, lost) => {
    const { keeper, clock } = on;
    await declareFleets(keeper, source, () => fleets);
    await keeper.ledger.decide(keeper.account, (draft) =>
      declareBudgets(draft, source, budgets, () => false),
    );
    const hear = (report: TickReport): void => heard(report, clock.now());
    if (!fleets.some(({ wish }) => wish.health)) {
      on.start({ onTick: hear });
      return;
    }
    const ask = askingTheService(
      async ({ row: { id } }) =>
        lost.has(id) ? { kind: "unknown", why: "no answer within 5 s" } : { kind: "good" },
      keeper,
    );
    const watch = new MachineWatch(keeper, [health(ask)], (text) => text);
    const wakeSignal = new WakeSignal();
    const { ledger, account } = keeper;
    await ledger.onWake(account, () => wakeSignal.ring(), new AbortController().signal);
    const onTick = (report: TickReport): void => {
      hear(report);
      watch.pump();
    };
    on.start({ onTick, wakeSignal });
  };
}
