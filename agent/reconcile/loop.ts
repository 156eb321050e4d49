import { isBeatFresh, keepsAccount } from "../../launch/beat.ts";
import { note } from "../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant } from "../../ledger/instant.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import {
  FleetkeeperError,
  isLedgerBusy,
  isNotHolder,
  isPassing,
  unless,
} from "../../service/contract/errors.ts";
import type { Offer } from "../../service/contract/service.ts";
import { isAgentAlive } from "../fleet/phase/agent-alive.ts";
import { DISTRUSTED, type Failure, failureOf, writeOutage } from "../status/outage.ts";
import { InFlight } from "./in-flight.ts";
import { MarketWatch } from "./market-watch.ts";
import { type AllAccounts, isAboveItsPortion, movePortions } from "./move-portions.ts";
import { askedWait, LONGEST_RETRY_MS, retryWait } from "./retry-wait.ts";
import { SideReads } from "./side-reads.ts";
import { type TickReport, tick } from "./tick.ts";
import { WakeSignal } from "./wake-signal.ts";

export interface LoopOptions {
  readonly keeper: Keeper;
  /** The ledger of all accounts, where `keeper` has that of its own alone. */
  readonly allAccounts?: AllAccounts;
  /** How messages and other processes name this machine. */
  readonly host: string;
  /** Programs that fleets of stacks may have run here. */
  readonly commands?: readonly string[];
  /** Ends the wait for the next tick when it is rung. */
  readonly wakeSignal?: WakeSignal;
  /** Called once, when this agent keeps the account, and not before. What it throws ends the loop. */
  readonly onTaken?: () => Promise<void>;
  /** What comes before a tick, such as a look at the fleet file. */
  readonly beforeTick?: () => Promise<void>;
  readonly onTick: (report: TickReport) => void;
  /** Gets the offers that were read for a plan. */
  readonly onOffers?: (offers: readonly Offer[]) => void;
  /** A tick that decided nothing, and when the next one is tried. */
  readonly onError: (error: FleetkeeperError, retryMs: number) => void;
}

/** Soon, as trying the ledger again costs no request, and what must be stopped waits for it. */
const LEDGER_RETRY_MS = 5_000;

/**
 * Ticks until the signal aborts: at each poll, and earlier where a cooldown clears, a launch is unresolved or
 * a new fleet needs its second list. A service that cannot be read is tried again ever more seldom, and not
 * before its `Retry-After` is over; nothing is decided until then. The loop still comes round, so that nobody
 * thinks that the account is left. A ledger that is locked, or whose disk is full, is tried again soon:
 * deadlines and totals wait for it. What waiting does not change ends the loop, such as an unusable ledger or
 * another agent.
 *
 * A POST, a stop call or a read beside the list that hangs keeps no tick waiting for longer than a poll. When
 * the loop ends it waits for them: their answers are worth more than a quick end.
 */
