import type { Combination } from "../service/contract/contract.ts";
import { type AccountInput, type AccountState, usd } from "./account.ts";
import { adjust, float } from "./billing.ts";
import { type Failure, failureOf } from "./failures.ts";
import type { Faults } from "./faults.ts";
import { halt, interrupt, lose, planHealthCheck } from "./lifecycle.ts";
import { hasEnded, type Machine, stateOf } from "./machine.ts";
import { cool, listingOf, type Place, type PlannedFailure, within } from "./market.ts";
import type { Model } from "./model.ts";

export type Control = ReturnType<typeof createControl>;

/**
 * What chance and people in the dashboard do to the service. Everything takes effect at the present time. An
 * account is named by its e-mail address; without one it is the first account.
 */
export function createControl(model: Model, faults: Faults) {
  const { world } = model;

  function account(email: string | undefined): AccountState {
    const accounts = [...world.accounts.values()];
    const found = email === undefined ? accounts[0] : accounts.find((one) => one.email === email);
    if (found === undefined) throw new RangeError(`no such account: ${email}`);
    return found;
  }

  function machine(id: string): Machine {
    const found = world.byId.get(id);
    if (found === undefined) throw new RangeError(`no such deployment: ${id}`);
    return found;
  }

  function take(taken: Machine, now: boolean | undefined): void {
    if (now && stateOf(taken) === "running") interrupt(world, taken);
    else lose(world, taken);
  }

  function launchByHand(combination: Combination, by: AccountState): Machine {
    const launched = model.launch({ account: by, combination, origin: { by: "hand" } });
    if (!("message" in launched)) return launched;
    throw new Error(`the launch was refused (${launched.kind}): ${launched.message}`);
  }

  const control = {
    faults,
    /** A person launches in the dashboard. Gives the id. Throws if the service refuses. */
    launchByHand: (combination: Combination, options: { readonly account?: string } = {}): string =>
      launchByHand(combination, account(options.account)).id,
    /** A person stops a deployment in the dashboard. Throws if there is nothing to stop. */
    stopByHand(id: string): void {
      const owner = world.accounts.get(machine(id).account) as AccountState;
      const stopped = model.stop(owner, id);
      if ("message" in stopped) throw new Error(`the stop was refused (${stopped.kind}): ${stopped.message}`);
    },
    /**
     * The provider loses the machine. A running machine shows it at the next health check, or at once with
     * `now`. A machine that does not run yet fails.
     */
    interrupt: (id: string, options: { readonly now?: boolean } = {}): void => take(machine(id), options.now),
    /** Does the same to every machine within a place, such as a whole provider. Gives the ids. */
    loseMachinesIn(place: Place, options: { readonly now?: boolean } = {}): readonly string[] {
      const taken = world.machines.filter(
        (one) => within(one.combination, place) && ACTIVE.has(stateOf(one)) && one.lostAt === undefined,
      );
      for (const one of taken) take(one, options.now);
      return taken.map(({ id }) => id);
    },
    /** A running machine is halted: it serves nothing, and is billed on until it is stopped; or it runs again. */
    halt: (id: string, halted = true): void => halt(world, machine(id), halted),
    /** Lets a combination cool down for every account. */
    cooldown(combination: Combination, seconds = world.settings.cooldownSeconds): void {
      cool(world.market, listingOf(world.market, combination).combination, world.now + seconds * 1000);
    },
    /** The next launches within a place are accepted and then fail. */
    failNext(
      place: Place,
      failure?: Partial<Failure>,
      options: { readonly during?: PlannedFailure["during"]; readonly times?: number } = {},
    ): void {
      const { during = "provisioning", times = 1 } = options;
      world.market.planned.push({ place, failure: failureOf(failure), during, remaining: times });
    },
    /** Takes back the failures that `failNext` announced and that have not happened yet. */
    failNoMore(): void {
      world.market.planned.length = 0;
    },
    maintenance(provider: string, on: boolean): void {
      if (on) world.market.maintenance.add(provider);
      else if (world.market.maintenance.delete(provider)) planHealthCheck(world, provider);
    },
    /** USD, such as "12.50". */
    setBalance(balance: string, name?: string): void {
      const owner = account(name);
      adjust(world, owner, usd(balance).minus(model.balance(owner)));
    },
    addCredits: (amount: string, name?: string): void => adjust(world, account(name), usd(amount)),
    setCapacity(combination: Combination, capacity: number): void {
      listingOf(world.market, combination).capacity = capacity;
    },
    /** USD an hour, for launches from now on; where prices float, also for what lives. */
    setPrice(combination: Combination, pricePerHour: string): void {
      const listing = listingOf(world.market, combination);
      listing.pricePerHour = usd(pricePerHour).toFixed(4);
      if (world.settings.runningPrices === "asLaunched") return;
      for (const one of world.machines)
        if (one.combination === listing.combination && !hasEnded(stateOf(one)))
          float(world, one, usd(pricePerHour));
    },
    /** Lists leave the machine out, or show it again. */
    hide(id: string, hidden = true): void {
      machine(id).hidden = hidden;
    },
    /** Every answer leaves the machine out, though it runs on and costs; or shows it again. */
    forget(id: string, forgotten = true): void {
      machine(id).forgotten = forgotten;
    },
    /** Every answer shows the account without a single machine, as a retired endpoint does; or as it is again. */
    hideAccount(hidden = true, name?: string): void {
      account(name).hidden = hidden;
    },
    /** Every answer shows a running machine in this state. Without a state, it is shown as it is again. */
    showAs(id: string, state?: "failed" | "interrupted" | "stopped"): void {
      machine(id).shownAs = state;
    },
    /** The machine ends and is never shown again. A person launches another one, which gets its id. */
    giveAnew(id: string, combination: Combination): void {
      const before = machine(id);
      take(before, true);
      const fresh = launchByHand(combination, account(undefined));
      [before.id, fresh.id] = [fresh.id, before.id];
      for (const one of [before, fresh]) {
        one.views.length = 0;
        world.byId.set(one.id, one);
      }
      before.forgotten = true;
    },
    /** Adds an account to the same service. Gives its id. */
    addAccount: (input: AccountInput): string => model.addAccount(input).id,
  };
  return upToDate(control, model);
}

const ACTIVE: ReadonlySet<string> = new Set(["initializing", "provisioning", "connecting", "running"]);

/** Before a control changes the world, everything that is due happens. */
function upToDate<Control extends object>(control: Control, model: Model): Control {
  const entries = Object.entries(control).map(([name, value]) => [
    name,
    typeof value === "function"
      ? (...args: readonly unknown[]) => {
          model.advance();
          return (value as (...args: readonly unknown[]) => unknown)(...args);
        }
      : value,
  ]);
  return Object.freeze(Object.fromEntries(entries)) as Control;
}
