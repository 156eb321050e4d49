import { note } from "../../launch/events.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import { elapsed, MINUTE_MS } from "../../ledger/instant.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import { FleetkeeperError, isLedgerBusy, isPassing } from "../../service/errors.ts";
import { agentAlive } from "../fleet/agent-alive.ts";
import type { FleetDeclaration } from "../fleet/fleets.ts";
import { declareAll, inherit } from "../fleet/fleets.ts";
import type { Failure } from "../status/outage.ts";
import { DISTRUSTED, failureOf, writeOutage } from "../status/outage.ts";
import { InFlight } from "./in-flight.ts";
import { SideReads } from "./side-reads.ts";
import type { TickReport } from "./tick.ts";
import { tick } from "./tick.ts";
import { WakeSignal } from "./wake-signal.ts";

export interface LoopOptions {
  readonly keeper: Keeper;
  /** How messages and other processes name this machine. */
  readonly host: string;
  /** Rung, it ends the wait for the next tick. */
  readonly wakeSignal?: WakeSignal;
  /** Called once, when this agent may keep the account. What it throws ends the loop. */
  readonly onTaken?: () => Promise<void>;
  /** What comes before a tick, such as a look at the fleet file. */
  readonly beforeTick?: () => Promise<void>;
  readonly onTick: (report: TickReport) => void;
  /** A tick that decided nothing, and when the next one is tried. */
  readonly onError: (error: FleetkeeperError, retryMs: number) => void;
}

const LONGEST_RETRY_MS = MINUTE_MS;
/** Lists guard money: deadlines, totals and lost machines wait for them. So no wait is longer than this. */
const LONGEST_ASKED_MS = 15 * MINUTE_MS;

/** To look whether the ledger can be written costs no request, and what must be stopped waits for it. */
const LEDGER_RETRY_MS = 5_000;

/** The wait after a read that failed, and had failed so many times in a row before. */
export function retryWait(poll: number, failures: number): number {
  return Math.min(poll * 2 ** failures, LONGEST_RETRY_MS);
}

/** Milliseconds for which the service asked not to be asked again. */
export function askedWait({ retryAfter = 0 }: FleetkeeperError): number {
  return Math.min(retryAfter * 1000, LONGEST_ASKED_MS);
}

/**
 * Ticks until the signal aborts: at each poll, and earlier where a cooldown clears, a launch is unresolved or
 * a birth needs its second list. A service that cannot be read is tried again, ever more slowly, and never
 * before it wants to be: however long that is, the loop comes round, so that nobody takes the account for
 * left. Nothing is decided meanwhile. A ledger that is locked, or whose disk is full, is tried again soon:
 * deadlines and totals wait for it. What waiting does not change ends the loop: a ledger that cannot be used
 * first of all, or another agent.
 *
 * A POST or a stop call that hangs keeps no tick waiting for longer than a poll, nor does what is read beside
 * the list. When the loop ends it waits for both: their answers are worth more than a quick end.
 */
