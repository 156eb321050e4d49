import Big from "big.js";
import type { Truth, TruthMachine } from "../../../simulator/index.ts";
import { columns, indent } from "../../fleet/text/text.ts";

/** The statement of money, from the service's own books. It reads nothing from the ledger. */
export function statement(truth: Truth, currency: string): string {
  const start = truth.machines[0]?.committedAt ?? truth.now;
  const rows = truth.machines.map((machine) => [
    machine.id.slice(0, 8),
    `${machine.combination.offer} @ ${machine.combination.provider}/${machine.combination.location}`,
    `${minutes(machine.committedAt - start)} to ${machine.endedAt === null ? "now" : minutes(machine.endedAt - start)}`,
    outcome(machine),
    machine.statement.firstHour,
    machine.statement.usage,
    machine.statement.refunded,
    machine.statement.charged,
  ]);
  const heads = [
    "MACHINE",
    "COMBINATION",
    "MINUTES",
    "ENDED AS",
    "FIRST HOUR",
    "FURTHER",
    "REFUNDED",
    "CHARGED",
  ];
  const account = truth.accounts[0];
  if (!account) return "";
  return [
    indent(columns([heads, ...rows], 4)),
    "",
    `  balance at the start  ${account.initial.padStart(10)} ${currency}`,
    `  first hours reserved  ${taken(account.reservations).padStart(10)}`,
    `  usage beyond them     ${taken(account.usage).padStart(10)}`,
    `  refunds               ${`+${account.refunds}`.padStart(10)}`,
    `  balance now           ${account.balance.padStart(10)} ${currency}${balances(account) ? "   (adds up to the 4th decimal)" : "   DOES NOT ADD UP"}`,
  ].join("\n");
}

/** A sum that was taken, with its sign; nothing has none. */
function taken(usd: string): string {
  return /[1-9]/.test(usd) ? `-${usd}` : usd;
}

export interface Numbers {
  /** POSTs that the service received. */
  readonly posts: number;
  /** POSTs whose answer never reached the client. */
  readonly unanswered: number;
  readonly refused: number;
  readonly machines: number;
  /** The most GPUs that were there, or on their way, at one time. */
  readonly mostGpus: number;
  /** Machines that were rented while there were enough already. */
  readonly duplicates: number;
  readonly running: number;
}

/** The numbers that matter, for a fleet that asked for `asked` GPUs. */
export function numbers(truth: Truth, asked: number): Numbers {
  const gpusAt = (at: number): number =>
    truth.machines
      .filter((machine) => machine.committedAt <= at && at < (leftAt(machine) ?? Number.POSITIVE_INFINITY))
      .reduce((sum, { gpus }) => sum + gpus, 0);
  const peaks = truth.machines.map(({ committedAt }) => gpusAt(committedAt));
  return {
    posts: truth.launches.length,
    unanswered: truth.launches.filter(({ answer }) => answer.kind === "drop").length,
    refused: truth.launches.filter(({ outcome }) => outcome.kind === "refused").length,
    machines: truth.machines.length,
    mostGpus: Math.max(0, ...peaks),
    duplicates: peaks.filter((gpus) => gpus > asked).length,
    running: truth.machines.filter(({ endedAt }) => endedAt === null).length,
  };
}

/** A machine gives no GPUs from the time its provider lost it, even when the service notices later. */
function leftAt(machine: TruthMachine): number | null {
  const stopping = machine.states.find(({ state }) => state === "stopping")?.at;
  return machine.lostAt ?? stopping ?? machine.endedAt;
}

function balances(account: Truth["accounts"][number]): boolean {
  const { initial, adjustments, reservations, usage, refunds, balance } = account;
  return new Big(initial).plus(adjustments).minus(reservations).minus(usage).plus(refunds).eq(balance);
}

function outcome(machine: TruthMachine): string {
  const last = machine.states.at(-1)?.state ?? "?";
  return machine.stopReason ? `${last} (${machine.stopReason})` : last;
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}
