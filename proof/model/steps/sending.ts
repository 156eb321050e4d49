import type { IntentRow } from "../../../ledger/rows.ts";
import { type Launch, NoStep } from "../ghost.ts";
import type { Happened } from "../witness.ts";
import type { Coming, Playing } from "./playing.ts";

/* Launches, from their writing to the service. */

/** A slot is a place until what it has stops. A fleet's places have no identity: each of its launches has one of its own. */
function placeFor({ ghost, machines }: Playing, { id, owner }: IntentRow): string {
  if (!owner.startsWith("slot:")) return id;
  const filled = [...ghost.launches.values()].findLast(({ row }) => {
    const isThere = row.owner === owner && ["Open", "Claimed"].includes(String(ghost.rowOf(row.id)));
    const { status, end } = machines.get(row.deployment ?? "") ?? {};
    // What is disputed is nobody's until a person says whose it is: on a shared account a slot may be filled beside it.
    return isThere && row.state !== "disputed" && status !== "stopping" && (end ?? null) === null;
  });
  return filled?.place ?? `${owner} ${ghost.launches.size}`;
}

export function admitted(playing: Playing, row: IntentRow, where: string): void {
  const { ghost, truly, byMarker, now } = playing;
  const place = placeFor(playing, row);
  const launch: Launch = { row, where, place, since: now };
  ghost.launches.set(row.id, launch);
  byMarker.set(row.marker, launch);
  for (const [sort, thing] of [
    ["Intent", row.id],
    ["Account", where],
    ["Place", place],
  ] as const)
    ghost.add(sort, thing);
  ghost.set("portion", `${where} ${place}`, true);
  const entry = truly.entryOf(row.marker);
  if (entry !== undefined && truly.isLate(entry)) ghost.set("late", row.id, true);
  ghost.step("Admit", row.id);
}

export function come({ ghost }: Playing, { of, machine }: Coming): void {
  if (machine !== undefined) ghost.add("Machine", machine);
  if (machine === undefined) ghost.step("MakeNothing", of);
  else ghost.step("Make", of, machine);
}

export function sent(
  playing: Playing,
  { marker, entry, process }: Extract<Happened, { kind: "sent" }>,
): void {
  const { ghost, truly, now } = playing;
  const launch = playing.byMarker.get(marker);
  if (!launch) throw new NoStep(`a POST arrived for ${marker}, which was never written`);
  const { id } = launch.row;
  launch.process = process;
  ghost.step("Send", id);
  playing.unsent.delete(marker);
  const machine = truly.madeBy(entry);
  const at = machine?.committedAt ?? now + truly.overAfter(entry);
  const coming = { at, by: id, machine: machine?.id, of: id };
  if (at <= now) come(playing, coming);
  else playing.pending.push(coming);
}
