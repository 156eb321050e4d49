import type { AccountState } from "./account.ts";
import type { Terms } from "./bill.ts";
import type { Failure } from "./failures.ts";
import type { Machine } from "./machine.ts";
import type { Market } from "./market.ts";
import type { Prng } from "./prng.ts";
import type { Settings } from "./settings.ts";
import type { Timeline } from "./timeline.ts";

/** What will happen by itself. An event is void if the machine is not in the state it expects. */
export type Happening =
  | {
      readonly kind: "stage";
      readonly machine: Machine;
      readonly to: "provisioning" | "connecting" | "running";
    }
  | { readonly kind: "fail"; readonly machine: Machine; readonly failure: Failure }
  | { readonly kind: "stopped"; readonly machine: Machine }
  | { readonly kind: "lost"; readonly machine: Machine }
  | { readonly kind: "healthCheck"; readonly provider: string }
  /** A paid hour of this machine is over. */
  | { readonly kind: "hour"; readonly machine: Machine }
  | { readonly kind: "emptyBalance"; readonly account: AccountState; readonly forecast: number }
  /** A launch takes effect whose connection broke long ago. */
  | { readonly kind: "lateCommit"; readonly commit: () => void };

/** The whole state of the simulated service. Its functions are in billing.ts, lifecycle.ts and model.ts. */
export interface World {
  readonly settings: Settings;
  /** How time is billed, where the wire profile says it. */
  readonly terms: Terms | undefined;
  readonly random: Prng;
  readonly startedAt: number;
  /** Everything until this time has happened. */
  now: number;
  readonly market: Market;
  readonly accounts: Map<string, AccountState>;
  /** In the order of their commit. */
  readonly machines: Machine[];
  readonly byId: Map<string, Machine>;
  /** Lost by their provider, but no health check has seen it yet. */
  readonly lost: Set<Machine>;
  readonly timeline: Timeline<Happening>;
}

export function accountOf(world: World, machine: Machine): AccountState {
  const account = world.accounts.get(machine.account);
  if (account === undefined) throw new RangeError(`no such account: ${machine.account}`);
  return account;
}
