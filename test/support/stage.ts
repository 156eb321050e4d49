import { readFileSync } from "node:fs";
import { type FleetFile, parseFleetFile } from "../../agent/fleet/fleet-file.ts";
import type { DeclaredPart } from "../../agent/fleet/part.ts";
import type { WishInput } from "../../agent/fleet/wish.ts";
import { wishSchema } from "../../agent/fleet/wish.ts";
import { declareFleets, runLoop } from "../../agent/reconcile/loop.ts";
import type { TickReport } from "../../agent/reconcile/tick.ts";
import type { WakeSignal } from "../../agent/reconcile/wake-signal.ts";
import type { ProtocolSettings } from "../../launch/facts/context.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Clock, ProcessIdentity } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Tenure } from "../../ledger/rows.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { createService } from "../../service/client.ts";
import { packageFile } from "../../service/process/package-file.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import { loadProfile, readProfile } from "../../service/profile/profile-file.ts";
import type { Settings } from "../../service/profile/settings.ts";
import { isShipped } from "../../service/profile/shipped.ts";
import type { CatalogueOffer, DialectName, Simulator, SimulatorOptions } from "../../simulator/index.ts";
import { createSimulator, dialectProfilePath, SIMULATOR_URL, VirtualClock } from "../../simulator/index.ts";

/** The name of a profile that ships. */
type Shipped = string & {};

/** The whole product on one stage: simulator, ledger and agent under one virtual clock. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly keeper: Keeper;
  readonly reports: TickReport[];
  readonly errors: string[];
  declare(
    fleets: Readonly<Record<string, WishInput>>,
    parts?: Readonly<Record<string, DeclaredPart>>,
  ): Promise<void>;
  /** Starts the agent's loop; time goes on by `advance` only. `onTick`: what comes after each tick. */
  start(options?: { readonly onTick: () => void; readonly wakeSignal: WakeSignal }): void;
  /** Ends the loop as SIGTERM would. */
  stop(): Promise<void>;
  /** Machines of the first account that are not over, by the simulator's truth. */
  alive(): readonly {
    readonly id: string;
    readonly gpus: number;
    readonly place: string;
    readonly state: string;
  }[];
  launches(): number;
}

export interface StageOptions extends Omit<SimulatorOptions, "clock" | "dialect"> {
  /** Of the simulator, or a service whose profile ships. */
  readonly dialect?: DialectName | Shipped;
  readonly account?: Tenure;
  readonly ledger?: Ledger;
  /** What moves shares between accounts goes by this one. */
  readonly allAccounts?: Ledger;
  /** Of several stages that share their time. */
  readonly clock?: VirtualClock;
  readonly settings?: Record<string, unknown>;
  readonly protocol?: Partial<ProtocolSettings>;
  /** Changes the text of the dialect's profile for the client alone, as a user's own mistakes and gaps would. */
  readonly alter?: ((profile: string) => string) | undefined;
}

export const H100: CatalogueOffer = {
  offer: "h100-8",
  provider: "north",
  location: "oslo",
  gpus: 8,
  gpuModel: "H100",
  pricePerHour: "16.0000",
  capacity: 100,
};
export const H100_SOUTH: CatalogueOffer = {
  ...H100,
  provider: "south",
  location: "rome",
  pricePerHour: "18.0000",
};
export const H100_SINGLE: CatalogueOffer = { ...H100, offer: "h100-1", gpus: 1, pricePerHour: "2.5000" };

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const { dialect = "plain", account = "exclusive", protocol, settings, alter, ...rest } = options;
  const { clock = new VirtualClock() } = options;
  const simulator = createSimulator({
    dialect: spokenBy(dialect),
    offers: [H100, H100_SOUTH, H100_SINGLE],
    seed: 1,
    ...(settings ? { settings } : {}),
    ...rest,
    clock,
  });
  const keeper = await keeperOn(simulator, clock, dialect, account, options.ledger, protocol, alter);
  await watchedForLong(keeper);
  const reports: TickReport[] = [];
  const errors: string[] = [];
  const aborting = new AbortController();
  let loop: Promise<void> | undefined;
  const source = "file:fleet.yaml";
  return {
    clock,
    simulator,
    keeper,
    reports,
    errors,
    declare: async (fleets, parts) => {
      await declareFleets(keeper, source, () =>
        Object.entries(fleets).map(([name, wish]) => ({
          name,
          source,
          wish: wishSchema.parse(wish),
          part: parts?.[name],
        })),
      );
    },
    start: (given) => {
      loop = runLoop(
        {
          keeper,
          ...(options.allAccounts && { allAccounts: options.allAccounts }),
          ...(given && { wakeSignal: given.wakeSignal }),
          host: "test",
          onTick: (report) => {
            reports.push(report);
            given?.onTick();
          },
          onError: (error) => errors.push(error.message),
        },
        aborting.signal,
      );
    },
    stop: async () => {
      aborting.abort();
      await loop;
    },
    alive: () =>
      simulator.truth().machines.flatMap((machine) =>
        machine.endedAt === null
          ? [
              {
                id: machine.id,
                gpus: machine.gpus,
                place: `${machine.combination.provider}/${machine.combination.location}`,
                state: machine.states.at(-1)?.state ?? "?",
              },
            ]
          : [],
      ),
    launches: () => simulator.truth().launches.length,
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

export async function keeperOn(
  simulator: Simulator,
  virtual: VirtualClock,
  dialect: DialectName | Shipped,
  tenure: Tenure,
  given?: Ledger,
  protocol: Partial<ProtocolSettings> = {},
  alter: (profile: string) => string = (profile) => profile,
): Promise<Keeper> {
  const clock = ledgerClock(virtual);
  const service = createService({
    baseUrl: SIMULATOR_URL.replace("http:", "https:"),
    secret: simulator.apiKey,
    profile: profileOf(dialect, alter),
    ...(isShipped(dialect) && { settings: exampleOf(dialect).configuration.settings as Settings }),
    transport: simulator.transport,
    clock: { now: () => virtual.now(), sleep: (ms, signal) => virtual.sleep(ms, signal) },
    random: () => 0.5,
  });
  const ledger = given ?? openSqliteLedger({ path: ":memory:", newId: "testledger00", now: virtual.now() });
  const info = await virtual.run(service.account(new AbortController().signal));
  const account = await ledger.openAccount({
    baseUrl: service.baseUrl,
    account: info,
    tenure: tenure === "unstated" ? undefined : tenure,
  });
  const newId = (): string => `intent${String(++ids).padStart(8, "0")}`;
  return { ledger, account, service, clock, settings: { ...DEFAULT_SETTINGS, ...protocol }, newId };
}

/** The fleet file that stands beside a profile that ships. */
export function exampleOf(name: Shipped): FleetFile {
  return parseFleetFile(packageFile(`profiles/${name}/fleet.yaml`).toString(), "/fleet.yaml");
}

/** What the simulator speaks by. */
export function spokenBy(dialect: DialectName | Shipped): DialectName | WireProfile {
  return isShipped(dialect) ? loadProfile(dialect).profile : (dialect as DialectName);
}

function profileOf(dialect: DialectName | Shipped, alter: (profile: string) => string): LoadedProfile {
  if (isShipped(dialect)) return loadProfile(dialect);
  const path = dialectProfilePath(dialect as DialectName);
  return readProfile(alter(readFileSync(path, "utf8")), path);
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
