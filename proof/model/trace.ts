import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { ghostOf, type Launch, type Look, NoStep, tellsApart } from "./ghost.ts";
import { type Trace, trulyOf, WAITS_MS } from "./truly.ts";
import type { Happened, Stored } from "./witness.ts";

/*
 * Plays what the product did, and what the service truly did, as steps of the model. What is no step of it, or has a guard that
 * does not hold, ends the play. docs/how/model.md says what stands for which step, and what is beside the model.
 */

/** What a play came to: the steps by name (in brackets what is beside the model), and the first thing that is no step. */
export interface Played {
  readonly steps: Readonly<Record<string, number>>;
  readonly refused: { readonly at: number; readonly what: string } | undefined;
}

/** By so much clocks of several hosts may be wrong. */
const CLOCKS_MS = 2_000;

export function playTrace(trace: Trace): Played {
  const { recorder, scenario } = trace;
  const truly = trulyOf(trace);
  const ghost = ghostOf(scenario.wire);
  const { launches, rowOf, lifeOf, makerOf, step, beside, set } = ghost;
  const byMarker = new Map<string, Launch>();
  const machines = new Map<string, DeploymentRow>();
  const ended = new Set<string>();
  const unsent = new Set(recorder.posts.map(({ marker }) => marker));
  let pending: { readonly at: number; readonly act: () => void }[] = [];
  let now = 0;

  // ---- Launches, from their writing to the service ----

  /** A slot is a place until what it has stops. A fleet's places have no identity: each of its launches has one of its own. */
  const placeFor = ({ id, owner }: IntentRow): string => {
    if (!owner.startsWith("slot:")) return id;
    const filled = [...launches.values()].findLast(({ row }) => {
      const isThere = row.owner === owner && ["Open", "Claimed"].includes(String(rowOf(row.id)));
      const { status, end } = machines.get(row.deployment ?? "") ?? {};
      // What is disputed is nobody's until a person says whose it is: on a shared account a slot may be filled beside it.
      return isThere && row.state !== "disputed" && status !== "stopping" && (end ?? null) === null;
    });
    return filled?.place ?? `${owner} ${launches.size}`;
  };
  const admitted = (row: IntentRow, where: string): void => {
    const place = placeFor(row);
    const launch: Launch = { row, where, place, since: now };
    launches.set(row.id, launch);
    byMarker.set(row.marker, launch);
    for (const [sort, thing] of [
      ["Intent", row.id],
      ["Account", where],
      ["Place", place],
    ] as const)
      ghost.add(sort, thing);
    set("portion", `${where} ${place}`, true);
    const entry = truly.entryOf(row.marker);
    if (entry !== undefined && truly.isLate(entry)) set("late", row.id, true);
    step("Admit", row.id);
  };
  const made = (launch: string, machine: string): void => {
    ghost.add("Machine", machine);
    step("Make", launch, machine);
  };
  const sent = ({ marker, entry, process }: Extract<Happened, { kind: "sent" }>): void => {
    const launch = byMarker.get(marker);
    if (!launch) throw new NoStep(`a POST arrived for ${marker}, which was never written`);
    const { id } = launch.row;
    launch.process = process;
    step("Send", id);
    unsent.delete(marker);
    const machine = truly.madeBy(entry);
    const at = machine?.committedAt ?? now + truly.overAfter(entry);
    const act = (): void => (machine ? made(id, machine.id) : step("MakeNothing", id));
    if (at <= now) act();
    else pending.push({ at, act });
  };

  // ---- What decisions store of launches ----

  const lookFor = (id: string): Look => {
    const launch = launches.get(id);
    return {
      // By no clock of the product.
      isSettled: launch !== undefined && now - launch.since >= WAITS_MS - CLOCKS_MS,
      shows: (machine) => {
        const shown = machines.get(machine);
        if (!shown || !launch) return false;
        return shown.sequence > launch.row.baseline && !tellsApart(launch.row, shown);
      },
    };
  };
  const byList = (name: string, id: string, ...more: readonly string[]): void =>
    ghost.stepByList(name, id, lookFor(id), id, ...more);
  /** What was to be sent never leaves, or its answer is lost: its process is dead, or has waited for as long as it does. */
  const loseWhatIsOver = ({ row, since, process = "" }: Launch): void => {
    const isOver = now - since >= row.timeout || ended.has(process);
    const isUnsent = ghost.is("ready", row.id) && !unsent.has(row.marker);
    if (isUnsent || (isOver && ghost.is("waiting", row.id))) step("Lose", row.id);
  };
  const claimed = (before: IntentRow, launch: Launch) => {
    const { id, answer, marker, deployment } = launch.row;
    const machine = deployment ?? "";
    const isAnswered = answer?.id === machine;
    if (before.state === "disputed") return ghost.count("(disputed, and claimed)");
    if (isAnswered && ghost.is("waiting", id) && (!ghost.has(machine) || makerOf(machine) === id))
      return step("Accepted", id);
    if (!ghost.has(machine))
      return beside(isAnswered ? "an id of no machine" : "taken from others", () => {
        set("row", id, "Claimed");
        set("late", id, true);
      });
    loseWhatIsOver(launch);
    // It was refused, and made nothing: what it takes is another one's, which is late.
    if (rowOf(id) === "Done") return byList("TakeLate", makerOf(machine), machine);
    const isKnown = isAnswered || machines.get(machine)?.marker === marker;
    byList(isKnown ? "TakeOwn" : rowOf(id) === "Absent" ? "TakeLate" : "Take", id, machine);
  };
  const refused = ({ row: { id, state } }: Launch) => {
    if (rowOf(id) === "Claimed")
      return beside("an answer against what was taken", () => set("row", id, "Done"));
    if (state === "notSent" && !ghost.is("waiting", id)) return step("GiveUp", id);
    const isMade = ghost.is("flying", id) || ghost.machines().some((each) => makerOf(each) === id);
    if (state === "notSent" || !isMade || !ghost.is("late", id)) return step("Refused", id);
    beside("refused, and made", () => {
      set("row", id, "Absent");
      set("waiting", id, false);
    });
  };
  /** What it had is another one's: the model's exchange is taken back, by the truth. */
  const lookedForAgain = (before: IntentRow, launch: Launch): void => {
    const { id, state, marker } = launch.row;
    launch.since = now;
    beside("looked for again", () => {
      set("row", id, state === "open" ? "Open" : state === "absent" ? "Absent" : "Done");
      const had = before.deployment ?? "";
      const maker = byMarker.get(truly.makerOf(had) ?? "");
      if (ghost.has(had) && maker) set("of", had, maker.row.id);
      const own = truly.madeBy(truly.entryOf(marker) ?? 0)?.id ?? "";
      if (ghost.has(own)) set("of", own, id);
    });
  };
  const ofLaunch = (before: IntentRow | undefined, row: IntentRow, where: string) => {
    const launch = launches.get(row.id);
    if (!before || !launch) return admitted(row, where);
    const { id, state, answer } = row;
    launch.row = row;
    if (before.state === state) {
      const isLost = answer?.id === null && answer.unshown === undefined && !before.answer;
      if (isLost && ghost.is("waiting", id)) step("Lose", id);
      return;
    }
    const wasTaken = before.state === "claimed" || before.state === "disputed";
    if (wasTaken && (state === "open" || (state === "absent" && answer?.unshown === undefined)))
      return lookedForAgain(before, launch);
    if (state === "claimed") return claimed(before, launch);
    if (state === "rejected" || state === "notSent") return refused(launch);
    if (state === "disputed") return beside("disputed", () => set("row", id, "Claimed"));
    if (state !== "absent") throw new NoStep(`${id} is ${state} after ${before.state}`);
    const own = ghost.machines().find((each) => makerOf(each) === id);
    const wasTold =
      before.state === "open" && (scenario.wire !== "marker" || machines.get(own ?? "")?.marker);
    if (own === undefined || wasTold || truly.lifeAt(own, now) !== "Over")
      return byList(before.state === "open" ? "CallAbsent" : "CallVanished", id);
    // It ended before any list showed it, or whose it is, and nothing of it is to be found any more.
    if (lifeOf(own) !== "Over") step("Change", own, "Over");
    beside("over before it was told", () => {
      set("row", id, "Absent");
      set("late", id, true);
    });
  };

  // ---- What decisions store of machines ----

  const ofMachine = (before: DeploymentRow | undefined, row: DeploymentRow): void => {
    const { id, lastSeen, claim, end } = row;
    machines.set(id, row);
    if (!ghost.has(id)) return;
    const maker = makerOf(id);
    if (lastSeen !== null && lifeOf(id) === "Unlisted") step("Change", id, "Listed");
    if (!before?.end || end !== null || claim === null || rowOf(maker) !== "Done") return;
    beside("over, and back", () => {
      set("row", maker, "Claimed");
      set("late", maker, true);
      if (truly.lifeAt(id, now) !== "Over") set("life", id, "Listed");
    });
  };
  const gone = (id: string): void => {
    const life = truly.lifeAt(id, now);
    if (life === "denied")
      beside("denied for long", () => {
        set("life", id, "Over");
        set("late", makerOf(id), true);
      });
    else if (life !== "Listed" && lifeOf(id) !== life) step("Change", id, life);
    step("CallGone", id);
  };
  /** What is claimed beside what its launch made, and what is over: after all else that its transaction says. */
  const afterAll = ({ id, claim, intent, end }: DeploymentRow): void => {
    if (claim !== "certain" && claim !== "inferred") return;
    const launch = launches.get(intent ?? "")?.row;
    const isItsOwn = launch?.deployment === id;
    if (!ghost.has(id)) {
      if (end !== null && isItsOwn && rowOf(launch.id) === "Claimed")
        beside("what others made is over", () => set("row", launch.id, "Done"));
      return;
    }
    const maker = makerOf(id);
    if (!isItsOwn && !["Claimed", "Done"].includes(String(rowOf(maker)))) byList("TakeLate", maker, id);
    if (end !== null && rowOf(maker) === "Claimed") gone(id);
  };
  const stored = (rows: readonly Stored[], where: string): void => {
    for (const each of rows) {
      if (each.table === "intent") ofLaunch(each.before, each.row, where);
      else ofMachine(each.before, each.row);
    }
    for (const each of rows) if (each.table === "deployment") afterAll(machines.get(each.row.id) ?? each.row);
  };

  const happen = (happened: Exclude<Happened, { kind: "anew" }>): void => {
    const due = pending.filter(({ at }) => at <= happened.at).sort((one, other) => one.at - other.at);
    pending = pending.filter(({ at }) => at > happened.at);
    for (const { at, act } of due) {
      now = at;
      act();
    }
    now = happened.at;
    if (happened.kind === "sent") sent(happened);
    else if (happened.kind === "over") ended.add(happened.process);
    else stored(happened.rows, happened.where);
  };
  try {
    for (const each of recorder.witness.all) {
      // Of which machine the rows are from now on, the model cannot say.
      if (each.kind === "anew") {
        ghost.count("(an id given anew: the play ends)");
        break;
      }
      happen(each);
    }
  } catch (error) {
    if (!(error instanceof NoStep)) throw error;
    return { steps: ghost.steps, refused: { at: now, what: error.message } };
  }
  return { steps: ghost.steps, refused: undefined };
}
