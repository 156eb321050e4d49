import * as pulumi from "@pulumi/pulumi";
import { argumentsFor, checkStackSettings, hashOf, registered, withStackLabels } from "./arguments.ts";
import { type FleetkeeperResourceOptions, half, handedOn, labelOf, withoutHooks } from "./resource.ts";
import { FLEET_PROVIDER, WISH_PROVIDER } from "./serialized.ts";
import { FLEET_OUTPUTS, OWN_OF_FLEET, WISH_OUTPUTS } from "./stack/pair.ts";
import type { JsonValue, Timeouts } from "./values.ts";

/** An exact combination that may be launched. */
export interface FleetCandidate {
  readonly offer: pulumi.Input<string>;
  readonly provider: pulumi.Input<string>;
  readonly location: pulumi.Input<string>;
  /** GPUs in one machine of this offer. */
  readonly gpus: pulumi.Input<number>;
  /** An hour of one machine in the service's currency, an exact decimal such as "2.49"; needed where a budget is set. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
}

/** Which offers of the service may be launched. Needs offers in the profile. */
export interface FleetSelect {
  /** A model as the service calls it, or a list: any of them. */
  readonly gpuModel?: pulumi.Input<string> | pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /**
   * How much work one GPU of a model does, an exact decimal such as "1.4"; 1 where nothing is said. Prices are compared by work,
   * counts stay GPUs, and limits stay money.
   */
  readonly worth?: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>> | undefined;
  readonly providers?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  readonly locations?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** An hour of one GPU, in the service's currency, whatever it is worth. */
  readonly maxPricePerGpuHour?: pulumi.Input<string> | undefined;
  /** What is dear is taken only after GPUs were missing for so long. */
  readonly patience?: pulumi.Input<FleetPatience> | undefined;
}

/** What is taken once it was waited for something cheaper: one of the two beside `for`. */
export interface FleetPatience {
  /** How long GPUs have to be missing, such as `2h`. */
  readonly for: pulumi.Input<string>;
  /** An hour of one GPU, in the service's currency; more than `maxPricePerGpuHour` of the selector, which is paid at once. */
  readonly maxPricePerGpuHour?: pulumi.Input<string> | undefined;
  /** What costs so much more than half of the fleet's GPUs cost is left until then, such as `50%`. Not beside `services`. */
  readonly above?: pulumi.Input<string> | undefined;
}

/** GPUs more than are asked for. */
export interface FleetBuffer {
  readonly gpus: pulumi.Input<number>;
  /** An hour of one of them, in the service's currency: dearer ones are not launched. */
  readonly maxPricePerGpuHour: pulumi.Input<string>;
}

/** `atLeast`: services in which the fleet stands at least, such as 2: then none has more than half of its GPUs. */
export interface FleetSpread {
  readonly atLeast: pulumi.Input<number>;
}

/** `mostPerLocation`: the most GPUs of the fleet in one location of a provider. */
export type FleetPlacement = "any" | "same" | { readonly mostPerLocation: pulumi.Input<number> };

/** Exact decimals in the service's currency. Where one is set, a machine of unknown price is not launched. */
export interface FleetBudget {
  /** No launch spends the balance below this. */
  readonly floor?: pulumi.Input<string> | undefined;
  /** All machines of the fleet together, an hour. */
  readonly perHour?: pulumi.Input<string> | undefined;
  /** One GPU, an hour: nothing dearer is launched. */
  readonly perGpuHour?: pulumi.Input<string> | undefined;
  /** What the fleet pays on one day of UTC. No launch goes above it; what runs goes on. */
  readonly perDay?: pulumi.Input<string> | undefined;
  /**
   * What this fleet pays in one life: from its first `pulumi up` until `pulumi destroy`. It is drained before it pays for an hour
   * that goes above this. What earlier lives, and other stacks' fleets of the same name, have paid does not count.
   */
  readonly total?: pulumi.Input<string> | undefined;
  /** Whose sum `total` is: `life` (default), or `name`: of all lives that this stack gave to the fleet's name. */
  readonly totalOf?: pulumi.Input<"life" | "name"> | undefined;
  /** What may be lost within 24 hours to machines that end in their first hour. Above it, launches wait. */
  readonly churn?: pulumi.Input<string> | undefined;
}

/**
 * When a running machine counts as ready. After each tick the agent checks it: by `tcp`, a connection to this
 * port is accepted; by `http`, a GET there is answered with 2xx.
 */
export interface FleetReady {
  /** The wire profile's connection detail with the machine's address; not a secret one. */
  readonly address: pulumi.Input<string>;
  readonly tcp?: pulumi.Input<number> | undefined;
  /** `path`: `/` by default. */
  readonly http?:
    | pulumi.Input<{ readonly port: pulumi.Input<number>; readonly path?: pulumi.Input<string> | undefined }>
    | undefined;
  /** A program of the agent's folder FLEETKEEPER_COMMANDS by its name, and its arguments: ready if it ends with 0. */
  readonly command?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** How long a machine may take to be ready before people are told. Default `10m`. */
  readonly within?: pulumi.Input<string> | undefined;
  /** Whether a machine that was never ready in that time is stopped and replaced. Default false. */
  readonly replace?: pulumi.Input<boolean> | undefined;
}

/**
 * Whether a machine that is ready is healthy. After each tick the agent asks it: by `tcp` and `http` as for `ready`; by `gpud`,
 * it is bad while gpud suggests a reboot or an inspection of the hardware.
 */
export interface FleetHealth {
  /** The wire profile's connection detail with the machine's address. Default: that of `ready`. */
  readonly address?: pulumi.Input<string> | undefined;
  readonly tcp?: pulumi.Input<number> | undefined;
  /** `path`: `/` by default. */
  readonly http?:
    | pulumi.Input<{ readonly port: pulumi.Input<number>; readonly path?: pulumi.Input<string> | undefined }>
    | undefined;
  /** The port of gpud, which is 15132 by its default. */
  readonly gpud?: pulumi.Input<number> | undefined;
  /** A program of the agent's folder FLEETKEEPER_COMMANDS by its name, and its arguments: good if it ends with 0, bad with 1. */
  readonly command?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** How long a machine must be bad before anything follows. Default `10m`. */
  readonly bad?: pulumi.Input<string> | undefined;
  /** What follows: people are told (`tell`, the default), or the machine is stopped and replaced, too (`replace`). */
  readonly then?: pulumi.Input<"tell" | "replace"> | undefined;
}

/** Where an exporter on each machine shows the use of its GPUs. */
export interface FleetGpuUse {
  /** Default 15132 for gpud, 9400 for the DCGM exporter. */
  readonly port?: pulumi.Input<number> | undefined;
  /** A machine is idle while each of its GPUs is used to less than this percentage. */
  readonly below: pulumi.Input<number>;
}

/** When a machine is idle, and what follows. The agent asks each machine once a minute; all ways have to say so. */
export interface FleetIdle {
  /** The wire profile's connection detail with the machine's address. Default: that of `ready`. */
  readonly address?: pulumi.Input<string> | undefined;
  readonly gpud?: pulumi.Input<FleetGpuUse> | undefined;
  /** NVIDIA's DCGM exporter. */
  readonly dcgm?: pulumi.Input<FleetGpuUse> | undefined;
  /** A program of the agent's folder FLEETKEEPER_COMMANDS by its name, and its arguments: idle if it ends with 0, busy with 1. */
  readonly command?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** How long it has to be idle without a break, such as `30m`. */
  readonly for: pulumi.Input<string>;
  /**
   * `tell` (default); `stop`: the machine is given back, and the count is lowered by it; `drain`: all machines are,
   * once all of them are idle.
   */
  readonly then?: pulumi.Input<"tell" | "stop" | "drain"> | undefined;
  /** With `stop`, so many GPUs stay, idle or not. Default 1. */
  readonly keep?: pulumi.Input<number> | undefined;
}

/** The bounds of a count that a schedule, a metric or a person may change. */
export interface FleetRange {
  /** Never fewer, whatever was given back. */
  readonly min: pulumi.Input<number>;
  /** Never more, whoever asks. */
  readonly max: pulumi.Input<number>;
}

/**
 * A number that says how many GPUs are wanted: one of `prometheus`, `http` and `command`. What is no answer keeps the count. Until the
 * first answer `gpus` of the fleet counts.
 */
export interface FleetMetric {
  /** A query to Prometheus' HTTP API that has one number as its answer. */
  readonly prometheus?: pulumi.Input<FleetMetricPrometheus> | undefined;
  /** A GET whose JSON answer holds the number. */
  readonly http?: pulumi.Input<FleetMetricHttp> | undefined;
  /** A program of the agent's folder FLEETKEEPER_COMMANDS by its name, and its arguments. It prints the number, and ends with 0. */
  readonly command?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** How much of it one GPU is for. Without it the number is the count. */
  readonly target?: pulumi.Input<number> | undefined;
  /** How often it is asked. Default `30s`. */
  readonly every?: pulumi.Input<string> | undefined;
  /** How it becomes more. Default: at once. */
  readonly up?: pulumi.Input<FleetMetricStep> | undefined;
  /** How it becomes less. Default: all at once, after less was asked for during `5m`. */
  readonly down?: pulumi.Input<FleetMetricStep> | undefined;
}

export interface FleetMetricPrometheus {
  readonly url: pulumi.Input<string>;
  /** PromQL with one series as its answer, such as `sum(queue_length)`. */
  readonly query: pulumi.Input<string>;
}

export interface FleetMetricHttp {
  readonly url: pulumi.Input<string>;
  /** The JSON Pointer of the number in the answer, such as `/queue/length`. */
  readonly pointer: pulumi.Input<string>;
}

export interface FleetMetricStep {
  /** So many GPUs a step at most. */
  readonly most?: pulumi.Input<number> | undefined;
  /** How long more, or less, has to be asked for without a break before a step, and between two. */
  readonly stabilization?: pulumi.Input<string> | undefined;
}

/** How many GPUs are wanted when. Where no window is open, `gpus` of the fleet counts. */
export interface FleetSchedule {
  /** Whose clocks the times are of: an IANA name such as `Europe/Berlin`. */
  readonly timeZone: pulumi.Input<string>;
  /** Of the windows that are open, the largest counts. */
  readonly entries: pulumi.Input<readonly pulumi.Input<FleetScheduleWindow>[]>;
}

/** `from` and `to`, or `cron` and `for`. A time is `08:00` for each day, `Mon-Fri 08:00`, `Sat,Sun 10:00`, or once: `2026-12-24 18:00`. */
export interface FleetScheduleWindow {
  readonly from?: pulumi.Input<string> | undefined;
  /** The window is open until this comes next. */
  readonly to?: pulumi.Input<string> | undefined;
  /** Five fields of cron, such as `0 8 * * 1-5`: the window opens then. */
  readonly cron?: pulumi.Input<string> | undefined;
  /** How long a window of `cron` is open, such as `12h`. */
  readonly for?: pulumi.Input<string> | undefined;
  /** How many GPUs are wanted meanwhile. */
  readonly gpus: pulumi.Input<number>;
}

/** It waits where GPUs are dear, and goes on at once where the time gets short. */
export interface FleetWork {
  /** Hours of one GPU, of machines that run. */
  readonly gpuHours: pulumi.Input<number>;
  /** When they have to be done, such as "2026-12-04T18:00:00Z". From then on no GPUs are wanted. */
  readonly by: pulumi.Input<string>;
}

/** When machines are replaced by cheaper ones. New ones come first as far as `surge` allows. */
export interface FleetImprove {
  /** What a move has to save: a share of what the machines cost that it leaves, such as `20%`, or an amount an hour. */
  readonly saves: pulumi.Input<string | number>;
  /** So many moves begin within `per`. Default 1. */
  readonly most?: pulumi.Input<number> | undefined;
  /** Default `1h`. */
  readonly per?: pulumi.Input<string> | undefined;
  /** How much work a machine loses that is replaced: it counts as a cost of the move. Default `15m`. */
  readonly restart?: pulumi.Input<string> | undefined;
  /** Moves begin only then. Default: at any time. */
  readonly within?: pulumi.Input<FleetImproveWithin> | undefined;
}

/** Windows of time, by the clock of a zone. */
export interface FleetImproveWithin {
  /** An IANA time zone, such as `Europe/Berlin`. */
  readonly timeZone: pulumi.Input<string>;
  readonly entries: pulumi.Input<readonly pulumi.Input<FleetImproveWindow>[]>;
}

/** It is open from a moment of `from` to the next one of `to`. */
export interface FleetImproveWindow {
  /** Such as `08:00`, `Mon-Fri 08:00`, or once: `2026-12-24 18:00`. */
  readonly from: pulumi.Input<string>;
  readonly to: pulumi.Input<string>;
}

/** How machines of an older wish are replaced. New ones come first as far as `surge` allows. */
export interface FleetUpdate {
  /** So many machines are replaced at one time. Default 1. */
  readonly most?: pulumi.Input<number> | undefined;
  /**
   * In this time a new machine has to run, be set up and be ready. Default `20m`, and what `setup` and `ready` may
   * take.
   */
  readonly within?: pulumi.Input<string> | undefined;
  /** Whether nothing more is replaced where one was not, until another up, or `fleetkeeper resume`. Default true. */
  readonly pauseOnFailure?: pulumi.Input<boolean> | undefined;
  /** `now` (default), or `paidEnd`: a machine is replaced at the end of the time that is paid for. */
  readonly when?: pulumi.Input<"now" | "paidEnd"> | undefined;
}

/** What is run once for each machine that runs. It is ready only after that. */
export interface FleetSetup {
  /** A program of the agent's folder FLEETKEEPER_COMMANDS by its name, and its arguments. It ends with 0. */
  readonly command: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** The wire profile's connection detail to wait for. Default: that of `ready`. */
  readonly address?: pulumi.Input<string> | undefined;
  /** How long one try may take. Default `15m`. */
  readonly within?: pulumi.Input<string> | undefined;
  /** How often it is tried again after a try that failed. Default 3. */
  readonly retries?: pulumi.Input<number> | undefined;
}

/** What is run before a running machine is stopped by our choice. However it ends, the machine is stopped then. */
export interface FleetBeforeStop {
  /** A program of the agent's folder FLEETKEEPER_COMMANDS by its name, and its arguments. */
  readonly command: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** The wire profile's connection detail that FLEETKEEPER_ADDRESS is taken from. Default: that of `ready`. */
  readonly address?: pulumi.Input<string> | undefined;
  /** How long a stop waits for it at most. Default `10m`. */
  readonly within?: pulumi.Input<string> | undefined;
  /** Whether it may run a second time for the same stop, where the agent that ran it has died. Default false. */
  readonly again?: pulumi.Input<boolean> | undefined;
}

export interface FleetArgs {
  /** How many GPUs to keep. With a `range`: where no window, no metric and no person asks. With `work`: the most at a time. */
  readonly gpus: pulumi.Input<number>;
  /** The bounds of the count, where a `schedule`, a `metric` or a person (`fleetkeeper ask`) may ask for another than `gpus`. */
  readonly range?: pulumi.Input<FleetRange> | undefined;
  /** Other counts at other times. `pulumi up` waits for what is asked for then. */
  readonly schedule?: pulumi.Input<FleetSchedule> | undefined;
  /** A number that says how many GPUs are wanted. The agent reads it; `pulumi up` waits for what is asked for then. */
  readonly metric?: pulumi.Input<FleetMetric> | undefined;
  /** So many GPU-hours by a moment, for the least money. `pulumi up` waits for what is asked for then. */
  readonly work?: pulumi.Input<FleetWork> | undefined;
  /** Combinations that may be launched, the preferred first. Either this or `select`. */
  readonly candidates?: pulumi.Input<readonly pulumi.Input<FleetCandidate>[]> | undefined;
  /** A choice among the service's offers. Either this or `candidates`. */
  readonly select?: pulumi.Input<FleetSelect> | undefined;
  /**
   * Services among which it is kept, wherever it is cheapest: names of the fleet file whose agent keeps the stack's account,
   * or `all` of that file. The first part stays where it was declared first.
   */
  readonly services?: pulumi.Input<"all"> | pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** With `services`: no one of them has more than its part of the GPUs. */
  readonly spread?: pulumi.Input<FleetSpread> | undefined;
  /** Values for `{parameters.NAME}` in the profile's launch body. */
  readonly parameters?: pulumi.Input<Readonly<Record<string, pulumi.Input<JsonValue>>>> | undefined;
  /** GPUs above the count that are accepted where machines do not add up exactly. Default 0. */
  readonly overshoot?: pulumi.Input<number> | undefined;
  /** Further GPUs that may be paid for while machines stop, so that replacements need not wait. Default 0. */
  readonly surge?: pulumi.Input<number> | undefined;
  /** Where its machines may stand: `any`, `same` (one location of one provider), or spread. Default `any`. */
  readonly placement?: pulumi.Input<FleetPlacement> | undefined;
  /**
   * How much dearer a GPU may be elsewhere than in a place that lost machines in the last 5 minutes. Default `0%`, so only what
   * costs no more, and `10%` where one of them was in its first hour.
   */
  readonly avoid?: pulumi.Input<string> | undefined;
  /**
   * How much dearer than the cheapest a GPU may be in a combination that by the ledger surely loses fewer machines a day, such
   * as `10%`. Without it price alone decides.
   */
  readonly steadier?: pulumi.Input<string> | undefined;
  /**
   * Nothing is launched before all of the fleet can be had. If it does not run as a whole within this time
   * (`20m`, `2h`) from the first launch, its machines are stopped.
   */
  readonly allOrNothing?: pulumi.Input<{ readonly within: pulumi.Input<string> }> | undefined;
  /**
   * Any value, such as a list of Outputs. Another value replaces all machines of the fleet, one after the
   * other. Only a hash of it is kept.
   */
  readonly triggers?: unknown;
  readonly budget?: pulumi.Input<FleetBudget> | undefined;
  /** On whose behalf it spends, such as `{ team: "vision" }`. Other labels count for machines that are launched from then on. */
  readonly labels?: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>> | undefined;
  /**
   * A moment such as "2026-07-01T18:00:00Z". From then on the agent stops all machines of the fleet and
   * launches none. It changes in place; a later moment launches again.
   */
  readonly until?: pulumi.Input<string> | Date | undefined;
  /** What runs is kept; nothing is launched or stopped, but `until` still drains. Default false. */
  readonly paused?: pulumi.Input<boolean> | undefined;
  /** What the agent runs once for each machine that runs. */
  readonly setup?: pulumi.Input<FleetSetup> | undefined;
  /** What the agent runs before a machine is stopped by our choice, `pulumi destroy` among it. */
  readonly beforeStop?: pulumi.Input<FleetBeforeStop> | undefined;
  /** When a machine is ready for use. `pulumi up` does not wait for that. */
  readonly ready?: pulumi.Input<FleetReady> | undefined;
  /** Whether a machine that is ready is healthy, and what follows where it is not. */
  readonly health?: pulumi.Input<FleetHealth> | undefined;
  /** When machines are replaced by cheaper ones. Without it they stay where they are. */
  readonly improve?: pulumi.Input<FleetImprove> | undefined;
  /**
   * Replaces what was launched for other `parameters`, `candidates` or `select`. Without it these count for new launches
   * only.
   */
  readonly update?: pulumi.Input<FleetUpdate> | undefined;
  /** A machine that is older (`7d`, `36h`) is replaced, one at a time, at the end of its paid hour. */
  readonly maxAge?: pulumi.Input<string> | undefined;
  /** So long (`12h`) after all of its GPUs ran for the first time the fleet is drained, as at its `until`. */
  readonly life?: pulumi.Input<string> | undefined;
  /**
   * GPUs more than are asked for, while one costs at most so much an hour: one takes the place of what is lost at once. Without it there are
   * none.
   */
  readonly buffer?: pulumi.Input<FleetBuffer> | undefined;
  /**
   * What only machines of another size can fill waits so long for the right one, such as `20m`: then `overshoot` counts, and small
   * machines make room for a large one within `surge`. Without it `overshoot` counts at once.
   */
  readonly otherSizes?: pulumi.Input<{ readonly after: pulumi.Input<string> }> | undefined;
  /** When a machine is idle, and what follows. */
  readonly idle?: pulumi.Input<FleetIdle> | undefined;
  /**
   * On a shared account with machines that were there before: wait until they are adopted or disowned
   * (default), or go ahead. On an exclusive account the machines that fit are adopted in both cases.
   */
  readonly match?: pulumi.Input<"wait" | "none"> | undefined;
  /** Its name in the ledger. Default: the resource's name. Another value renames it; its machines stay. */
  readonly name?: pulumi.Input<string> | undefined;
  /** Whether `pulumi up` waits until the wanted GPUs run, ready or not. Default true. */
  readonly awaitReady?: pulumi.Input<boolean> | undefined;
  /** What `pulumi up` does if no agent runs: fail (default), or do the agent's work itself, once. */
  readonly reconcile?: pulumi.Input<"agent" | "inline"> | undefined;
  readonly timeouts?: pulumi.Input<Timeouts> | undefined;
}

/** One machine of a fleet. What the service does not show is absent. */
export interface FleetDeployment {
  readonly id: string;
  readonly status: string;
  readonly offer?: string;
  readonly provider?: string;
  readonly location?: string;
  readonly gpus?: number;
  /** An hour's price, in the service's currency. */
  readonly pricePerHour?: string;
  /** Of a fleet in several services: what the agent's fleet file calls this one. */
  readonly service?: string;
}

/**
 * A number of GPUs that `fleetkeeper agent` keeps running. It replaces machines that fail or are interrupted,
 * chooses among combinations, skips those that are cooling down, and stays within the budget.
 *
 * `pulumi up` writes the wish to the ledger and waits until the agent has met it. `pulumi destroy` waits
 * until none of its machines is alive. Without an agent, `reconcile: "inline"` lets `pulumi up` do it once.
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
  /** An hour of every machine alive, an exact decimal in the service's currency. Undefined if one price is unknown. */
  readonly pricePerHour: pulumi.Output<string | undefined>;
  /** Why GPUs are missing, if some are. */
  readonly reasons: pulumi.Output<readonly string[]>;

