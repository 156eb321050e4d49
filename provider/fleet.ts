import * as pulumi from "@pulumi/pulumi";
import { argumentsFor, hashOf } from "./arguments.ts";
import type { FleetkeeperResourceOptions } from "./resource.ts";
import { DynamicResource, handedOn, labelOf } from "./resource.ts";
import { FLEET_PROVIDER, WISH_PROVIDER } from "./serialized.ts";
import { checkStackSettings } from "./stack-settings.ts";
import type { JsonValue, Timeouts } from "./values.ts";

/** An exact combination that may be launched. */
export interface FleetCandidate {
  readonly offer: pulumi.Input<string>;
  readonly provider: pulumi.Input<string>;
  readonly location: pulumi.Input<string>;
  /** GPUs in one machine of this offer. */
  readonly gpus: pulumi.Input<number>;
  /** USD an hour for one machine, an exact decimal such as "2.49"; needed where a budget is set. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
}

/** Which offers of the service may be launched. Needs offers in the profile. */
export interface FleetSelect {
  readonly gpuModel?: pulumi.Input<string> | undefined;
  readonly providers?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  readonly locations?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** USD an hour for one GPU. */
  readonly maxPricePerGpuHour?: pulumi.Input<string> | undefined;
}

/** `mostPerLocation`: so many GPUs of the fleet in one location of a provider at most. */
export type FleetPlacement = "any" | "same" | { readonly mostPerLocation: pulumi.Input<number> };

/** USD, exact decimals. Where one is set, a machine of unknown price is not launched. */
export interface FleetBudget {
  /** No launch spends the balance below this. */
  readonly floor?: pulumi.Input<string> | undefined;
  /** All machines of the fleet together, an hour. */
  readonly perHour?: pulumi.Input<string> | undefined;
  /** One GPU, an hour: nothing dearer is launched. */
  readonly perGpuHour?: pulumi.Input<string> | undefined;
  /** What the fleet pays for on one day of UTC: no launch goes above it, and what runs goes on. */
  readonly perDay?: pulumi.Input<string> | undefined;
  /** What the fleet ever pays for: it is drained before it pays for an hour that goes above it. */
  readonly total?: pulumi.Input<string> | undefined;
  /** What 24 hours may lose to machines that end within their first hour: then launches wait. */
  readonly churn?: pulumi.Input<string> | undefined;
}

/**
 * When a running machine can be used. The agent looks, after each tick: by `tcp`, once a connection to this port is taken, or by
 * `http`, once a GET there is answered with 2xx.
 */
export interface FleetReady {
  /** The connection detail of the wire profile that holds a machine's address; not one that is secret. */
  readonly address: pulumi.Input<string>;
  readonly tcp?: pulumi.Input<number> | undefined;
  /** `path`: `/` by default. */
  readonly http?:
    | pulumi.Input<{ readonly port: pulumi.Input<number>; readonly path?: pulumi.Input<string> | undefined }>
    | undefined;
  /** How long that may take before people are told. Default `10m`. */
  readonly within?: pulumi.Input<string> | undefined;
  /** Whether a machine that was never ready in that time is stopped and replaced. Default false. */
  readonly replace?: pulumi.Input<boolean> | undefined;
}

export interface FleetArgs {
  /** How many GPUs to keep. */
  readonly gpus: pulumi.Input<number>;
  /** Combinations that may be launched, the preferred first. Either this or `select`. */
  readonly candidates?: pulumi.Input<readonly pulumi.Input<FleetCandidate>[]> | undefined;
  /** A choice among the service's offers. Either this or `candidates`. */
  readonly select?: pulumi.Input<FleetSelect> | undefined;
  /** Values for `{parameters.NAME}` in the profile's launch body. */
  readonly parameters?: pulumi.Input<Readonly<Record<string, pulumi.Input<JsonValue>>>> | undefined;
  /** GPUs more than asked for that are acceptable where machines do not add up exactly. Default 0. */
  readonly overshoot?: pulumi.Input<number> | undefined;
  /** GPUs more than that which may be paid for while machines stop, so that replacements need not wait. Default 0. */
  readonly surge?: pulumi.Input<number> | undefined;
  /** Where its machines may stand: `any`, all in the `same` location of one provider, or spread. Default `any`. */
  readonly placement?: pulumi.Input<FleetPlacement> | undefined;
  /**
   * Nothing is launched before all of it can be had; what does not run as a whole within this time from the first launch
   * (`20m`, `2h`) is given back.
   */
  readonly allOrNothing?: pulumi.Input<{ readonly within: pulumi.Input<string> }> | undefined;
  /**
   * Any value, such as a list of Outputs. Another one has all machines of the fleet replaced, one after the other. Only a hash of it
   * is kept.
   */
  readonly triggers?: unknown;
  readonly budget?: pulumi.Input<FleetBudget> | undefined;
  /**
   * A moment such as "2026-07-01T18:00:00Z": from then on the agent stops all machines of the fleet, and launches none.
   * Changed in place; a later one launches again.
   */
  readonly until?: pulumi.Input<string> | Date | undefined;
  /** What runs is kept, and nothing is launched or stopped. A deadline still drains. Default false. */
  readonly paused?: pulumi.Input<boolean> | undefined;
  /** When a machine is ready for use. `pulumi up` does not wait for that. */
  readonly ready?: pulumi.Input<FleetReady> | undefined;
  /**
   * On a shared account: wait until machines that were there before are adopted or disowned (default), or go ahead. On an
   * exclusive one those that fit are taken all the same.
   */
  readonly match?: pulumi.Input<"wait" | "none"> | undefined;
  /** The fleet's name in the ledger, where it has one owner. Default: the resource's name. Another value renames it: its machines stay. */
  readonly name?: pulumi.Input<string> | undefined;
  /** Whether `pulumi up` waits until as many GPUs run as are asked for, ready or not. Default true. */
  readonly awaitReady?: pulumi.Input<boolean> | undefined;
  /** Who brings the fleet about where no agent lives: nobody, which is an error (default), or `pulumi up` itself, once. */
  readonly reconcile?: pulumi.Input<"agent" | "inline"> | undefined;
  readonly timeouts?: pulumi.Input<Timeouts> | undefined;
}

/** One machine of a fleet. What the service does not show is not there. */
export interface FleetDeployment {
  readonly id: string;
  readonly status: string;
  readonly offer?: string;
  readonly provider?: string;
  readonly location?: string;
  readonly gpus?: number;
  /** USD an hour. */
  readonly pricePerHour?: string;
}

/**
 * A number of GPUs that `fleetkeeper agent` keeps running: it replaces machines that fail or are interrupted, chooses
 * among combinations, skips those that are cooling down, and stays within the budget.
 *
 * `pulumi up` writes the wish to the ledger and waits until the agent has met it; `pulumi destroy` waits until nothing of the
 * fleet is alive. Without an agent, `reconcile: "inline"` lets `pulumi up` do its work, once.
 *
 * @example
 * import { Fleet } from "fleetkeeper";
 *
 * const training = new Fleet("training", {
 *   gpus: 8,
 *   select: { gpuModel: "h100-80gb", maxPricePerGpuHour: "2.60" },
 *   budget: { floor: "20.00", perHour: "25.00" },
 * });
 * export const runningGpus = training.runningGpus;
 */
export class Fleet extends pulumi.ComponentResource {
  /** GPUs that run, when the agent last looked. */
  readonly runningGpus: pulumi.Output<number>;
  readonly deployments: pulumi.Output<readonly FleetDeployment[]>;
  /** USD an hour of everything alive, an exact decimal; undefined if a price is not known. */
  readonly pricePerHour: pulumi.Output<string | undefined>;
  /** Why GPUs are missing, if some are. */
  readonly reasons: pulumi.Output<readonly string[]>;

