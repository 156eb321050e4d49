import type { Combination } from "../service/contract.ts";
import { formatUsd } from "../service/money.ts";
import { accountUsageAt, balanceAt } from "./account.ts";
import { usageAt, usedMs } from "./bill.ts";
import type { Failure } from "./failures.ts";
import type { FaultEntry, Journal, LaunchEntry } from "./journal.ts";
import type { Json } from "./json.ts";
import { hasEnded, type Machine, type MachineState, type Origin, stateOf } from "./machine.ts";
import type { World } from "./world.ts";

/**
 * What truly is and was, whatever the API said. Plain data: it can be written as JSON and compared byte for byte.
 * Times are milliseconds since 1970, sums are USD with 4 decimals.
 */
export interface Truth {
  readonly now: number;
  readonly machines: readonly TruthMachine[];
  /** Every launch that a client tried, also those that never took effect. */
  readonly launches: readonly LaunchEntry[];
  readonly faults: readonly FaultEntry[];
  readonly requests: Journal["counts"];
  readonly accounts: readonly TruthAccount[];
}

export interface TruthMachine {
  readonly id: string;
  readonly account: string;
  readonly combination: Combination;
  readonly gpus: number;
  readonly gpuModel: string;
  readonly origin: Origin;
  readonly marker: Json;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly committedAt: number;
  readonly states: readonly { readonly state: MachineState; readonly at: number }[];
  /** When it failed, was interrupted or was stopped. */
  readonly endedAt: number | null;
  /** When its provider lost it, though the service may have noticed later. */
  readonly lostAt: number | null;
  readonly failure: Failure | null;
  readonly stopReason: string | null;
  readonly statement: Statement;
}

/** The money of one machine. */
export interface Statement {
  readonly pricePerHour: string;
  /** Reserved at launch. */
  readonly firstHour: string;
  /** How long it was in use. */
  readonly usedMs: number;
  /** Taken beyond the first hour. */
  readonly usage: string;
  readonly refunded: string;
  /** firstHour + usage - refunded. */
  readonly charged: string;
}

/** initial + adjustments + refunds - reservations - usage = balance, exactly. */
export interface TruthAccount {
  readonly id: string;
  readonly email: string;
  readonly initial: string;
  readonly adjustments: string;
  readonly reservations: string;
  readonly usage: string;
  readonly refunds: string;
  readonly balance: string;
}

/** A snapshot: what lives on is copied, the rest (which never changes) is shared. */
export function truthOf(world: World, journal: Journal): Truth {
  return {
    now: world.now,
    machines: world.machines.map((machine) => truthOfMachine(machine, world.now)),
    launches: journal.launches.map((entry) => ({ ...entry })),
    faults: [...journal.faults],
    requests: { ...journal.counts },
    accounts: [...world.accounts.values()].map((account) => ({
      id: account.id,
      email: account.email,
      initial: formatUsd(account.initial),
      adjustments: formatUsd(account.adjustments),
      reservations: formatUsd(account.reservations),
      usage: formatUsd(accountUsageAt(account, world.now)),
      refunds: formatUsd(account.refunds),
      balance: formatUsd(balanceAt(account, world.now)),
    })),
  };
}

function truthOfMachine(machine: Machine, now: number): TruthMachine {
  const { bill } = machine;
  const usage = usageAt(bill, now);
  return {
    id: machine.id,
    account: machine.account,
    combination: machine.combination,
    gpus: machine.gpus,
    gpuModel: machine.gpuModel,
    origin: machine.origin,
    marker: machine.marker ?? null,
    parameters: machine.parameters,
    committedAt: machine.committedAt,
    states: [...machine.states],
    endedAt: hasEnded(stateOf(machine)) ? (machine.states.at(-1)?.at ?? null) : null,
    lostAt: machine.lostAt ?? null,
    failure: machine.failure ?? null,
    stopReason: machine.stopReason ?? null,
    statement: {
      pricePerHour: formatUsd(bill.pricePerHour),
      firstHour: formatUsd(bill.reserved),
      usedMs: usedMs(bill, now),
      usage: formatUsd(usage),
      refunded: formatUsd(bill.refunded),
      charged: formatUsd(bill.reserved.plus(usage).minus(bill.refunded)),
    },
  };
}
