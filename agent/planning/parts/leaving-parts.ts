import { ZERO_USD } from "../../../service/contract/money.ts";
import type { PartFacts } from "./part-facts.ts";

/*
 * A part that leaves patiently keeps its machines until others run elsewhere. These are launched ahead, by as much as the
 * surge of the whole allows, and its own count comes after them: once a machine here has ended, its GPUs are given.
 */

/**
 * Divides what is above the count among the parts that launch now, and those that have launched ahead before. That takes the
 * place of what leaves, and of what is being stopped in another part: a drain may have been taken back meanwhile.
 */
export function aheadOf(
  parts: readonly PartFacts[],
  extra: ReadonlyMap<string, number>,
  above: number,
  held: (part: PartFacts) => number,
): ReadonlyMap<string, number> {
  const goes = (part: PartFacts): number => (part.isPatient ? held(part) : part.stopping);
  const going = parts.reduce((sum, part) => sum + goes(part), 0);
  let left = Math.max(0, Math.min(above, going));
  const ahead = new Map<string, number>();
  const add = (name: string, most: number): void => {
    const gpus = Math.min(most, left);
    if (gpus <= 0) return;
    ahead.set(name, (ahead.get(name) ?? 0) + gpus);
    left -= gpus;
  };
  for (const [name, gpus] of extra) add(name, gpus);
  for (const part of parts) if (!part.isLeaving) add(part.name, Math.min(part.ahead, going - goes(part)));
  return ahead;
}

/** What stays of each of them, so that all that works makes `gpus` together. */
export function keptOf(
  parts: readonly PartFacts[],
  gpus: number,
  held: (part: PartFacts) => number,
): ReadonlyMap<string, number> {
  let left = parts.reduce((sum, part) => sum - (part.isPatient ? 0 : part.serves), gpus);
  return new Map(
    parts
      .filter(({ isPatient }) => isPatient)
      .map((part) => {
        const keeps = Math.max(0, Math.min(held(part), left));
        left -= keeps;
        return [part.name, keeps] as const;
      }),
  );
}

/** As if the machines of the patient ones had ended: what was spent on them stays spent. */
export function withoutLeaving(parts: readonly PartFacts[]): readonly PartFacts[] {
  return parts.map((part) => {
    const { money } = part.held;
    if (!part.isPatient) return part;
    return { ...part, held: { gpus: 0, money: money && { ...money, perHour: ZERO_USD } } };
  });
}