  constructor(name: string, args: FleetArgs, opts: FleetkeeperResourceOptions = {}) {
    checkStackSettings(`Fleet ${name}`);
    const own = argumentsFor(`Fleet ${name}`, args, [...OWN_OF_FLEET, ...WISH_OUTPUTS]);
    const given = withStackLabels(`Fleet ${name}`, own);
    const triggers = hashOf(`Fleet ${name}`, given.triggers);
    super("fleetkeeper:index:Fleet", name, registered(given, triggers), withoutHooks(opts));
    const { name: fleetName = name, timeouts, triggers: _, ...wish } = given;
    const common = { label: labelOf(name), name: fleetName, timeouts };
    const options = handedOn(`Fleet ${name}`, opts);
    const above = { parent: this, ...options };
    const fleet = half("Fleet", FLEET_PROVIDER, name, common, FLEET_OUTPUTS, above);
    const source = pulumi.interpolate`stack:${fleet.id}`;
    const passed = { triggers, source, ledger: fleet.output("ledger") };
    const inputs = { ...common, ...wish, ...passed };
    const below = { parent: fleet, ...options };
    const declared = half("Wish", WISH_PROVIDER, name, inputs, WISH_OUTPUTS, below);
    this.runningGpus = declared.output("runningGpus");
    this.deployments = declared.output("deployments");
    this.pricePerHour = declared.output("pricePerHour");
    this.reasons = declared.output("reasons");
    this.registerOutputs({ runningGpus: this.runningGpus });
  }
}
