import * as pulumi from "@pulumi/pulumi";
import {
  argumentsFor,
  checkStackSettings,
  hashOf,
  mistakeIn,
  registered,
  withStackLabels,
} from "./arguments.ts";
import {
  type DynamicResource,
  type FleetkeeperResourceOptions,
  half,
  handedOn,
  labelOf,
  withoutHooks,
} from "./resource.ts";
import { MACHINE_PROVIDER, SLOT_PROVIDER } from "./serialized.ts";
import {
  connectionOf,
  type Details,
  digestOf,
  halvesOfDeployment,
  MACHINE_OUTPUTS,
  OWN_OF_DEPLOYMENT,
  SLOT_OUTPUTS,
  shownPrice,
} from "./stack/pair.ts";
import type { JsonValue, Timeouts } from "./values.ts";

/** An exact combination that may be launched. */
export interface DeploymentCandidate {
  readonly offer: pulumi.Input<string>;
  readonly provider: pulumi.Input<string>;
  readonly location: pulumi.Input<string>;
  /** Default: that of the deployment. */
  readonly gpus?: pulumi.Input<number> | undefined;
  /** An hour's price in the service's currency, an exact decimal such as "2.49". Default: that of the deployment. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
}

/** Exact decimals in the service's currency. Where one is set, a machine of unknown price is not launched. */
export interface DeploymentBudget {
  /** No launch takes the balance below this. */
  readonly floor?: pulumi.Input<string> | undefined;
  /** A dearer machine is not launched. */
  readonly perHour?: pulumi.Input<string> | undefined;
}

/** When the machine counts as ready. Exactly one of `tcp`, `http` and `command`; an answer of "no" and none at all are not ready. */
export interface DeploymentReady {
  /** The wire profile's connection detail with the machine's address; not a secret one. */
  readonly address: pulumi.Input<string>;
  /** Ready once this port takes a connection. */
  readonly tcp?: pulumi.Input<number> | undefined;
  /** Ready once a GET there is answered with 2xx. `path`: `/` by default. */
  readonly http?:
    | pulumi.Input<{ readonly port: pulumi.Input<number>; readonly path?: pulumi.Input<string> | undefined }>
    | undefined;
  /**
   * Ready once this ends with 0. It runs where Pulumi runs, in the program's folder, without a shell; of a stack that an agent keeps, from its folder FLEETKEEPER_COMMANDS;
   * FLEETKEEPER_ADDRESS names the machine.
   */
  readonly command?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /** How long `pulumi up` waits for it once the machine runs. Default `10m`. */
  readonly within?: pulumi.Input<string> | undefined;
}

/** What runs before `destroy`, or a replacement, stops a running machine. However it ends, the machine is stopped then. */
export interface DeploymentBeforeStop {
  /** The wire profile's connection detail that FLEETKEEPER_ADDRESS is taken from; not a secret one. */
  readonly address?: pulumi.Input<string> | undefined;
  /**
   * What saves the machine's work. It runs where Pulumi runs, in the program's folder, without a shell; of a stack that an agent keeps, from its folder FLEETKEEPER_COMMANDS; FLEETKEEPER_WHY and
   * FLEETKEEPER_UNTIL say why the machine stops, and when at the latest.
   */
  readonly command: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** How long the stop waits for it at most, and never longer than the timeout of a delete. Default `10m`. */
  readonly within?: pulumi.Input<string> | undefined;
  /** Whether the next `destroy` runs it again, where Pulumi was killed while it ran. Default false. */
  readonly again?: pulumi.Input<boolean> | undefined;
}

export interface DeploymentArgs {
  /** What is rented, as the service names it; with provider and location. Another value: another machine. */
  readonly offer?: pulumi.Input<string> | undefined;
  /** Who rents it out. Another value makes another machine. */
  readonly provider?: pulumi.Input<string> | undefined;
  /** Where it stands. Another value makes another machine. */
  readonly location?: pulumi.Input<string> | undefined;
  /**
   * Several combinations, the preferred first. The next is launched where one cools down, is definitely
   * refused, or would break the budget. Another list makes another machine unless it has the running one.
   */
  readonly candidates?: pulumi.Input<readonly pulumi.Input<DeploymentCandidate>[]> | undefined;
  /** GPUs in the machine, where the service's offers do not show it: theirs counts. The service is not told. */
  readonly gpus?: pulumi.Input<number> | undefined;
  /** What the offer costs an hour in the service's currency, an exact decimal such as "2.49". The service is not told. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
  /** Values for `{parameters.NAME}` in the profile's launch body. Another value makes another machine. */
  readonly parameters?: pulumi.Input<Readonly<Record<string, pulumi.Input<JsonValue>>>> | undefined;
  /** Any value, such as a list of Outputs. Another value makes another machine. Only a hash of it is kept. */
  readonly triggers?: unknown;
  readonly budget?: pulumi.Input<DeploymentBudget> | undefined;
  /** On whose behalf it spends, such as `{ team: "vision" }`. Other labels count from the next machine on. */
  readonly labels?: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>> | undefined;
  /**
   * A moment such as "2026-07-01T18:00:00Z". From then on the machine is stopped and not replaced: by
   * `fleetkeeper agent`, or by the next `up` or `destroy` on the same ledger.
   */
  readonly until?: pulumi.Input<string> | Date | undefined;
  /**
   * The id of a deployment that runs already. It is adopted, and nothing is launched; later it is stopped and
   * replaced like a launched one. Has an effect only while there is no machine yet.
   */
  readonly adopt?: pulumi.Input<string> | undefined;
  /** When this resource is deleted or replaced: the machine is stopped (default), or disowned and runs on. */
  readonly onDelete?: pulumi.Input<"stop" | "abandon"> | undefined;
  /** What runs before this resource's delete or replacement stops the machine. Without it the machine is stopped at once. */
  readonly beforeStop?: pulumi.Input<DeploymentBeforeStop> | undefined;
  /** Whether `pulumi up` waits until the machine runs. Default true. */
  readonly awaitRunning?: pulumi.Input<boolean> | undefined;
  /** What the running machine is asked before `pulumi up` goes on. Without it nobody asks. */
  readonly ready?: pulumi.Input<DeploymentReady> | undefined;
  readonly timeouts?: pulumi.Input<Timeouts> | undefined;
}

/**
 * One rented GPU machine: a deployment of the service (specification, section 1).
 *
 * `pulumi up` launches it once. A launch whose answer was lost is looked for, never sent again. A cooldown is
 * waited for exactly as long as `Retry-After` says. After an interruption the next `pulumi up` goes on from
 * there. It replaces a machine that failed, was interrupted or stopped. `pulumi destroy` waits for the end.
 *
 * A launch reserves the first hour from the balance. If it fails after it was accepted, `pulumi up` fails
 * with the service's code, reason and suggested action; the first hour is refunded in full and
 * automatically (section 7).
 *
 * With `candidates` in place of offer, provider and location, the first one that can be had is launched.
 *
 * Needs the configuration `fleetkeeper:baseUrl`, `fleetkeeper:profile`, `fleetkeeper:apiKey` (secret) and,
 * where the profile maps no marker, `fleetkeeper:account` (`exclusive` or `shared`); or
 * `FLEETKEEPER_BASE_URL` and so on. Or `fleetkeeper:agent` and `fleetkeeper:token` (secret) alone, and an agent
 * keeps it, which has the rest.
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
  /** The service's identifier. Its support asks for it. */
  readonly deploymentId: pulumi.Output<string>;
  /** Newest known state: of the specification (section 3) or of the profile, or `stopped` or `gone`. */
  readonly status: pulumi.Output<string>;
  readonly offer: pulumi.Output<string>;
  readonly provider: pulumi.Output<string>;
  readonly location: pulumi.Output<string>;
  /** Why a launch failed, as a code (section 2). */
  readonly failureCode: pulumi.Output<string | undefined>;
  /** The failure in words, where the profile maps it. */
  readonly failureReason: pulumi.Output<string | undefined>;
  readonly suggestedAction: pulumi.Output<string | undefined>;
  /** Why it was stopped or interrupted (section 2). */
  readonly stopReason: pulumi.Output<string | undefined>;
  /** An hour's price in the service's currency, an exact decimal: as the service shows it where the profile maps it, else the argument. */
  readonly pricePerHour: pulumi.Output<string | undefined>;
  /** As the service writes it, where the profile maps it. */
  readonly createdAt: pulumi.Output<string | undefined>;
  /** Since when it is ready by its `ready`, such as "2026-07-01T18:00:00.000Z". Absent: it is not, or has no `ready`. */
  readonly readyAt: pulumi.Output<string | undefined>;
  /** Such as host, port and user, where mapped. Secret if the profile calls one of them secret. */
  readonly connection: pulumi.Output<Readonly<Record<string, string>> | undefined>;

