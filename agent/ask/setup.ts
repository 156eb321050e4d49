import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import { milliseconds } from "../../service/text/duration.ts";
import { endTry, heldTry, nextTry, type Try, type TryEnd } from "../planning/machines/setup.ts";
import { type AskOptions, runCommand } from "./ask.ts";
import { endLeftBehind, HookFailure } from "./hook.ts";
import type { Job, Kind } from "./machine-watch.ts";

/** Runs setup commands on this computer. */
export interface SetupRunner {
  /**
   * Runs it to its end, and gives what it said last. Throws as `runHook` does. `onStart`: what is to be ended if this
   * process cannot.
   */
  run(one: Try, onStart: (program: ProcessIdentity) => void, signal: AbortSignal): Promise<string>;
  /** Ends what an agent that was killed has left running here. */
  end(program: ProcessIdentity): void;
}

/** The real ones. */
export function setupRunner(environment: AskOptions["environment"]): SetupRunner {
  return {
    run: ({ fleet, setup, host, row }, onStart, signal) =>
      runCommand(
        { fleet: fleet.name, source: fleet.source, row },
        {
          command: setup.command,
          ...(host !== undefined && { host }),
          timeoutMs: milliseconds(setup.within),
          more: { FLEETKEEPER_TRY: String(row.setup?.tries) },
          keeps: "end",
          onStart,
          endsWithUs: true,
        },
        environment,
        signal,
      ),
    end: endLeftBehind,
  };
}

/** Sets up each machine of the fleets that say how. `show` makes a text fit to be kept and shown. */
export function setup(keeper: Keeper, runner: SetupRunner, show: (text: string) => string): Kind {
  const { ledger, account, clock } = keeper;
  const decide = <T>(decision: (draft: Draft) => T): Promise<T> => ledger.decide(account, decision);

  /** Stored before anything is run: whoever comes later sees that it may be running. */
  const begin = (id: string): Promise<Try | undefined> =>
    decide((draft) => {
      const row = draft.deployments.ever(id);
      const next = row && nextTry(draft, row, clock.self, contextOf(keeper));
      if (next) draft.putDeployment(next.row);
      return next;
    });

  const nameProgram = (one: Try, program: ProcessIdentity): Promise<void> =>
    decide((draft) => {
      const row = heldTry(draft, one, clock.self);
      const { setup } = row ?? {};
      if (row && setup?.lease)
        draft.putDeployment({ ...row, setup: { ...setup, lease: { ...setup.lease, program } } });
    });

  const end = (one: Try, how: TryEnd): Promise<void> =>
    decide((draft) => {
      const row = heldTry(draft, one, clock.self);
      if (row) endTry(draft, row, one, how, contextOf(keeper));
    });

  async function attempt(id: string, signal: AbortSignal): Promise<void> {
    const one = await begin(id);
    if (!one) return;
    if (one.leftBehind) runner.end(one.leftBehind);
    // If it cannot be stored, the lease lasts for its whole time.
    let named: Promise<unknown> = Promise.resolve();
    const onStart = (program: ProcessIdentity): void => {
      named = nameProgram(one, program).catch(() => undefined);
    };
    const how = await runner.run(one, onStart, signal).then(
      (said): TryEnd => ({ kind: "done", said }),
      (error: Error): TryEnd => {
        const isOfIt = error instanceof HookFailure && !signal.aborted;
        return { kind: isOfIt ? "failed" : "unknown", said: error.message };
      },
    );
    await named;
    await end(one, { ...how, said: show(how.said) });
  }

  return {
    due: (draft, context) =>
      [...draft.deployments.of("life", "living")]
        .filter((row) => nextTry(draft, row, clock.self, context))
        .map(
          ({ id }): Job => ({
            id,
            ask: async (signal) => {
              await attempt(id, signal);
              return { kind: "good" };
            },
          }),
        ),
    // Each try has stored its end by itself: its lease must not wait for others.
    store: () => undefined,
  };
}
