import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import { ownerParts, slotOwner } from "../../ledger/owner.ts";
import type { DeploymentRow, Labels, SlotRow } from "../../ledger/rows.ts";
import { whyForgotten } from "../admit/forgotten-launch.ts";
import type { Owned, Rule } from "../admit/rule.ts";
import { askStop, mayStop, takeBackStop } from "../ends/stop.ts";
import { askUnserving, isUnserving } from "../ends/unserving.ts";
import type { Context } from "../facts/context.ts";
import { isPastDeadline } from "../facts/deadline.ts";
import { type Hold, hold } from "../facts/hold.ts";
import { labelled } from "../facts/labels.ts";
import { machineHoldText } from "../facts/machine-hold.ts";
import { claimedBy, livingOf, occupancy, unaccounted } from "../facts/occupancy.ts";
import { isReused } from "../machine/reused.ts";
import { leave } from "./operator.ts";

/**
 * Makes the slot known before the first launch into it; the slot's own create touches no network. A slot that
 * a person named by its id alone is called by its id until its resource says its name.
 */
export function enterSlot(draft: Draft, id: string, name: string, context: Context): SlotRow {
  const known = draft.slots.get(id);
  // A caller that knows only the id passes it as the name. Another name means a renamed resource.
  if (known) return known.name !== name && name !== id ? draft.putSlot({ ...known, name }) : known;
  return draft.putSlot({ id, name, created: context.now, closing: false });
}

/** The rules of a slot, in the order in which they matter: see admit/holds.ts. */
export const SLOT_RULES: readonly Rule[] = [
  { from: "plan", to: "send", ask: whyClosing },
  { from: "plan", to: "send", ask: whyLate },
  // A machine that nobody knows the launch of may be this slot's.
  { from: "plan", to: "send", ask: (draft, _, context) => whyForgotten(draft, context) },
  { from: "admit", to: "admit", ask: whyFull },
];

function whyClosing(draft: Draft, { owner }: Owned): Hold | undefined {
  const { name: slot } = ownerParts(owner);
  return draft.slots.get(slot)?.closing ? hold("closing", { slot }) : undefined;
}

function whyLate(draft: Draft, { owner }: Owned, context: Context): Hold | undefined {
  const slot = draft.slots.get(ownerParts(owner).name);
  if (!slot || !isPastDeadline(slot, context)) return undefined;
  return hold("deadline", { until: new Date(slot.until ?? 0).toISOString().replace(".000Z", "Z") });
}

function whyFull(draft: Draft, { owner }: Owned, context: Context): Hold | undefined {
  const { machines, intents } = occupancy(draft, owner, context);
  if (machines[0]) return hold("filled", { id: machines[0].id });
  if (intents.length > 0) return hold("unresolved", {});
  return undefined;
}

/** The machine that fills the slot: the oldest living claim that is not to be stopped. */
export function slotMachine(draft: Draft, id: string): DeploymentRow | undefined {
  return livingOf(draft, slotOwner(id)).find((row) => row.stop === null);
}

/**
 * Sets the wall time in ms from which the slot is to be empty; null is never. A later deadline takes back
 * stops that only the old one asked for and nobody has begun: they would end a machine that is wanted again.
 */
export function setDeadline(draft: Draft, id: string, until: number | null, context: Context): void {
  const slot = draft.slots.get(id);
  if (!slot || (slot.until ?? null) === until) return;
  const moved = draft.putSlot({ ...slot, until });
  if (moved.closing || isPastDeadline(moved, context)) return;
  for (const row of claimedBy(draft, slotOwner(id))) takeBackStop(draft, row.id, context);
}

/** What is launched into the slot from now on is spent under these labels. */
export function setLabels(draft: Draft, id: string, labels: Labels): void {
  const slot = draft.slots.get(id);
  if (!slot || JSON.stringify(slot.labels ?? {}) === JSON.stringify(labels)) return;
  const { labels: _before, ...row } = slot;
  draft.putSlot({ ...row, ...labelled(labels) });
}

function deadlineText({ until }: SlotRow): string {
  return `its deadline, ${new Date(until ?? 0).toISOString()}, has passed`;
}

/**
 * Asks to stop what the slot has beyond one machine, or all of it if it is closing or past its deadline; and a machine
 * that bills and does not serve.
 */
export function trimSlots(draft: Draft, context: Context): void {
  for (const slot of draft.slots.values()) {
    if (slot.abandoned) {
      abandon(draft, slot, context);
      continue;
    }
    const late = !slot.closing && isPastDeadline(slot, context);
    const over = slot.closing ? "its resource is deleted" : late ? deadlineText(slot) : undefined;
    const keep = over === undefined ? slotMachine(draft, slot.id) : undefined;
    if (keep && isUnserving(draft, keep, context)) askUnserving(draft, keep, context, "for good");
    for (const row of livingOf(draft, slotOwner(slot.id))) {
      if (row.id === keep?.id || row.stop !== null || !mayStop(row)) continue;
      const held = machineHoldText(row, context.now);
      const why = over ?? `one too many: ${keep?.id} fills its place`;
      const said = held === undefined ? why : `${why}: that ends it, though it was ${held}`;
      askStop(draft, row.id, said, context, late ? "revocable" : "for good");
    }
  }
}

/**
 * Machines that bill and that a person must judge: those that nobody answers for, those that only seem to be
 * a slot's that has another or wants none, those of a slot in no stack's state, and those whose id shows
 * another machine. None is stopped by itself. Each is told until adopted, disowned, stopping or over.
 */
export function toBeJudged(draft: Draft, now: Instant): readonly DeploymentRow[] {
  const seeming = [...draft.slots.values()].flatMap((slot) => {
    const keep = slot.closing || isPastDeadline(slot, { now }) ? undefined : slotMachine(draft, slot.id);
    return livingOf(draft, slotOwner(slot.id)).filter(
      (row) => isLeftBehind(draft, row) || (row.claim === "inferred" && row.id !== keep?.id),
    );
  });
  const reused = [...draft.deployments.of("answeredFor", "id")].filter(
    (row) => isReused(row) && !seeming.includes(row),
  );
  return [...unaccounted(draft), ...seeming, ...reused].sort((one, other) => one.sequence - other.sequence);
}

/** True if its slot is in no stack's state and nobody has asked to stop it: see left-behind.ts. */
export function isLeftBehind(draft: Draft, { owner, stop }: DeploymentRow): boolean {
  if (owner === null || stop !== null) return false;
  const { kind, name } = ownerParts(owner);
  const slot = kind === "slot" ? draft.slots.get(name) : undefined;
  return slot?.unheld === true && !slot.closing;
}

/** Makes foreign whatever is in the slot: each claim, and both sides of a dispute. It runs on. */
function abandon(draft: Draft, { id }: SlotRow, context: Context): void {
  for (const row of draft.deployments.of("owner", slotOwner(id)))
    if (row.end === null) leave(draft, row, context);
}
