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
    const text = `play ${index + 1}: alike for ${days} days. At ${at} ${who} ${what} ${machineText(machine)}, and ${not} does not.`;
    return [{ seed: index + 1, at, text }];
  });
  return { other, alike: differs.length === 0, differs };
}

interface Difference {
  readonly at: string;
  readonly what: "begins to run" | "ends";
  readonly machine: Machine;
  readonly isMine: boolean;
}

/** The first thing that only one of them did. */
function firstDifference(mine: readonly Machine[], theirs: readonly Machine[]): Difference | undefined {
  return [...only(mine, theirs, true), ...only(theirs, mine, false)].sort((one, other) =>
    one.at < other.at ? -1 : 1,
  )[0];
}

function only(these: readonly Machine[], those: readonly Machine[], isMine: boolean): readonly Difference[] {
  const begun = counted(those.map(beginOf));
  const ended = counted(those.map(endOf));
  return these.flatMap((machine): Difference[] => {
    const hasBegun = take(begun, beginOf(machine));
    const hasEnded = take(ended, endOf(machine));
    if (!hasBegun) return [{ at: machine.from, what: "begins to run", machine, isMine }];
    return hasEnded ? [] : [{ at: machine.to, what: "ends", machine, isMine }];
  });
}

function beginOf({ fleet, gpus, from, ...place }: Machine): string {
  return JSON.stringify([fleet, combinationText(place), gpus, from]);
}

function endOf(machine: Machine): string {
  return JSON.stringify([beginOf(machine), machine.to, machine.lost]);
}

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Takes one of them, if there is one. */
function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}

function machineText({ fleet, ...machine }: Machine): string {
  return `${combinationText(machine)} for ${fleet}`;
}

/** For people, in lines. `machines`: how many this version ran. */
export function upgradeLines({ other, alike, differs }: Upgrade, machines: number): readonly string[] {
  if (!alike) return [`${other} decides otherwise:`, ...differs.map(({ text }) => `  ${text}`)];
  return [
    `${other} decides alike: the same ${machines} machines, each from the same moment to the same moment.`,
  ];
}