  constructor(name: string, args: DeploymentArgs, opts: FleetkeeperResourceOptions = {}) {
    checkStackSettings(`Deployment ${name}`);
    const given =
      args instanceof Existing
        ? args
        : withStackLabels(
            `Deployment ${name}`,
            argumentsFor(`Deployment ${name}`, args, [...OWN_OF_DEPLOYMENT, ...MACHINE_OUTPUTS]),
          );
    const triggers = hashOf(`Deployment ${name}`, given.triggers);
    const inputs = given instanceof Existing ? {} : registered(given, triggers);
    super("fleetkeeper:index:Deployment", name, inputs, withoutHooks(opts));
    const machine =
      given instanceof Existing
        ? lookUp(this, name, given)
        : launchInto(this, name, { ...given, triggers }, opts);
    const taken = machine.output<Partial<Taken> | undefined>("taken");
    // A program that names one combination knows it in a preview, before anything is launched.
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
      .apply((prices) => shownPrice(...prices));
    this.createdAt = machine.output("createdAt");
    this.readyAt = machine.output("readyAt");
    this.connection = pulumi
      .all([
        machine.output<Details | undefined>("connection"),
        machine.output<Details | undefined>("secretConnection"),
      ])
      .apply(connectionOf);
    this.registerOutputs({ deploymentId: this.deploymentId, status: this.status });
  }

