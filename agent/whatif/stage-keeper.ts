import { DEFAULT_SETTINGS, type ProtocolSettings } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Clock, ProcessIdentity } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Tenure } from "../../ledger/rows.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { createService } from "../../service/client.ts";
import type { Billing } from "../../service/contract/billing.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import type { Settings } from "../../service/profile/settings.ts";
import { SIMULATOR_URL, type Simulator, type VirtualClock } from "../../simulator/index.ts";

export interface KeeperOptions {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly profile: LoadedProfile;
  readonly settings?: Settings | undefined;
  readonly tenure: Tenure;
  /** How time is billed, by which the agent goes. Absent: as the specification has it. */
  readonly billing?: Billing | undefined;
  readonly ledger?: Ledger | undefined;
  readonly protocol?: Partial<ProtocolSettings> | undefined;
}

let ids = 0;

export async function openKeeper(options: KeeperOptions): Promise<Keeper> {
  const { simulator, clock: virtual, profile, settings, tenure, billing, protocol } = options;
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
    billing,
  });
  const newId = (): string => `intent${String(++ids).padStart(8, "0")}`;
  return { ledger, account, service, clock, settings: { ...DEFAULT_SETTINGS, ...protocol }, newId };
}

function ledgerClock(virtual: VirtualClock): Clock {
  const self: ProcessIdentity = { boot: "boot", pid: 1, started: "0" };
  return {
    self,
    now: () => ({ wall: virtual.now(), mono: virtual.monotonic(), boot: "boot" }),
    sleep: (ms, signal) => virtual.sleep(ms, signal),
    isAlive: (process) => process.pid === self.pid,
  };
}
