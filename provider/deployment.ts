import * as pulumi from "@pulumi/pulumi";
import { argumentsFor, hashOf, mistakeIn } from "./arguments.ts";
import type { FleetkeeperResourceOptions } from "./resource.ts";
import { DynamicResource, handedOn, labelOf } from "./resource.ts";
import { MACHINE_PROVIDER, SLOT_PROVIDER } from "./serialized.ts";
import { checkStackSettings } from "./stack-settings.ts";
import type { JsonValue, Timeouts } from "./values.ts";

/** An exact combination that may be launched. */
export interface DeploymentCandidate {
  readonly offer: pulumi.Input<string>;
  readonly provider: pulumi.Input<string>;
  readonly location: pulumi.Input<string>;
  /** Default: that of the deployment. */
  readonly gpus?: pulumi.Input<number> | undefined;
  /** USD an hour, an exact decimal such as "2.49". Default: that of the deployment. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
}

/** USD, exact decimals. Where one is set, a machine of unknown price is not launched. */
export interface DeploymentBudget {
  /** No launch takes the balance below this. */
  readonly floor?: pulumi.Input<string> | undefined;
  /** A dearer machine is not launched. */
  readonly perHour?: pulumi.Input<string> | undefined;
}

export interface DeploymentArgs {
  /** What is rented, as the service names it. Another value makes another machine. Together with provider and location. */
  readonly offer?: pulumi.Input<string> | undefined;
  /** Who it is rented from. Another value makes another machine. */
  readonly provider?: pulumi.Input<string> | undefined;
  /** Where it stands. Another value makes another machine. */
  readonly location?: pulumi.Input<string> | undefined;
  /**
   * Instead of one combination: several, the preferred first. The next one is launched where one is cooling down, is
   * definitely refused, or would break the budget. Another list makes another machine only if the one that runs is not in it.
   */
  readonly candidates?: pulumi.Input<readonly pulumi.Input<DeploymentCandidate>[]> | undefined;
  /** GPUs in the machine, for the count of what runs; the service is not told. Default 1. */
  readonly gpus?: pulumi.Input<number> | undefined;
  /** USD an hour that the offer is known to cost, as an exact decimal such as "2.49"; the service is not told. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
  /** Values for `{parameters.NAME}` in the profile's launch body. Another value makes another machine. */
  readonly parameters?: pulumi.Input<Readonly<Record<string, pulumi.Input<JsonValue>>>> | undefined;
  /**
   * Any value, such as a list of Outputs. Another one makes another machine. Only a hash of it is kept.
   */
  readonly triggers?: unknown;
  readonly budget?: pulumi.Input<DeploymentBudget> | undefined;
  /**
   * A moment such as "2026-07-01T18:00:00Z" from which on the machine is stopped and not replaced: by `fleetkeeper agent`,
   * or by the next `up` or `destroy` on the same ledger.
   */
  readonly until?: pulumi.Input<string> | Date | undefined;
  /**
   * The id of a deployment that runs already: it is taken instead of launching one, and from then on it is stopped and
   * replaced as if it had been launched here. Taken only while there is no machine yet.
   */
  readonly adopt?: pulumi.Input<string> | undefined;
  /** What becomes of the machine when this resource is deleted or replaced: stopped (default), or left running as nobody's. */
  readonly onDelete?: pulumi.Input<"stop" | "abandon"> | undefined;
  /** Whether `pulumi up` waits until the machine runs. Default true. */
  readonly awaitRunning?: pulumi.Input<boolean> | undefined;
  readonly timeouts?: pulumi.Input<Timeouts> | undefined;
}

/**
 * One rented GPU machine: a deployment of the service (specification, section 1).
 *
 * `pulumi up` launches it once, whatever happens on the way: an answer that was lost is looked for and never sent again, a
 * combination that is cooling down is waited for exactly as long as `Retry-After` says, and an interrupted `pulumi up` goes on where
 * it was. A machine that failed, was interrupted or stopped is replaced by the next `pulumi up`. `pulumi destroy` is done
 * when the service shows the end.
 *
 * The first hour is reserved from the balance at launch. If the launch fails after it was accepted, `pulumi up` fails with the
 * service's code, reason and suggested action; the first hour is then refunded in full and automatically (section 7).
 *
 * Where `candidates` stand in the place of offer, provider and location, the first that can be had is taken.
 *
 * Needs the configuration `fleetkeeper:baseUrl`, `fleetkeeper:profile`, `fleetkeeper:apiKey` (secret) and, where the profile maps no
 * marker, `fleetkeeper:account` (`exclusive` or `shared`); or the same as `FLEETKEEPER_BASE_URL` and so on.
 *
 * @example
 * import { Deployment } from "fleetkeeper";
 *
 * const trainer = new Deployment("trainer", {
 *   offer: "h100-80gb-x1",
 *   provider: "aurora",
 *   location: "fi-hel",
 * });
 * export const deploymentId = trainer.deploymentId;
 */
export class Deployment extends pulumi.ComponentResource {
  /** The service's identifier: the one to name to its support. */
  readonly deploymentId: pulumi.Output<string>;
  /** The state it was last seen in: one of the specification's (section 3), the profile's, or `stopped` or `gone`. */
  readonly status: pulumi.Output<string>;
  readonly offer: pulumi.Output<string>;
  readonly provider: pulumi.Output<string>;
  readonly location: pulumi.Output<string>;
  /** Why a launch failed, as a code (section 2). */
  readonly failureCode: pulumi.Output<string | undefined>;
  /** The same for people, where the profile maps it. */
  readonly failureReason: pulumi.Output<string | undefined>;
  readonly suggestedAction: pulumi.Output<string | undefined>;
  /** Why it was stopped or interrupted (section 2). */
  readonly stopReason: pulumi.Output<string | undefined>;
  /** USD an hour, an exact decimal: what the service shows, where the profile maps it, or the argument. */
  readonly pricePerHour: pulumi.Output<string | undefined>;
  /** As the service writes it, where the profile maps it. */
  readonly createdAt: pulumi.Output<string | undefined>;
  /** Such as host, port and user, where the profile maps them. A secret output where the profile calls one of them secret. */
  readonly connection: pulumi.Output<Readonly<Record<string, string>> | undefined>;

