export type { Admission } from "./admit/admit.ts";
export { admit, stampForSend } from "./admit/admit.ts";
export { whyForgotten } from "./admit/forgotten-launch.ts";
export { planHolds, whyUnstated } from "./admit/holds.ts";
export type { LaunchWish } from "./admit/rule.ts";
export { ledgerOf } from "./claim/groups.ts";
export { whyRefusalsHold } from "./claim/refused.ts";
export { stopCallsText, stopRemedy, whyNotStopping } from "./ends/not-stopping.ts";
export { askStop, dueStops, hurryStop, mayStop, storeStop } from "./ends/stop.ts";
export type { Context, ProtocolSettings, WireFacts } from "./facts/context.ts";
export { DEFAULT_SETTINGS, knowledgeOf } from "./facts/context.ts";
export { coolingFor, pauseAfterCooldowns } from "./facts/cooling.ts";
export { isPastDeadline } from "./facts/deadline.ts";
export type { Hold, HoldKind } from "./facts/hold.ts";
export { holdText, kindOf } from "./facts/hold.ts";
export { labelsOfOwner } from "./facts/labels.ts";
export { machineHoldText } from "./facts/machine-hold.ts";
export type { Occupancy } from "./facts/occupancy.ts";
export { claimedBy, livingOf, occupancy, unaccounted, unresolvedOf } from "./facts/occupancy.ts";
export type { Keeper } from "./keeper.ts";
export { contextOf, look, takeBalance } from "./keeper.ts";
export type { FullList } from "./list/full-list.ts";
export { slowList } from "./list/slow-list.ts";
export { waking } from "./mark-wake.ts";
export type { SpendLimits } from "./money/budget.ts";
export { isReserving, overBudget, reserved } from "./money/budget.ts";
export { budgetsOver } from "./money/shared-budget.ts";
export { billsOf, countedBy } from "./money/spend.ts";
export type { LeftBehind, NewSlot } from "./people/left-behind.ts";
export { handOver, leftBehind, markHeld, markLeftBehind } from "./people/left-behind.ts";
export { adopt, disown, resume } from "./people/operator.ts";
export {
  enterSlot,
  SLOT_RULES,
  setDeadline,
  setLabels,
  slotMachine,
  toBeJudged,
  trimSlots,
} from "./people/slot.ts";
export type { LaunchResult } from "./protocol.ts";
export { carryOutStops, glance, launch, observe, takeList } from "./protocol.ts";
export type { Outcome } from "./resolve/answer.ts";
export { storeAnswer } from "./resolve/answer.ts";
export { unshownText } from "./resolve/doubted.ts";
export { storeLook } from "./resolve/missing.ts";