export async function runLoop(options: LoopOptions, signal: AbortSignal): Promise<void> {
  const { keeper, host, onTick, onError, wakeSignal: bell = new WakeSignal(), onTaken, beforeTick } = options;
  const { clock, settings } = keeper;
  const inFlight = new InFlight(() => bell.ring());
  const reads = new SideReads(inFlight);
  let failures = 0;
  let isTaken = false;
  let unwritable: Unwritable | undefined;
  let failure: Failure | undefined;
  let asked = { at: clock.now(), ms: 0 };
  const leftAlone = (): number => Math.max(0, asked.ms - elapsed(asked.at, clock.now()));
  const waitUntilWritable = async (error: FleetkeeperError): Promise<void> => {
    unwritable ??= { since: clock.now(), why: error.message };
    const wait = Math.min(settings.poll, LEDGER_RETRY_MS);
    onError(error, wait);
    await bell.wait(wait, clock, signal);
  };
  try {
    while (!signal.aborted) {
      let wait: number;
      bell.answer();
      try {
        await takeAccount(keeper, host);
        if (!isTaken) await onTaken?.();
        isTaken = true;
        if (unwritable) await tellWritable(keeper, unwritable);
        unwritable = undefined;
      } catch (error) {
        if (!isLedgerBusy(error)) throw error;
        await waitUntilWritable(error);
        continue;
      }
      try {
        // That the ledger was locked for what was under way is over: it was just written.
        await unlessLocked((async () => inFlight.rethrow())());
        await beforeTick?.();
        wait = Math.min(leftAlone(), LONGEST_RETRY_MS);
        if (wait === 0) {
          const report = await tick(keeper, signal, { inFlight: inFlight, reads });
          failures = 0;
          failure = report.believed ? undefined : DISTRUSTED;
          await writeOutage(keeper, failure);
          onTick(report);
          wait = report.wake;
        } else if (failure) {
          await writeOutage(keeper, failure);
        }
      } catch (error) {
        if (signal.aborted) break;
        if (!isPassing(error)) throw error;
        if (isLedgerBusy(error)) {
          await waitUntilWritable(error);
          continue;
        }
        wait = retryWait(settings.poll, failures);
        failures += 1;
        if (error.retryAfter !== undefined) asked = { at: clock.now(), ms: askedWait(error) };
        failure = failureOf(error);
        // Where that cannot be written, neither can the next round, which says so.
        await unlessLocked(writeOutage(keeper, failure));
        onError(error, Math.max(wait, leftAlone()));
      }
      // Upwards: to wake a fraction too early costs a list call for nothing.
      if (wait > 0) await bell.wait(Math.ceil(wait), clock, signal);
    }
  } finally {
    await inFlight.settled();
    // A process that has ended keeps nothing, whatever the row says.
    await unlessLocked(leaveAccount(keeper));
  }
}

async function unlessLocked(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isLedgerBusy(error)) throw error;
  });
}

/** Since when the ledger cannot be written. */
interface Unwritable {
  readonly since: Instant;
  readonly why: string;
}

/** Told once it can be: until then it stands in the log, on the page, and in /readyz. */
async function tellWritable(keeper: Keeper, { since, why }: Unwritable): Promise<void> {
  const { ledger, account, clock } = keeper;
  const seconds = Math.ceil(elapsed(since, clock.now()) / 1000);
  const text = `the ledger could not be written for ${seconds} s, and nothing was launched or stopped meanwhile: ${why}`;
  await ledger.decide(account, (draft) => note(draft, contextOf(keeper), "unwritable", text));
}

/**
 * Writes down what this source asks for, and that what it asked for before and does not name any more is
 * over. It is read inside the transaction: who commits last has read last, so a process that stood still with
 * an older version in its hands cannot bring that back. Undefined: what is declared stays as it is.
 */
export async function declareFleets(
  keeper: Keeper,
  source: string,
  read: () => readonly FleetDeclaration[] | undefined,
  isGone: (source: string) => boolean = () => false,
): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    const declarations = read();
    if (!declarations) return;
    inherit(draft, declarations, isGone);
    declareAll(draft, source, declarations, contextOf(keeper));
  });
}

/**
 * One agent keeps an account at a time. Money does not depend on it (each launch is checked in its
 * transaction), but two would ask twice as often. Written again at each tick: an agent that was stopped for
 * long, as with its laptop, may have been replaced, and then stands back.
 */
async function takeAccount(keeper: Keeper, host: string): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    const other = otherAgent(draft, keeper);
    if (other) {
      throw new FleetkeeperError(
        "BUSY",
        `an agent keeps this account already: process ${other.process.pid} on ${other.host}. Stop it first, or let it go on.`,
      );
    }
    draft.putAccount({
      ...draft.account,
      agent: { process: keeper.clock.self, beat: keeper.clock.now(), host },
      profile: keeper.service.profileHash,
    });
  });
}

async function leaveAccount(keeper: Keeper): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    if (isSelf(draft.account.agent, keeper)) draft.putAccount({ ...draft.account, agent: null });
  });
}

function otherAgent(draft: Draft, keeper: Keeper): AccountRow["agent"] {
  const { agent } = draft.account;
  return agentAlive(draft, contextOf(keeper)) && !isSelf(agent, keeper) ? agent : null;
}

/** This process is the agent that keeps the account. */
export function keepsAccount({ account }: Draft, keeper: Keeper): boolean {
  return isSelf(account.agent, keeper);
}

/** By more than the pid: in containers every agent is number 1. */
function isSelf(agent: AccountRow["agent"], { clock }: Keeper): boolean {
  const { boot, pid, started } = clock.self;
  const process = agent?.process;
  return process?.boot === boot && process.pid === pid && process.started === started;
}
