import * as pulumi from "@pulumi/pulumi";
import { DynamicResource, handedOn, labelOf } from "./resource.ts";
import { MACHINE_PROVIDER, SLOT_PROVIDER } from "./serialized.ts";
import type { JsonValue, Timeouts } from "./values.ts";

export interface DeploymentArgs {
  /** What is rented, as the service names it. Another value makes another machine. */
  readonly offer: pulumi.Input<string>;
  /** Who it is rented from. Another value makes another machine. */
  readonly provider: pulumi.Input<string>;
  /** Where it stands. Another value makes another machine. */
  readonly location: pulumi.Input<string>;
  /** GPUs in the machine, for the count of what runs; the service is not told. Default 1. */
  readonly gpus?: pulumi.Input<number> | undefined;
  /** USD an hour that the offer is known to cost, as an exact decimal such as "2.49"; the service is not told. */
  readonly pricePerHour?: pulumi.Input<string> | undefined;
  /** Values for `{parameters.NAME}` in the profile's launch body. Another value makes another machine. */
  readonly parameters?: pulumi.Input<Readonly<Record<string, pulumi.Input<JsonValue>>>> | undefined;
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
  /** Such as host, port and user, where the profile maps them. */
  readonly connection: pulumi.Output<Readonly<Record<string, string>> | undefined>;

  constructor(name: string, args: DeploymentArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetkeeper:index:Deployment", name, {}, opts);
    const { offer, provider, location, parameters, timeouts, ...rest } = args;
    const combination = { offer, provider, location, parameters, timeouts, label: labelOf(name) };
    const slot = new DynamicResource("Slot", SLOT_PROVIDER, name, combination, ["ledger"], {
      parent: this,
      ...handedOn(opts),
    });
    const machine = new DynamicResource(
      "Machine",
      MACHINE_PROVIDER,
      name,
      { ...combination, ...rest, slot: slot.id, ledger: slot.output("ledger") },
      OUTPUTS,
      { parent: slot, ...handedOn(opts) },
    );
    this.deploymentId = machine.output("deploymentId");
    this.status = machine.output("status");
    this.offer = machine.output("offer");
    this.provider = machine.output("provider");
    this.location = machine.output("location");
    this.failureCode = machine.output("failureCode");
    this.failureReason = machine.output("failureReason");
    this.suggestedAction = machine.output("suggestedAction");
    this.stopReason = machine.output("stopReason");
    this.pricePerHour = pulumi
      .all([machine.output<string | undefined>("actualPricePerHour"), pulumi.output(args.pricePerHour)])
      .apply(([actual, expected]) => actual ?? expected);
    this.createdAt = machine.output("createdAt");
    this.connection = machine.output("connection");
    this.registerOutputs({ deploymentId: this.deploymentId, status: this.status });
  }
}

const OUTPUTS = [
  "deploymentId",
  "status",
  "claim",
  "failureCode",
  "failureReason",
  "suggestedAction",
  "stopReason",
  "createdAt",
  "connection",
  "actualPricePerHour",
] as const;
