import { formatUsd } from "../service/contract/money.ts";
import { accountUsageAt, balanceAt } from "./account.ts";
import { usageAt, usedMs } from "./bill.ts";
import type { Journal } from "./journal.ts";
import { hasEnded, type Machine, stateOf } from "./machine.ts";
import type { World } from "./world.ts";

export type Truth = ReturnType<typeof truthOf>;
export type TruthMachine = ReturnType<typeof truthOfMachine>;
export type Statement = TruthMachine["statement"];
export type TruthAccount = Truth["accounts"][number];

/**
 * What truly is and was, whatever the API said. A snapshot in plain data: it can be written as JSON and
 * compared byte for byte. Times are milliseconds since 1970, sums are USD with 4 decimals.
 */
export function truthOf(world: World, journal: Journal) {
  return {
    now: world.now,
    machines: world.machines.map((machine) => truthOfMachine(machine, world.now)),
    /** Every launch that a client tried. Some never took effect. */
    launches: journal.launches.map((entry) => ({ ...entry })),
    faults: [...journal.faults],
    requests: { ...journal.counts },
    /** initial + adjustments + refunds - reservations - usage = balance, exactly. */
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

function truthOfMachine(machine: Machine, now: number) {
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
    /** When it failed, was interrupted or was stopped. */
    endedAt: hasEnded(stateOf(machine)) ? (machine.states.at(-1)?.at ?? null) : null,
    /** When its provider lost it. The service may have noticed later. */
    lostAt: machine.lostAt ?? null,
    failure: machine.failure ?? null,
    stopReason: machine.stopReason ?? null,
    /** The money of one machine. */
    statement: {
      pricePerHour: formatUsd(bill.pricePerHour),
      ...(bill.terms && { terms: bill.terms }),
      /** Reserved at launch. */
      firstHour: formatUsd(bill.reserved),
      /** How long it was in use, in ms. */
      usedMs: usedMs(bill, now),
      /** Taken beyond the first hour. */
      usage: formatUsd(usage),
      refunded: formatUsd(bill.refunded),
      /** firstHour + usage - refunded. */
      charged: formatUsd(bill.reserved.plus(usage).minus(bill.refunded)),
    },
  };
}