  constructor(name: string, args: DeploymentArgs, opts: FleetkeeperResourceOptions = {}) {
    super("fleetkeeper:index:Deployment", name, {}, opts);
    checkStackSettings(`Deployment ${name}`);
    const given =
      args instanceof Existing ? args : argumentsFor(`Deployment ${name}`, args, [...OWN, ...OUTPUTS]);
    const machine =
      given instanceof Existing ? lookUp(this, name, given) : launchInto(this, name, given, opts);
    const taken = machine.output<Partial<Taken> | undefined>("taken");
    // Known in a preview, where the program names one combination.
    const part = (key: keyof Taken): pulumi.Output<string> =>
      (given[key] === undefined
        ? taken.apply((found) => found?.[key])
        : machine.output(key)) as pulumi.Output<string>;
    this.deploymentId = machine.output("deploymentId");
    this.status = machine.output("status");
    this.offer = part("offer");
    this.provider = part("provider");
    this.location = part("location");
    this.failureCode = machine.output("failureCode");
    this.failureReason = machine.output("failureReason");
    this.suggestedAction = machine.output("suggestedAction");
    this.stopReason = machine.output("stopReason");
    this.pricePerHour = pulumi
      .all([machine.output<string | undefined>("actualPricePerHour"), pulumi.output(given.pricePerHour)])
      .apply(([actual, expected]) => actual ?? expected);
    this.createdAt = machine.output("createdAt");
    this.connection = pulumi
      .all([
        machine.output<Details | undefined>("connection"),
        machine.output<Details | undefined>("secretConnection"),
      ])
      .apply((parts) => {
        const details: Details = Object.assign({}, ...parts);
        return Object.keys(details).length > 0 ? details : undefined;
      });
    this.registerOutputs({ deploymentId: this.deploymentId, status: this.status });
  }

  /**
   * A deployment that exists, whoever launched it: its outputs, and nothing else. It is not managed: nothing here stops,
   * replaces or claims it.
   *
   * @example
   * const theirs = Deployment.get("theirs", "0b6f5a4e-4f0e-4d0c-9a39-0f3b6f0e2a11");
   * export const status = theirs.status;
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.ComponentResourceOptions): Deployment {
    if (!id)
      throw mistakeIn(`Deployment ${name}`, "expected the id of a deployment: Deployment.get(name, id)");
    return new Deployment(name, new Existing(id), opts);
  }
}

type Details = Readonly<Record<string, string>>;

interface Taken {
  readonly offer: string;
  readonly provider: string;
  readonly location: string;
}

/** Stands in the place of arguments for a deployment that is only looked up. */
class Existing implements DeploymentArgs {
  readonly id: pulumi.Input<pulumi.ID>;
  readonly offer?: undefined;
  readonly provider?: undefined;
  readonly location?: undefined;
  readonly pricePerHour?: undefined;

  constructor(id: pulumi.Input<pulumi.ID>) {
    this.id = id;
  }
}

function launchInto(
  parent: Deployment,
  name: string,
  args: DeploymentArgs,
  opts: FleetkeeperResourceOptions,
): DynamicResource {
  const { gpus, pricePerHour, budget, until, adopt, awaitRunning, triggers, ...common } = {
    ...args,
    label: labelOf(name),
  };
  const options = handedOn(`Deployment ${name}`, opts);
  // With whatever else a program gave: the slot's check comes first, and names what it does not know.
  const slot = new DynamicResource(
    "Slot",
    SLOT_PROVIDER,
    name,
    { ...common, triggers: hashOf(`Deployment ${name}`, triggers) },
    ["ledger"],
    {
      parent,
      ...options,
    },
  );
  const rest = { gpus, pricePerHour, budget, until, adopt, awaitRunning };
  const inSlot = { ...common, ...rest, slot: slot.id, ledger: slot.output("ledger"), urn: parent.urn };
  return new DynamicResource("Machine", MACHINE_PROVIDER, name, inSlot, OUTPUTS, {
    parent: slot,
    ...options,
  });
}

function lookUp(parent: Deployment, name: string, { id }: Existing): DynamicResource {
  return new DynamicResource("Machine", MACHINE_PROVIDER, name, { label: labelOf(name) }, OUTPUTS, {
    parent,
    id,
  });
}

/** What the halves hand to each other. */
const OWN = ["label", "slot", "ledger"] as const;

const OUTPUTS = [
  "deploymentId",
  "status",
  "claim",
  "account",
  "failureCode",
  "failureReason",
  "suggestedAction",
  "stopReason",
  "createdAt",
  "connection",
  "secretConnection",
  "taken",
  "actualPricePerHour",
] as const;
