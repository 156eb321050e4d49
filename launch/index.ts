export type { Admission } from "./admit.ts";
export { admit, stampForSend } from "./admit.ts";
export type { Outcome } from "./answer.ts";
export { recordAnswer } from "./answer.ts";
export type { SpendLimits } from "./budget.ts";
export { isReserving, reserved } from "./budget.ts";
export type { Configuration, PartialConfiguration } from "./configuration.ts";
export { configure, defaultLedger, ENVIRONMENT } from "./configuration.ts";
export type { Context, ProtocolSettings, WireFacts } from "./context.ts";
export { DEFAULT_SETTINGS, knowledgeOf } from "./context.ts";
export { coolingFor, pauseAfterCooldowns } from "./cooling.ts";
export { isPastDeadline } from "./deadline.ts";
export { whyForgotten } from "./forgotten.ts";
export type { FullList } from "./full-list.ts";
export { ledgerOf } from "./groups.ts";
export type { Hold, HoldKind } from "./hold.ts";
export { holdText, kindOf } from "./hold.ts";
export { planHolds, whyUnstated } from "./holds.ts";
export type { Keeper } from "./keeper.ts";
export { contextOf, look, takeBalance } from "./keeper.ts";
export { recordLook } from "./missing.ts";
export { neverShownText } from "./never-shown.ts";
export { stopCallsText, stopRemedy, whyNotStopping } from "./not-stopping.ts";
export type { Occupancy } from "./occupancy.ts";
export { claimedBy, livingOf, occupancy, unaccounted, unresolvedOf } from "./occupancy.ts";
export type { OpenKeeper, OpenService } from "./open.ts";
export { openKeeper, openService, sameAccount } from "./open.ts";
export { newId, openLedger, openLedgerIfThere } from "./open-ledger.ts";
export { adopt, disown, resume } from "./operator.ts";
export type { LaunchResult } from "./protocol.ts";
export { carryOutStops, glance, launch, observe, takeList } from "./protocol.ts";
export { whyRefusalsHold } from "./refused.ts";
export type { LaunchWish } from "./rule.ts";
export {
  enterSlot,
  SLOT_RULES,
  setDeadline,
  slotMachine,
  toBeJudged,
  trimSlots,
} from "./slot.ts";
export { slowList } from "./slow-list.ts";
export { billsOf, countedBy } from "./spend.ts";
export { askStop, dueStops, hurryStop, mayStop, recordStop } from "./stop.ts";
export type { Holding, NewSlot } from "./unheld.ts";
export { handOver, leftBehind, markHeld, markUnheld } from "./unheld.ts";
export { waking } from "./waking.ts";
