/** `fleetkeeper/launch`: opening an account, and the launch protocol. */
export * from "../launch/index.ts";
export type { Configuration, PartialConfiguration } from "./configuration.ts";
export { configure, defaultLedger, ENVIRONMENT } from "./configuration.ts";
export type { OpenKeeper, OpenService } from "./open.ts";
export { openKeeper, openService, sameAccount } from "./open.ts";
export { newId, openLedger, openLedgerIfThere } from "./open-ledger.ts";
