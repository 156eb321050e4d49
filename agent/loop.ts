import type { Keeper } from "../launch/keeper.ts";
import { contextOf } from "../launch/keeper.ts";
import { FleetkeeperError } from "../service/errors.ts";
import type { FleetDeclaration } from "./fleets.ts";
import { agentAlive, declareFleet, removeFleet } from "./fleets.ts";
import type { TickReport } from "./tick.ts";
import { tick } from "./tick.ts";

export interface LoopOptions {
  readonly keeper: Keeper;
  /** How messages and other processes name this machine. */
  readonly host: string;
  readonly onTick: (report: TickReport) => void;
  /** A tick that decided nothing, and when the next one is tried. */
  readonly onError: (error: FleetkeeperError, retryMs: number) => void;
}

const LONGEST_RETRY_MS = 60_000;

/**
 * Ticks until the signal aborts: at each poll, and earlier where a cooldown clears, a launch is unresolved or a birth
 * needs its second list. A service that cannot be read is tried again, ever more slowly; nothing is decided meanwhile.
 * A ledger that cannot be used ends the loop: without it nothing is safe.
 */
export async function runLoop(options: LoopOptions, signal: AbortSignal): Promise<void> {
  const { keeper, host, onTick, onError } = options;
  const { clock, settings } = keeper;
  let failures = 0;
  await takeAccount(keeper, host);
  try {
    while (!signal.aborted) {
      let wait: number;
      try {
        await beat(keeper, host);
        const report = await tick(keeper, signal);
        failures = 0;
        onTick(report);
        wait = report.wake;
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof FleetkeeperError) || error.code === "LEDGER") throw error;
        wait = Math.min(settings.poll * 2 ** failures, LONGEST_RETRY_MS);
        failures += 1;
        onError(error, wait);
      }
      if (wait > 0) await clock.sleep(wait, signal).catch(() => undefined);
    }
  } finally {
    await leaveAccount(keeper);
  }
}

/**
 * Writes down what this source asks for: the fleets it names, and that those which it named before and does not name
 * any more are over (they drain).
 */
export async function declareFleets(
  keeper: Keeper,
  source: string,
  declarations: readonly FleetDeclaration[],
): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    const context = contextOf(keeper);
    for (const declaration of declarations) declareFleet(draft, declaration, context);
    const named = new Set(declarations.map(({ name }) => name));
    for (const fleet of draft.fleets.values()) {
      if (!named.has(fleet.name)) removeFleet(draft, fleet.name, source);
    }
  });
}

/** One agent keeps an account at a time. Money does not depend on it (each launch is checked in its transaction). */
async function takeAccount(keeper: Keeper, host: string): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    const { agent } = draft.account;
    if (agent && agent.process.pid !== keeper.clock.self.pid && agentAlive(draft, contextOf(keeper))) {
      throw new FleetkeeperError(
        "CONFIG",
        `an agent keeps this account already: process ${agent.process.pid} on ${agent.host}. Stop it first, or let it go on.`,
      );
    }
    draft.putAccount({
      ...draft.account,
      agent: { process: keeper.clock.self, beat: keeper.clock.now(), host },
    });
  });
}

async function beat(keeper: Keeper, host: string): Promise<void> {
  const agent = { process: keeper.clock.self, beat: keeper.clock.now(), host };
  await keeper.ledger.decide(keeper.account, (draft) => draft.putAccount({ ...draft.account, agent }));
}

async function leaveAccount(keeper: Keeper): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    if (draft.account.agent?.process.pid === keeper.clock.self.pid) {
      draft.putAccount({ ...draft.account, agent: null });
    }
  });
}
