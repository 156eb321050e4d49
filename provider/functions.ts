import * as pulumi from "@pulumi/pulumi";
import type { PartialConfiguration } from "../account/index.ts";
import { tooOld } from "../ledger/node-version.ts";

/**
 * Functions that ask the service and change nothing. They run in the program's process, in previews too, with
 * the resources' configuration. Each call asks anew.
 */

/** The account that the key opens (specification, section 2). */
export interface AccountResult {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** The prepaid balance (specification, section 2). */
export interface BalanceResult {
  /** An exact decimal with 4 places. */
  readonly balance: string;
  /** `USD`, or what the profile says. */
  readonly currency: string;
}

/** What may be launched, as far as the profile maps it. */
export interface OfferResult {
  readonly offer: string;
  readonly provider: string;
  readonly location: string;
  readonly gpus: number;
  readonly gpuModel?: string;
  /** An hour of the whole machine, an exact decimal in the service's currency. */
  readonly pricePerHour?: string;
  /** Undefined where the profile maps no availability. */
  readonly available?: boolean;
  /** How many machines can be had now, where the service says a number. */
  readonly stock?: number;
}

/** One deployment. What the service does not show, or the profile does not map, is absent. */
export interface DeploymentResult {
  readonly id: string;
  readonly status: string;
  readonly failureCode?: string;
  readonly stopReason?: string;
  readonly failureReason?: string;
  readonly suggestedAction?: string;
  readonly offer?: string;
  readonly provider?: string;
  readonly location?: string;
  readonly createdAt?: string;
  /** An hour's price in the service's currency, an exact decimal. */
  readonly pricePerHour?: string;
  readonly gpus?: number;
  /** Without the details that the profile calls secret: `Deployment.get` has them, as secrets. */
  readonly connection?: Readonly<Record<string, string>>;
}

/** Values that replace the stack's configuration for one call. */
export interface LookupOptions {
  readonly baseUrl?: string | undefined;
  /** Another key than the stack's. */
  readonly apiKey?: string | undefined;
  /** Path of the wire profile. */
  readonly profile?: string | undefined;
  /** For the profile's `{settings.NAME}`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

export interface LookupOutputOptions extends LookupOptions {
  /** Asks only once these exist: Deployments, Fleets, or resources that are no components. */
  readonly dependsOn?:
    | pulumi.Input<pulumi.Input<pulumi.Resource>[]>
    | pulumi.Input<pulumi.Resource>
    | undefined;
}

/**
 * The account that the key opens.
 *
 * @throws FleetkeeperError if the service cannot be asked, as every function here.
 */
export async function getAccount(opts: LookupOptions = {}): Promise<AccountResult> {
  const { id, email, display_name, created_at } = await (await lookups()).account(given(opts), process.env);
  return { id, email, displayName: display_name, createdAt: created_at };
}

export function getAccountOutput(opts: LookupOutputOptions = {}): pulumi.Output<AccountResult> {
  return after(opts, () => getAccount(opts));
}

/** What is left to spend. */
export async function getBalance(opts: LookupOptions = {}): Promise<BalanceResult> {
  return (await lookups()).balance(given(opts), process.env);
}

export function getBalanceOutput(opts: LookupOutputOptions = {}): pulumi.Output<BalanceResult> {
  return after(opts, () => getBalance(opts));
}

/** Every offer of the service. Needs offers in the profile. */
export async function getOffers(opts: LookupOptions = {}): Promise<readonly OfferResult[]> {
  return (await lookups()).offers(given(opts), process.env);
}

export function getOffersOutput(opts: LookupOutputOptions = {}): pulumi.Output<readonly OfferResult[]> {
  return after(opts, () => getOffers(opts)) as pulumi.Output<readonly OfferResult[]>;
}

/** One deployment of the account by its id, whatever its status. Needs deployments.get in the profile. */
export async function getDeployment(
  args: { readonly id: string },
  opts: LookupOptions = {},
): Promise<DeploymentResult> {
  const id: unknown = (args as typeof args | undefined)?.id;
  if (typeof id !== "string" || id === "")
    throw new pulumi.RunError("getDeployment: expected { id: ... } with the id of a deployment.");
  return (await lookups()).deployment(id, given(opts), process.env);
}

export function getDeploymentOutput(
  args: { readonly id: pulumi.Input<string> },
  opts: LookupOutputOptions = {},
): pulumi.Output<DeploymentResult> {
  return after(opts, (id) => getDeployment({ id }, opts), args.id);
}

/** Every deployment of the account, whatever its status: failed and interrupted ones too. */
export async function getDeployments(opts: LookupOptions = {}): Promise<readonly DeploymentResult[]> {
  return (await lookups()).deployments(given(opts), process.env);
}

export function getDeploymentsOutput(
  opts: LookupOutputOptions = {},
): pulumi.Output<readonly DeploymentResult[]> {
  return after(opts, () => getDeployments(opts)) as pulumi.Output<readonly DeploymentResult[]>;
}

/** Imported on the first call: most programs only declare resources, and an older Node cannot load it. */
async function lookups(): Promise<typeof import("./runtime/host/lookups.ts")> {
  const problem = tooOld();
  if (problem !== undefined) throw new pulumi.RunError(problem);
  return import("./runtime/host/lookups.ts");
}

/** The call's values come first, then the stack's configuration. The environment comes after both. */
function given({ baseUrl, apiKey, profile, settings }: LookupOptions): PartialConfiguration {
  const config = new pulumi.Config("fleetkeeper");
  // What a call says of a service goes before the stack's agent.
  const isOther = [baseUrl, apiKey, profile, settings].some((each) => each !== undefined);
  return {
    agent: isOther ? undefined : config.get("agent"),
    token: isOther ? undefined : config.get("token"),
    baseUrl: baseUrl ?? config.get("baseUrl"),
    apiKey: apiKey ?? config.get("apiKey"),
    profile: profile ?? config.get("profile"),
    settings: settings ?? config.get("settings"),
  };
}

/** Asks once the input is known and the dependencies exist. In a preview that may be never. */
function after<T>(
  { dependsOn }: LookupOutputOptions,
  ask: (input: string) => Promise<T>,
  input: pulumi.Input<string> = "",
): pulumi.Output<T> {
  const there = pulumi.output(dependsOn).apply((on) => pulumi.all([on].flat().map(proofOf)));
  return pulumi.all([pulumi.output(input), there]).apply(([known]) => ask(known)) as pulumi.Output<T>;
}

/**
 * An output that is known only once the resource exists. A component itself counts as made once it is
 * declared, so for a Deployment or a Fleet an output of its children is awaited.
 * @internal Exported for its test.
 */
export function proofOf(resource: unknown): pulumi.Output<unknown> {
  if (resource === undefined) return pulumi.output(undefined);
  const { id, deploymentId, runningGpus } = resource as Readonly<Record<string, unknown>>;
  const proof = id ?? deploymentId ?? runningGpus;
  if (proof !== undefined) return pulumi.output(proof);
  throw new pulumi.RunError(
    "dependsOn takes a Deployment, a Fleet, or resources that are no components: when another component is done cannot " +
      "be told. Name the resources in it, or take an output of it as an input.",
  );
}
