import type { GroupState } from "./group-state.ts";
import { refusal } from "./refusal.ts";

/** What this process said last of a group's size, and what was changed by that since. */
export interface Told {
  readonly nodes: number;
  readonly changed?: "more" | "fewer";
}

/**
 * Of a group that is to have `delta` nodes more than was said: how many it is to have. Undefined: it has, or nothing of that is left to
 * take back. The same call again comes to the same number: what was said is what it counts from, and not what there is.
 */
export function sizeAfter(state: GroupState, told: Told | undefined, delta: number): number | undefined {
  const { group, size, min, max, held } = state;
  const name = `node group ${group.fleet}`;
  const change = delta > 0 ? "more" : "fewer";
  if (!told)
    throw refusal(
      "FAILED_PRECONDITION",
      `${name}: ${Math.abs(delta)} ${change} than what? Ask for its target size first: this process has not said it yet.`,
    );
  if (told.changed !== undefined && told.changed !== change)
    throw refusal(
      "FAILED_PRECONDITION",
      `${name}: ${told.changed} nodes were asked for since its size was said, and now ${change}: ask for its target size first.`,
    );
  const wanted = told.nodes + delta;
  if (wanted < min || wanted > max)
    throw refusal(
      "OUT_OF_RANGE",
      `${name}: ${told.nodes} nodes and ${Math.abs(delta)} ${change} are ${wanted}, and its fleet has from ${min} to ${max}.`,
    );
  if (delta > 0 ? wanted <= size : wanted >= size) return undefined;
  if (delta > 0 && held !== undefined) throw refusal("FAILED_PRECONDITION", `${name}: ${held}.`);
  return wanted;
}
