import { beginHook, endHook, isRunningHook, mayBegin, nameProgram } from "../../launch/ends/stop-hook.ts";
import { hookLeft, hookUntil } from "../../launch/facts/stop-hook.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant, ProcessIdentity } from "../../ledger/instant.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { DeploymentRow, StopHookRow } from "../../ledger/rows.ts";
import type { BeforeStop } from "../fleet/wish/before-stop-wish.ts";
import { addressOf } from "../fleet/wish/machine-address.ts";
import type { Answer } from "../fleet/wish/machine-question.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import type { Asked, MachineCommand } from "./ask.ts";
import { endLeftBehind } from "./hook.ts";
import type { Kind } from "./machine-watch.ts";

/** Runs a user's program about a machine, as `runCommand` does. */
export type RunForMachine = (asked: Asked, command: MachineCommand, signal: AbortSignal) => Promise<unknown>;

/** A command that waits for a free place may lose its whole time to that. */
const MOST_AT_ONCE = 64;
const NAMED_AGAIN_MS = 1_000;

interface ToSave extends Asked {
  readonly beforeStop: BeforeStop;
  readonly readyAddress: string | undefined;
}

/** Runs what fleets run before a machine is stopped. That it begins is stored first: no other process begins it then. */
export function beforeStop(keeper: Keeper, run: RunForMachine): Kind {
  const { ledger, account, clock } = keeper;
  /** What this process runs, and ends if its stop is over, or waits no longer. */
  const running = new Map<string, AbortController>();

  const save = async (of: ToSave, signal: AbortSignal): Promise<Answer> => {
    const { id } = of.row;
    const begun = await ledger.decide(account, (draft) => {
      const leftBehind = draft.deployments.ever(id)?.stop?.hook?.program;
      const hook = beginHook(draft, id, clock.self, contextOf(keeper));
      const row = draft.deployments.ever(id);
      return hook && row ? { hook, row, leftBehind } : undefined;
    });
    if (!begun) return { kind: "unknown", why: "its stop waits no longer" };
    const { hook, row, leftBehind } = begun;
    if (leftBehind) endLeftBehind(leftBehind);
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    let named: Promise<unknown> = Promise.resolve();
    const onStart = (program: ProcessIdentity): Promise<unknown> => {
      named = name(id, program, either);
      return named;
    };
    running.set(id, over);
    try {
      const { command: program, address = of.readyAddress } = of.beforeStop;
      const command = commandBefore(row, hook, { command: program, address }, clock.now());
      await run({ ...of, row }, { ...command, onStart, endsWithUs: hook.again === true }, either);
      return { kind: "good" };
    } catch (error) {
      return { kind: "bad", why: (error as Error).message };
    } finally {
      over.abort(new Error("it has ended"));
      await named.catch(() => undefined);
      running.delete(id);
    }
  };

  /** Until it is stored: a later agent has to know what this one may leave. */
  const name = async (id: string, program: ProcessIdentity, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const isNamed = await ledger
        .decide(account, (draft) => nameProgram(draft, id, clock.self, program))
        .catch(() => undefined);
      if (isNamed) return;
      if (isNamed === false) throw new Error("its stop waits no longer");
      await clock.sleep(NAMED_AGAIN_MS, signal);
    }
  };

  return {
    atOnce: MOST_AT_ONCE,
    due: (draft, context) => {
      for (const [id, over] of running)
        if (!isRunningHook(draft.deployments.ever(id), clock.self))
          over.abort(new Error("its stop waits no longer"));
      return toSave(draft)
        .filter(({ row }) => mayBegin(row, clock.self, context))
        .map((of) => ({ id: of.row.id, ask: (signal) => save(of, signal) }));
    },
    store: (draft, answered, context) => {
      for (const { id, answer } of answered)
        endHook(draft, id, clock.self, answer.kind === "good" ? undefined : answer.why, context);
    },
  };
}

function toSave(draft: Draft): readonly ToSave[] {
  return [...draft.deployments.of("stop", "asked")].flatMap((row) => {
    const { kind, name } = row.owner === null ? { kind: "nobody", name: "" } : ownerParts(row.owner);
    const fleet = kind === "fleet" ? draft.fleets.get(name) : undefined;
    if (!fleet) return [];
    const { beforeStop, ready } = parseWish(fleet.wish);
    return beforeStop
      ? [{ fleet: name, source: fleet.source, row, beforeStop, readyAddress: ready?.address }]
      : [];
  });
}

/** What runs before the stop of a machine, whose hook has begun. Throws if its address is not there. */
export function commandBefore(
  row: DeploymentRow,
  hook: StopHookRow,
  { command, address }: { readonly command: readonly string[]; readonly address?: string | undefined },
  now: Instant,
): MachineCommand {
  const more = {
    FLEETKEEPER_WHY: (row.stop?.why ?? "").replaceAll("\0", ""),
    FLEETKEEPER_UNTIL: new Date(hookUntil(hook)).toISOString(),
  };
  return { command, ...hostOf(row, address), timeoutMs: hookLeft(hook, now), more, keeps: "end" };
}

function hostOf(row: DeploymentRow, detail: string | undefined): { readonly host?: string } {
  if (detail === undefined) return {};
  const address = addressOf(row, detail);
  if ("problem" in address) throw new Error(address.problem);
  return address;
}