export async function runLoop(options: LoopOptions, signal: AbortSignal): Promise<void> {
  const {
    keeper,
    host,
    commands = [],
    onTick,
    onError,
    wakeSignal = new WakeSignal(),
    onTaken,
    beforeTick,
  } = options;
  const { clock, settings } = keeper;
  const inFlight = new InFlight(() => wakeSignal.ring());
  const market = new MarketWatch(keeper, options.onOffers);
  let isOfSeveral = false;
  const reads = new SideReads(inFlight, (offers) => {
    options.onOffers?.(offers);
    if (isOfSeveral) inFlight.leave(market.keep(offers));
  });
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
    await wakeSignal.wait(wait, clock, signal);
  };
  try {
    while (!signal.aborted) {
      let wait: number;
      let hasParts = false;
      wakeSignal.answer();
      try {
        hasParts = await takeAccount(keeper, { host, commands });
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
        // Work in flight may have failed on a locked ledger. If it still is, the tick fails before it launches.
        await unless(isLedgerBusy, (async () => inFlight.rethrow())());
        await beforeTick?.();
        wait = Math.min(leftAlone(), LONGEST_RETRY_MS);
        if (wait === 0) {
          const allAccounts = options.allAccounts ?? keeper.ledger;
          if (hasParts && (await isAboveItsPortion(keeper))) await movePortions(keeper, allAccounts);
          const report = await tick(keeper, signal, { inFlight: inFlight, reads });
          failures = 0;
          failure = report.believed ? undefined : DISTRUSTED;
          if (report.hasParts) await movePortions(keeper, allAccounts);
          isOfSeveral = report.isOfSeveral;
          if (isOfSeveral) inFlight.leave(market.look(signal));
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
        // If this cannot be written, neither can the next round, which says so.
        await unless(isLedgerBusy, writeOutage(keeper, failure));
        onError(error, Math.max(wait, leftAlone()));
      }
      // Rounded up: to wake a fraction too early costs a list call for nothing.
      if (wait > 0) await wakeSignal.wait(Math.ceil(wait), clock, signal);
    }
  } finally {
    await inFlight.settled();
    // If that cannot be written it does not matter: a process that has ended keeps no account.
    await unless((error) => isLedgerBusy(error) || isNotHolder(error), leaveAccount(keeper));
  }
}

/** Since when the ledger cannot be written. */
interface Unwritable {
  readonly since: Instant;
  readonly why: string;
}

/** Told once the ledger can be written. Until then the log, the page and /readyz say so. */
async function tellWritable(keeper: Keeper, { since, why }: Unwritable): Promise<void> {
  const { ledger, account, clock } = keeper;
  const seconds = Math.ceil(elapsed(since, clock.now()) / 1000);
  const text = `the ledger could not be written for ${seconds} s, and nothing was launched or stopped meanwhile: ${why}`;
  await ledger.decide(account, (draft) => note(draft, contextOf(keeper), "unwritable", text));
}

/**
 * Writes down that this agent keeps the account. Where the ledger gives leases, they have decided that already:
 * see holder.ts.
 *
 * One agent keeps an account at a time. Money does not depend on it (each launch is checked in its
 * transaction), but two would ask twice as often. Looked at again at each tick: an agent that was stopped for
 * long, as with its laptop, may have been replaced, and then ends. Lists renew what is written: launch/beat.ts.
 *
 * True if it has a part of a fleet in several accounts.
 */
async function takeAccount(
  keeper: Keeper,
  { host, commands }: Required<Pick<LoopOptions, "host" | "commands">>,
): Promise<boolean> {
  return keeper.ledger.decide(keeper.account, (draft) => {
    const other = otherAgent(draft, keeper);
    if (other && !keeper.ledger.leases) {
      throw new FleetkeeperError(
        "BUSY",
        `an agent keeps this account already: process ${other.process.pid} on ${other.host}. Stop it first, or let it go on.`,
      );
    }
    const { profileHash } = keeper.service;
    const keeps = keepsAccount(draft, keeper);
    const hasParts = [...draft.fleets.values()].some(({ part }) => part);
    if (keeps && draft.account.profile === profileHash && isBeatFresh(draft, keeper)) return hasParts;
    const now = keeper.clock.now();
    const since = keeps ? draft.account.agent?.since : now;
    draft.putAccount({
      ...draft.account,
      agent: {
        process: keeper.clock.self,
        beat: now,
        host,
        ...(since && { since }),
        ...(commands.length > 0 && { commands }),
      },
      profile: profileHash,
    });
    return hasParts;
  });
}

async function leaveAccount(keeper: Keeper): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    if (keepsAccount(draft, keeper)) draft.putAccount({ ...draft.account, agent: null });
  });
}

function otherAgent(draft: Draft, keeper: Keeper): AccountRow["agent"] {
  const { agent } = draft.account;
  return isAgentAlive(draft, contextOf(keeper)) && !keepsAccount(draft, keeper) ? agent : null;
}
