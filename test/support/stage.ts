import { readFileSync } from "node:fs";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { type FleetFile, parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import type { DeclaredPart } from "../../agent/fleet/phase/part.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import type { TickReport } from "../../agent/reconcile/tick.ts";
import type { WakeSignal } from "../../agent/reconcile/wake-signal.ts";
import { openStage, type Stage as Played } from "../../agent/whatif/stage.ts";
import { openKeeper } from "../../agent/whatif/stage-keeper.ts";
import type { ProtocolSettings } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Tenure } from "../../ledger/rows.ts";
import { packageFile } from "../../service/process/package-file.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import { loadProfile, readProfile } from "../../service/profile/profile-file.ts";
import type { Settings } from "../../service/profile/settings.ts";
import { isShipped } from "../../service/profile/shipped.ts";
import type { CatalogueOffer, DialectName, Simulator, SimulatorOptions } from "../../simulator/index.ts";
import { createSimulator, dialectProfilePath, VirtualClock } from "../../simulator/index.ts";

/** The name of a profile that ships. */
type Shipped = string & {};

/** The whole product on one stage: simulator, ledger and agent under one virtual clock. */
export interface Stage extends Omit<Played, "start"> {
  readonly reports: TickReport[];
  declare(
    fleets: Readonly<Record<string, WishInput>>,
    parts?: Readonly<Record<string, DeclaredPart>>,
  ): Promise<void>;
  /** Starts the agent's loop; time goes on by `advance` only. `onTick`: what comes after each tick. */
  start(options?: { readonly onTick: () => void; readonly wakeSignal: WakeSignal }): void;
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
  const on = await openStage({
    ...{ simulator, clock, tenure: account, protocol, ...clientOf(dialect, alter) },
    ...{ ledger: options.ledger, allAccounts: options.allAccounts },
  });
  const { keeper } = on;
  const reports: TickReport[] = [];
  const source = "file:fleet.yaml";
  return {
    ...on,
    reports,
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
    start: (given) =>
      on.start({
        ...(given && { wakeSignal: given.wakeSignal }),
        onTick: (report) => {
          reports.push(report);
          given?.onTick();
        },
      }),
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

export function keeperOn(
  simulator: Simulator,
  clock: VirtualClock,
  dialect: DialectName | Shipped,
  tenure: Tenure,
  ledger?: Ledger,
  protocol: Partial<ProtocolSettings> = {},
  alter?: (profile: string) => string,
): Promise<Keeper> {
  return openKeeper({ simulator, clock, tenure, ledger, protocol, ...clientOf(dialect, alter) });
}

/** The fleet file that stands beside a profile that ships. */
export function exampleOf(name: Shipped): FleetFile {
  return parseFleetFile(packageFile(`profiles/${name}/fleet.yaml`).toString(), "/fleet.yaml");
}

/** What the simulator speaks by. */
export function spokenBy(dialect: DialectName | Shipped): DialectName | WireProfile {
  return isShipped(dialect) ? loadProfile(dialect).profile : (dialect as DialectName);
}

/** What the client speaks by. */
function clientOf(dialect: DialectName | Shipped, alter: (profile: string) => string = (profile) => profile) {
  if (isShipped(dialect))
    return { profile: loadProfile(dialect), settings: exampleOf(dialect).configuration.settings as Settings };
  const path = dialectProfilePath(dialect as DialectName);
  return { profile: readProfile(alter(readFileSync(path, "utf8")), path) };
}
