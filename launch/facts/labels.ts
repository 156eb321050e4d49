import type { Draft } from "../../ledger/draft.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { DeploymentRow, IntentRow, Labels, Owner } from "../../ledger/rows.ts";

/*
 * Labels say on whose behalf money is spent. A launch keeps those that its owner had when it was written, so what was
 * spent never moves to another label. See docs/how/labels.md.
 */

const NONE: Labels = {};

/** The labels of an owner now: those of its next launch. */
export function labelsOfOwner(draft: Draft, owner: Owner): Labels {
  const { kind, name } = ownerParts(owner);
  if (kind === "slot") return draft.slots.get(name)?.labels ?? NONE;
  const wish = draft.fleets.get(name)?.wish as { readonly labels?: Labels } | null | undefined;
  return wish?.labels ?? NONE;
}

/** Under which labels a machine, or a launch that may have made one, is paid for. */
export function labelsOf(draft: Draft, each: DeploymentRow | IntentRow): Labels {
  if ("baseline" in each) return each.labels ?? NONE;
  const launch = each.intent === null ? undefined : draft.intents.ever(each.intent);
  return each.labels ?? launch?.labels ?? NONE;
}

/** Whether all of these labels are among those. */
export function covers(label: Labels, labels: Labels): boolean {
  return Object.entries(label).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** The part of a row that has an owner's labels; nothing where it has none. */
export function labelled(labels: Labels): { readonly labels?: Labels } {
  return Object.keys(labels).length === 0 ? {} : { labels };
}

/** `team=vision, project=x`. */
export function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
}
