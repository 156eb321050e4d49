/** `fleetkeeper`: GPU deployments and fleets of them as resources of a Pulumi program. */
export type { DeploymentArgs } from "./deployment.ts";
export { Deployment } from "./deployment.ts";
export type { FleetArgs, FleetBudget, FleetCandidate, FleetDeployment, FleetSelect } from "./fleet.ts";
export { Fleet } from "./fleet.ts";
export type { JsonValue, Timeouts } from "./values.ts";