  constructor(name: string, args: FleetArgs, opts: FleetkeeperResourceOptions = {}) {
    super("fleetkeeper:index:Fleet", name, {}, opts);
    checkStackSettings(`Fleet ${name}`);
    const {
      name: fleetName = name,
      timeouts,
      triggers,
      ...wish
    } = argumentsFor(`Fleet ${name}`, args, [...OWN, ...OUTPUTS]);
    const common = { label: labelOf(name), name: fleetName, timeouts };
    const options = handedOn(`Fleet ${name}`, opts);
    const fleet = new DynamicResource("Fleet", FLEET_PROVIDER, name, common, ["ledger"], {
      parent: this,
      ...options,
    });
    const source = pulumi.interpolate`stack:${fleet.id}`;
    const declared = new DynamicResource(
      "Wish",
      WISH_PROVIDER,
      name,
      {
        ...common,
        ...wish,
        triggers: hashOf(`Fleet ${name}`, triggers),
        source,
        ledger: fleet.output("ledger"),
      },
      OUTPUTS,
      { parent: fleet, ...options },
    );
    this.runningGpus = declared.output("runningGpus");
    this.deployments = declared.output("deployments");
    this.pricePerHour = declared.output("pricePerHour");
    this.reasons = declared.output("reasons");
    this.registerOutputs({ runningGpus: this.runningGpus });
  }
}

/** What the halves hand to each other. */
const OWN = ["label", "source", "ledger"] as const;

const OUTPUTS = ["runningGpus", "deployments", "pricePerHour", "reasons"] as const;