  /**
   * The outputs of a deployment that exists, whoever launched it. It is not managed: nothing here stops,
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

type Taken = Readonly<Record<"offer" | "provider" | "location", string>>;

/** Takes the place of the arguments for a deployment that is only looked up. */
class Existing implements DeploymentArgs {
  readonly id: pulumi.Input<pulumi.ID>;
  readonly offer?: undefined;
  readonly provider?: undefined;
  readonly location?: undefined;
  readonly pricePerHour?: undefined;
  readonly triggers?: undefined;

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
  const options = handedOn(`Deployment ${name}`, opts);
  // Unknown arguments go along: the slot's check runs first and names them.
  const halves = halvesOfDeployment({ ...args, label: labelOf(name) });
  const slot = half("Slot", SLOT_PROVIDER, name, halves.slot, SLOT_OUTPUTS, { parent, ...options });
  // As one property: for each that comes from the slot, the state names the slot once more.
  const within = { id: slot.id, ledger: slot.output("ledger"), resource: parent.urn.apply(digestOf) };
  const inSlot = { ...halves.machine, slot: within };
  const below = { parent: slot, ...options };
  return half("Machine", MACHINE_PROVIDER, name, inSlot, MACHINE_OUTPUTS, below);
}

function lookUp(parent: Deployment, name: string, { id }: Existing): DynamicResource {
  const inputs = { label: labelOf(name) };
  return half("Machine", MACHINE_PROVIDER, name, inputs, MACHINE_OUTPUTS, { parent, id });
}
