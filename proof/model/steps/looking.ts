import type { DeploymentRow } from "../../../ledger/rows.ts";
import { type Launch, type Look, NoStep, tellsApart } from "../ghost.ts";
import { WAITS_MS } from "../truly.ts";
import { others, type Playing } from "./playing.ts";

/* A launch looks for what it made, and takes it. */

/** By so much clocks of several hosts may be wrong. */
const CLOCKS_MS = 2_000;
/** The owner of what no launch of ours made. */
const OTHERS = "fleet:others";

function lookFor(playing: Playing, id: string, taken: string | undefined): Look {
  const { ghost, machines, letGo, now } = playing;
  const launch = ghost.launches.get(id);
  return {
    // By no clock of the product.
    isSettled: launch !== undefined && now - launch.since >= WAITS_MS - CLOCKS_MS,
    tellsNothing: taken !== undefined && tellsNothing(machines.get(taken)),
    shows: (machine) => {
      const shown = machines.get(machine);
      if (!shown || !launch || (letGo.has(machine) && !taken)) return false;
      // Any may be taken as long as no answered launch has proven what tells apart.
      const isUnproven = taken !== undefined && launch.row.group === "account";
      return shown.sequence > launch.row.baseline && (isUnproven || !tellsApart(launch.row, shown));
    },
  };
}

export function byList(playing: Playing, name: string, id: string, ...more: readonly string[]): void {
  const taken = name.startsWith("Take") ? more.at(-1) : undefined;
  playing.ghost.stepByList(name, id, lookFor(playing, id, taken), id, ...more);
}

/** What ended so will tell nothing any more: whose it was, nobody will know. */
function tellsNothing(shown: DeploymentRow | undefined): boolean {
  return shown?.end === null && !(shown.marker ?? shown.offer ?? shown.provider ?? shown.location);
}

/** It takes a machine, by looking alone. What is still to come of it is that of the machine's launch from now on. */
export function takes(playing: Playing, name: "Take" | "TakeLate", id: string, machine: string): void {
  const maker = playing.ghost.makerOf(machine);
  byList(playing, name, id, machine);
  for (const each of playing.pending) if (each.of === id) each.of = maker;
}

/** What others made is of a launch that nobody wrote: absent, and late. It is told from ours no better than this one. */
export function enter({ ghost, truly, now }: Playing, machine: string, { row, where }: Launch): void {
  const id = others(machine);
  if (!truly.isOfOthers(machine)) throw new NoStep(`${row.id} takes ${machine}, which was not made yet`);
  ghost.launches.set(id, { row: { ...row, id, owner: OTHERS }, where, place: id, since: now });
  ghost.add("Intent", id);
  ghost.add("Machine", machine);
  ghost.beside("a machine of others", () => {
    ghost.set("row", id, "Absent");
    ghost.set("late", id, true);
    ghost.set("of", machine, id);
    ghost.set("life", machine, "Listed");
  });
}

/** What was to be sent never leaves, or its answer is lost: its process is dead, or has waited for as long as it does. */
export function loseWhatIsOver(
  { ghost, ended, unsent, now }: Playing,
  { row, since, process = "" }: Launch,
): void {
  const isOver = now - since >= row.timeout || ended.has(process);
  const isUnsent = ghost.is("ready", row.id) && !unsent.has(row.marker);
  if (isUnsent || (isOver && ghost.is("waiting", row.id))) ghost.step("Lose", row.id);
}

/** What ended before it showed its place may be taken by any launch of which nothing is to come any more, by the truth. */
export function isUntold({ ghost, machines, scenario }: Playing, id: string, machine: string): boolean {
  const { offer, provider, location, end = null } = machines.get(machine) ?? {};
  const isOver = end !== null && scenario.wire === "combination" && !(offer ?? provider ?? location);
  const hasNone = !ghost.machines().some((each) => ghost.makerOf(each) === id);
  return (
    isOver && ghost.makerOf(machine) !== id && hasNone && !ghost.is("flying", id) && !ghost.is("ready", id)
  );
}
