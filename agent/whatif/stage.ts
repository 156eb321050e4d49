import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Simulator, VirtualClock } from "../../simulator/index.ts";
import { runLoop } from "../reconcile/loop.ts";
import type { TickReport } from "../reconcile/tick.ts";
import type { WakeSignal } from "../reconcile/wake-signal.ts";
import { type KeeperOptions, openKeeper } from "./stage-keeper.ts";

/** The whole product under one virtual clock: simulator, a ledger in memory, and the agent. Nothing leaves the process. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly keeper: Keeper;
  /** Why rounds of the agent decided nothing. */
  readonly errors: string[];
  /** Starts the agent's loop; time goes on by the clock's `advance` only. */
  start(options: { readonly onTick: (report: TickReport) => void; readonly wakeSignal?: WakeSignal }): void;
  /** Ends the loop as SIGTERM would. */
  stop(): Promise<void>;
}

interface StageOptions extends KeeperOptions {
  /** What moves shares between accounts goes by this one. */
  readonly allAccounts?: Ledger | undefined;
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { simulator, clock, allAccounts } = options;
  const keeper = await openKeeper(options);
  await watchedForLong(keeper);
  const errors: string[] = [];
  const aborting = new AbortController();
  let loop: Promise<void> | undefined;
  return {
    ...{ clock, simulator, keeper, errors },
    start: (given) => {
      const onError = ({ message }: Error): void => {
        errors.push(message);
      };
      loop = runLoop(
        { keeper, ...(allAccounts && { allAccounts }), ...given, host: "stage", onError },
        aborting.signal,
      );
    },
    stop: async () => {
      aborting.abort();
      await loop;
    },
  };
}

/** As if lists had been read here for a while: else each new fleet would look for machines for a minute. */
async function watchedForLong({ ledger, account, clock }: Keeper): Promise<void> {
  const now = clock.now();
  const ago = (ms: number) => ({ ...now, mono: now.mono - ms, wall: now.wall - ms });
  await ledger.decide(account, (draft) =>
    draft.putAccount({ ...draft.account, list: ago(1), watched: ago(DEFAULT_SETTINGS.gone) }),
  );
}
