import { ZERO_USD } from "../service/contract/money.ts";
import { beginUse, endUse, refund, reserve, settle, unused } from "./billing.ts";
import { FAILURES, type Failure, failureOf } from "./failures.ts";
import { beforeRunning, enter, hasEnded, isInUse, type Machine, stateOf } from "./machine.ts";
import { cool, listingOf, takePlannedFailure } from "./market.ts";
import type { Prng } from "./prng.ts";
import type { World } from "./world.ts";

const STAGES = ["initializing", "provisioning", "connecting"] as const;
const AFTER = { initializing: "provisioning", provisioning: "connecting", connecting: "running" } as const;
const DAY_MS = 86_400_000;

/** A machine begins: the first hour is taken, and its way to running, or to its failure, is planned. */
export function begin(world: World, machine: Machine): void {
  enter(machine, "initializing", world.now);
  world.machines.push(machine);
  world.byId.set(machine.id, machine);
  listingOf(world.market, machine.combination).taken += 1;
  reserve(world, machine);
  const random = world.random.fork(`machine ${machine.number}`);
  const failing = chooseFailure(world, machine, random.fork("failure"));
  let at = world.now;
  for (const stage of STAGES) {
    const ms = draw(random, world.settings[`${stage}Seconds`]);
    if (failing?.during === stage) {
      world.timeline.plan(at + Math.floor(ms * random.next()), {
        kind: "fail",
        machine,
        failure: failing.failure,
      });
      return;
    }
    at += ms;
    world.timeline.plan(at, { kind: "stage", machine, to: AFTER[stage] });
  }
}

/** The next state on the way to running. Does nothing to a machine that failed or is stopping. */
export function proceed(world: World, machine: Machine, to: "provisioning" | "connecting" | "running"): void {
  if (!beforeRunning(stateOf(machine))) return;
  enter(machine, to, world.now);
  if (to !== "running") return;
  beginUse(world, machine);
  const { interruptionsPerDay } = world.settings;
  if (interruptionsPerDay === 0) return;
  const random = world.random.fork(`machine ${machine.number}`).fork("loss");
  world.timeline.plan(world.now + Math.ceil(random.exponential(DAY_MS / interruptionsPerDay)), {
    kind: "lost",
    machine,
  });
}

/** Fails a machine before it runs. The reserved hour is refunded in full (specification, section 3). */
export function fail(world: World, machine: Machine, failure: Failure): void {
  if (!beforeRunning(stateOf(machine))) return;
  machine.failure = failure;
  end(world, machine, "failed");
  refund(world, machine, machine.bill.reserved);
  if (world.settings.coolAfterFailure) {
    cool(world.market, machine.combination, world.now + world.settings.cooldownSeconds * 1000);
  }
}

/** Begins a stop. Gives false if there is nothing left to stop. */
export function stop(world: World, machine: Machine, reason: string, refundUnused: boolean): boolean {
  const state = stateOf(machine);
  if (state === "stopping" || hasEnded(state)) return false;
  const { terms } = machine.bill;
  if (isInUse(state) && !terms) endUse(world, machine, world.now);
  machine.bill.refundDue = terms
    ? ZERO_USD
    : beforeRunning(state)
      ? machine.bill.reserved
      : refundUnused
        ? unused(machine, world.now)
        : ZERO_USD;
  machine.stopReason = reason;
  world.lost.delete(machine);
  enter(machine, "stopping", world.now);
  const random = world.random.fork(`machine ${machine.number}`).fork("stop");
  world.timeline.plan(world.now + draw(random, world.settings.stoppingSeconds), { kind: "stopped", machine });
  return true;
}

export function finishStop(world: World, machine: Machine): void {
  end(world, machine, "stopped");
  refund(world, machine, machine.bill.refundDue);
  machine.bill.refundDue = ZERO_USD;
}

/** A machine that runs is halted, or one that is halted runs again. It is billed all the time. */
export function halt(world: World, machine: Machine, halted: boolean): void {
  const [from, to] = halted ? (["running", "halted"] as const) : (["halted", "running"] as const);
  if (stateOf(machine) === from) enter(machine, to, world.now);
}

/** The provider loses the machine. A running one shows it at the next health check; an earlier one fails. */
export function lose(world: World, machine: Machine): void {
  const state = stateOf(machine);
  if (beforeRunning(state)) fail(world, machine, failureOf());
  if (state !== "running" || machine.lostAt !== undefined) return;
  machine.lostAt = world.now;
  world.lost.add(machine);
  planHealthCheck(world, machine.combination.provider);
}

/** Plans the first check after now. Checks run at fixed times; one that runs right now has already looked. */
export function planHealthCheck(world: World, provider: string): void {
  const interval = world.settings.healthCheckSeconds * 1000;
  const done = Math.floor((world.now - world.startedAt) / interval);
  world.timeline.plan(world.startedAt + (done + 1) * interval, { kind: "healthCheck", provider });
}

/** During maintenance the provider's answers are not trusted (specification, section 3, rule 1). */
export function checkHealth(world: World, provider: string): void {
  if (world.market.maintenance.has(provider)) return;
  for (const machine of world.lost) {
    if (machine.combination.provider === provider) interrupt(world, machine);
  }
}

/** A GET by id asks the provider, which tells of a loss but in maintenance. */
export function askProvider(world: World, machine: Machine): void {
  const { maintenance } = world.market;
  if (world.lost.has(machine) && !maintenance.has(machine.combination.provider)) interrupt(world, machine);
}

/** The service notices the loss: the machine ends, and the time since its loss is refunded with the rest. */
export function interrupt(world: World, machine: Machine): void {
  if (stateOf(machine) !== "running") return;
  const { terms } = machine.bill;
  if (!terms) endUse(world, machine, machine.lostAt ?? world.now);
  machine.lostAt ??= world.now;
  machine.stopReason = "provider_interrupted";
  world.lost.delete(machine);
  end(world, machine, "interrupted");
  if (!terms) refund(world, machine, unused(machine, world.now));
}

function end(world: World, machine: Machine, state: "failed" | "interrupted" | "stopped"): void {
  enter(machine, state, world.now);
  listingOf(world.market, machine.combination).taken -= 1;
  settle(world, machine, state === "failed");
}

function chooseFailure(
  world: World,
  machine: Machine,
  random: Prng,
): { readonly failure: Failure; readonly during: (typeof STAGES)[number] } | undefined {
  const planned = takePlannedFailure(world.market, machine.combination);
  if (planned !== undefined) return planned;
  if (random.next() >= world.settings.failureRate) return undefined;
  return { failure: random.pick(FAILURES), during: random.pick(STAGES) };
}

function draw(random: Prng, [from, to]: readonly [number, number]): number {
  return random.integer(Math.round(from * 1000), Math.round(to * 1000));
}
