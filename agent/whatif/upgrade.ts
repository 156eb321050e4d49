import { DAY_MS } from "../../ledger/instant.ts";
import { combinationText } from "../../service/contract/contract.ts";
import type { PlayedFile, WhatIf } from "../json/whatif.ts";

/* Whether two versions decide alike on one market. What each decided are the machines that it ran, and until when. */

type Machine = PlayedFile["machines"][number][number];
export type Upgrade = NonNullable<WhatIf["upgrade"]>;

/** What this version played beside what another one did, by the seeds of both. `other`: how the other one is called. */
export function upgradeOf(other: string, mine: PlayedFile, theirs: PlayedFile, start: number): Upgrade {
  const differs = mine.machines.flatMap((machines, index) => {
    const first = firstDifference(machines, theirs.machines[index] ?? []);
    if (!first) return [];
    const { at, what, machine, isMine } = first;
    const [who, not] = isMine ? ["this version", other] : [other, "this version"];
    const days = ((Date.parse(at) - start) / DAY_MS).toFixed(1);
    const text = `play ${index + 1}: alike for ${days} days. At ${at} ${machine} ${what} in the play of ${who}, and not in that of ${not}.`;
    return [{ seed: index + 1, at, text }];
  });
  return { other, alike: differs.length === 0, differs };
}

/** A machine begins to run or ends. */
interface Step {
  readonly at: string;
  readonly what: "begins to run" | "ends" | "is lost";
  readonly machine: string;
}

/** The first thing that only one of them did. */
function firstDifference(
  mine: readonly Machine[],
  theirs: readonly Machine[],
): (Step & { readonly isMine: boolean }) | undefined {
  const [these, those] = [mine.flatMap(stepsOf), theirs.flatMap(stepsOf)];
  return [
    ...without(these, those).map((step) => ({ ...step, isMine: true })),
    ...without(those, these).map((step) => ({ ...step, isMine: false })),
  ].sort((one, other) => one.at.localeCompare(other.at))[0];
}

function stepsOf({ fleet, from, to, lost, ...place }: Machine): readonly Step[] {
  const machine = `${combinationText(place)} for ${fleet}`;
  return [
    { at: from, what: "begins to run", machine },
    { at: to, what: lost ? "is lost" : "ends", machine },
  ];
}

/** Each step takes away one that is equal to it. */
function without(steps: readonly Step[], others: readonly Step[]): readonly Step[] {
  const left = others.map((other) => JSON.stringify(other));
  return steps.filter((step) => {
    const at = left.indexOf(JSON.stringify(step));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** For people, in lines. `machines`: how many this version ran. */
export function upgradeLines({ other, alike, differs }: Upgrade, machines: number): readonly string[] {
  if (!alike) return [`${other} decides otherwise:`, ...differs.map(({ text }) => `  ${text}`)];
  return [
    `${other} decides alike: the same ${machines} machines, each from the same moment to the same moment.`,
  ];
}
