import type { IntentRow } from "../../../ledger/rows.ts";
import { type Launch, NoStep } from "../ghost.ts";
import { whyNotDisputed } from "../others.ts";
import { byList, enter, isUntold, loseWhatIsOver, takes } from "./looking.ts";
import { isOfOthers, others, type Playing } from "./playing.ts";
import { admitted } from "./sending.ts";

/* What decisions store of launches. */

function claimed(playing: Playing, before: IntentRow, launch: Launch) {
  const { ghost, machines } = playing;
  const { rowOf, makerOf, step, beside, set } = ghost;
  const { id, answer, marker, deployment } = launch.row;
  const machine = deployment ?? "";
  const isAnswered = answer?.id === machine;
  if (before.state === "disputed") return ghost.count("(disputed, and claimed)");
  if (isAnswered && ghost.is("waiting", id) && (!ghost.has(machine) || makerOf(machine) === id))
    return step("Accepted", id);
  if (!ghost.has(machine) && isAnswered)
    return beside("an id of no machine", () => {
      set("row", id, "Claimed");
      set("late", id, true);
    });
  if (!ghost.has(machine)) enter(playing, machine, launch);
  loseWhatIsOver(playing, launch);
  // It was refused, and made nothing: what it takes is another one's, which is late.
  if (rowOf(id) === "Done") return byList(playing, "TakeLate", makerOf(machine), machine);
  // A gateway's second machine shows its marker, and is not what the model has of it.
  const isKnown = isAnswered || (machines.get(machine)?.marker === marker && !isOfOthers(playing, machine));
  if (isKnown) byList(playing, "TakeOwn", id, machine);
  else if (isUntold(playing, id, machine))
    beside("ended before it told whose", () => {
      set("of", machine, id);
      set("row", id, "Claimed");
    });
  else takes(playing, rowOf(id) === "Absent" ? "TakeLate" : "Take", id, machine);
}

function refused({ ghost }: Playing, { row: { id, state } }: Launch) {
  const { rowOf, makerOf, step, beside, set } = ghost;
  if (rowOf(id) === "Claimed")
    return beside("an answer against what was taken", () => set("row", id, "Done"));
  if (state === "notSent" && !ghost.is("waiting", id)) return step("GiveUp", id);
  const isMade = ghost.is("flying", id) || ghost.machines().some((each) => makerOf(each) === id);
  if (state === "notSent" || !isMade || !ghost.is("late", id)) return step("Refused", id);
  beside("refused, and made", () => {
    set("row", id, "Absent");
    set("waiting", id, false);
  });
}

/** What it had is another one's: the model's exchange is taken back, by the truth. */
function lookedForAgain(playing: Playing, before: IntentRow, launch: Launch): void {
  const { ghost, truly, byMarker, letGo, pending, now } = playing;
  const { rowOf, beside, set } = ghost;
  const { id, state, marker } = launch.row;
  launch.since = now;
  beside("looked for again", () => {
    set("row", id, state === "open" ? "Open" : state === "absent" ? "Absent" : "Done");
    // A dispute names none.
    const had = before.deployment ?? ghost.machines().find((each) => ghost.makerOf(each) === id) ?? "";
    if (isOfOthers(playing, had)) letGo.add(had);
    const maker = isOfOthers(playing, had) ? others(had) : byMarker.get(truly.makerOf(had) ?? "")?.row.id;
    if (ghost.has(had) && maker) set("of", had, maker);
    const own = truly.madeBy(truly.entryOf(marker) ?? 0)?.id ?? "";
    if (ghost.has(own)) set("of", own, id);
    for (const each of pending) {
      if (each.by !== id || each.of === id) continue;
      set("flying", each.of, false);
      set("flying", id, true);
      each.of = id;
    }
    // As what comes late of an absent one.
    if (rowOf(id) === "Absent" && (ghost.is("flying", id) || ghost.has(own))) set("late", id, true);
  });
}

function disputed(playing: Playing, launch: Launch): void {
  const { ghost, machines, truly, scenario } = playing;
  const { id } = launch.row;
  const why =
    scenario.tenure === "shared"
      ? whyNotDisputed(id, machines.keys(), truly)
      : `${id} is disputed, and nobody else launches`;
  if (why !== undefined) throw new NoStep(why);
  loseWhatIsOver(playing, launch);
  ghost.beside("disputed", () => ghost.set("row", id, "Claimed"));
}

export function ofLaunch(playing: Playing, before: IntentRow | undefined, row: IntentRow, where: string) {
  const { ghost, truly, machines, scenario, now } = playing;
  const { launches, makerOf, lifeOf, step, beside, set } = ghost;
  const launch = launches.get(row.id);
  if (!before || !launch) return admitted(playing, row, where);
  const { id, state, answer } = row;
  launch.row = row;
  if (before.state === state) {
    const isLost = answer?.id === null && answer.unshown === undefined && !before.answer;
    if (isLost && ghost.is("waiting", id)) step("Lose", id);
    return;
  }
  const wasTaken = before.state === "claimed" || before.state === "disputed";
  if (wasTaken && (state === "open" || (state === "absent" && answer?.unshown === undefined)))
    return lookedForAgain(playing, before, launch);
  if (state === "claimed") return claimed(playing, before, launch);
  if (state === "rejected" || state === "notSent") return refused(playing, launch);
  if (state === "disputed") return disputed(playing, launch);
  if (state !== "absent") throw new NoStep(`${id} is ${state} after ${before.state}`);
  const own = ghost.machines().find((each) => makerOf(each) === id);
  const wasTold = before.state === "open" && (scenario.wire !== "marker" || machines.get(own ?? "")?.marker);
  if (own === undefined || wasTold || truly.lifeAt(own, now) !== "Over")
    return byList(playing, before.state === "open" ? "CallAbsent" : "CallVanished", id);
  // It ended before any list showed it, or whose it is, and nothing of it is to be found any more.
  if (lifeOf(own) !== "Over") step("Change", own, "Over");
  beside("over before it was told", () => {
    set("row", id, "Absent");
    set("late", id, true);
  });
}
