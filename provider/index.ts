/** `fleetkeeper`: GPU deployments and fleets of them as resources of a Pulumi program. */
export type { DeploymentArgs, DeploymentBudget, DeploymentCandidate } from "./deployment.ts";
export { Deployment } from "./deployment.ts";
export type {
  FleetArgs,
  FleetBeforeStop,
  FleetBudget,
  FleetBuffer,
  FleetCandidate,
  FleetDeployment,
  FleetGpuUse,
  FleetHealth,
  FleetIdle,
  FleetImprove,
  FleetImproveWindow,
  FleetImproveWithin,
  FleetMetric,
  FleetMetricHttp,
  FleetMetricPrometheus,
  FleetMetricStep,
  FleetPatience,
  FleetPlacement,
  FleetRange,
  FleetReady,
  FleetSchedule,
  FleetScheduleWindow,
  FleetSelect,
  FleetSetup,
  FleetUpdate,
  FleetWork,
} from "./fleet.ts";
export { Fleet } from "./fleet.ts";
export type {
  AccountResult,
  BalanceResult,
  DeploymentResult,
  LookupOptions,
  LookupOutputOptions,
  OfferResult,
} from "./functions.ts";
export {
  getAccount,
  getAccountOutput,
  getBalance,
  getBalanceOutput,
  getDeployment,
  getDeploymentOutput,
  getDeployments,
  getDeploymentsOutput,
  getOffers,
  getOffersOutput,
} from "./functions.ts";
export type { FleetkeeperResourceOptions } from "./resource.ts";
export type { JsonValue, Timeouts } from "./values.ts";
