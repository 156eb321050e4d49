export type { AccountInput } from "./account.ts";
export { type CatalogueOffer, DEFAULT_OFFERS } from "./catalogue.ts";
export { aliveAt, type CensusOptions, type MachineFilter, peakAlive } from "./census.ts";
export { realClock, type SimulatorClock } from "./clock.ts";
export type { Control } from "./control.ts";
export type { Dialect } from "./dialect.ts";
export { DIALECT_NAMES, type DialectName, dialectProfile, dialectProfilePath } from "./dialect-files.ts";
export { FAILURES, type Failure } from "./failures.ts";
export type { Chance, Fault, FaultInput, Faults, Target } from "./faults.ts";
export type { LaunchEntry, LaunchOutcome } from "./journal.ts";
export type { HttpEndpoint } from "./server.ts";
export type { Settings, SettingsInput } from "./settings.ts";
export { type Simulation, type SimulationOptions, startSimulation } from "./simulation.ts";
export {
  createSimulator,
  DEFAULT_API_KEY,
  DEFAULT_BALANCE,
  SIMULATOR_URL,
  type Simulator,
  type SimulatorOptions,
} from "./simulator.ts";
export type { Statement, Truth, TruthAccount, TruthMachine } from "./truth.ts";
export { VirtualClock } from "./virtual-clock.ts";
