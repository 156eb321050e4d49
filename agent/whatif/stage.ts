import { DEFAULT_SETTINGS, type ProtocolSettings } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Clock, ProcessIdentity } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Tenure } from "../../ledger/rows.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { createService } from "../../service/client.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import type { Settings } from "../../service/profile/settings.ts";
import { SIMULATOR_URL, type Simulator, type VirtualClock } from "../../simulator/index.ts";
import { runLoop } from "../reconcile/loop.ts";
import type { TickReport } from "../reconcile/tick.ts";
import type { WakeSignal } from "../reconcile/wake-signal.ts";

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

export interface StageOptions {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly profile: LoadedProfile;
  readonly settings?: Settings | undefined;
  readonly tenure: Tenure;
  readonly ledger?: Ledger | undefined;
  /** What moves shares between accounts goes by this one. */
  readonly allAccounts?: Ledger | undefined;
  readonly protocol?: Partial<ProtocolSettings> | undefined;
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

let ids = 0;

export async function openKeeper(options: Omit<StageOptions, "allAccounts">): Promise<Keeper> {
  const { simulator, clock: virtual, profile, settings, tenure, protocol } = options;
  const clock = ledgerClock(virtual);
  const service = createService({
    baseUrl: SIMULATOR_URL.replace("http:", "https:"),
    secret: simulator.apiKey,
    profile,
    ...(settings && { settings }),
    transport: simulator.transport,
    clock: { now: () => virtual.now(), sleep: (ms, signal) => virtual.sleep(ms, signal) },
    random: () => 0.5,
  });
  const ledger =
    options.ledger ?? openSqliteLedger({ path: ":memory:", newId: "testledger00", now: virtual.now() });
  const info = await virtual.run(service.account(new AbortController().signal));
  const account = await ledger.openAccount({
    baseUrl: service.baseUrl,
    account: info,
    tenure: tenure === "unstated" ? undefined : tenure,
  });
  const newId = (): string => `intent${String(++ids).padStart(8, "0")}`;
  return { ledger, account, service, clock, settings: { ...DEFAULT_SETTINGS, ...protocol }, newId };
}

function ledgerClock(virtual: VirtualClock, pid = 1): Clock {
  const self: ProcessIdentity = { boot: "boot", pid, started: "0" };
  return {
    self,
    now: () => ({ wall: virtual.now(), mono: virtual.monotonic(), boot: "boot" }),
    sleep: (ms, signal) => virtual.sleep(ms, signal),
    isAlive: (process) => process.pid === pid,
  };
}
