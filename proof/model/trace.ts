import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { ghostOf, type Launch, type Look, NoStep, tellsApart } from "./ghost.ts";
import { whyNotCertain, whyNotDisputed } from "./others.ts";
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

/** What a POST comes to later. The launch that it is of now: what is still to come of two launches is exchanged. */
interface Coming {
  readonly at: number;
  readonly by: string;
  readonly machine: string | undefined;
  of: string;
}

/** By so much clocks of several hosts may be wrong. */
const CLOCKS_MS = 2_000;
/** The owner of what no launch of ours made. */
const OTHERS = "fleet:others";

export function playTrace(trace: Trace): Played {
  const { recorder, scenario } = trace;
  const truly = trulyOf(trace);
  const isShared = scenario.tenure === "shared";
  const ghost = ghostOf(scenario.wire);
  const others = (machine: string): string => `others ${machine}`;
  const isOfOthers = (machine: string): boolean => launches.has(others(machine));
  const { launches, rowOf, lifeOf, makerOf, step, beside, set } = ghost;
  const byMarker = new Map<string, Launch>();
  const machines = new Map<string, DeploymentRow>();
  /** What others made, and a launch let go: it has shown that. */
  const letGo = new Set<string>();
  const ended = new Set<string>();
  const unsent = new Set(recorder.posts.map(({ marker }) => marker));
  let pending: Coming[] = [];
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
  const come = ({ of, machine }: Coming): void => {
    if (machine !== undefined) ghost.add("Machine", machine);
    if (machine === undefined) step("MakeNothing", of);
    else step("Make", of, machine);
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
    const coming = { at, by: id, machine: machine?.id, of: id };
    if (at <= now) come(coming);
    else pending.push(coming);
  };

  // ---- What decisions store of launches ----

  const lookFor = (id: string, isToTake: boolean): Look => {
    const launch = launches.get(id);
    return {
      // By no clock of the product.
      isSettled: launch !== undefined && now - launch.since >= WAITS_MS - CLOCKS_MS,
      shows: (machine) => {
        const shown = machines.get(machine);
        if (!shown || !launch || (letGo.has(machine) && !isToTake)) return false;
        // What others made may be taken as long as no answered launch has proven what tells apart.
        const isUnproven = isToTake && isOfOthers(machine) && launch.row.group === "account";
        return shown.sequence > launch.row.baseline && (isUnproven || !tellsApart(launch.row, shown));
      },
    };
  };
  const byList = (name: string, id: string, ...more: readonly string[]): void =>
    ghost.stepByList(name, id, lookFor(id, name.startsWith("Take")), id, ...more);
  /** It takes a machine, by looking alone. What is still to come of it is that of the machine's launch from now on. */
  const takes = (name: "Take" | "TakeLate", id: string, machine: string): void => {
    const maker = makerOf(machine);
    byList(name, id, machine);
    for (const each of pending) if (each.of === id) each.of = maker;
  };
  /** What others made is of a launch that nobody wrote: absent, and late. It is told from ours no better than this one. */
  const enter = (machine: string, { row, where }: Launch): void => {
    const id = others(machine);
    if (!truly.isOfOthers(machine)) throw new NoStep(`${row.id} takes ${machine}, which was not made yet`);
    launches.set(id, { row: { ...row, id, owner: OTHERS }, where, place: id, since: now });
    ghost.add("Intent", id);
    ghost.add("Machine", machine);
    beside("a machine of others", () => {
      set("row", id, "Absent");
      set("late", id, true);
      set("of", machine, id);
      set("life", machine, "Listed");
    });
  };
  /** What was to be sent never leaves, or its answer is lost: its process is dead, or has waited for as long as it does. */
  const loseWhatIsOver = ({ row, since, process = "" }: Launch): void => {
    const isOver = now - since >= row.timeout || ended.has(process);
    const isUnsent = ghost.is("ready", row.id) && !unsent.has(row.marker);
    if (isUnsent || (isOver && ghost.is("waiting", row.id))) step("Lose", row.id);
  };
  /** What ended before it showed its place may be taken by any launch of which nothing is to come any more, by the truth. */
  const isUntold = (id: string, machine: string): boolean => {
    const { offer, provider, location, end = null } = machines.get(machine) ?? {};
    const isOver = end !== null && scenario.wire === "combination" && !(offer ?? provider ?? location);
    const hasNone = !ghost.machines().some((each) => makerOf(each) === id);
    return isOver && makerOf(machine) !== id && hasNone && !ghost.is("flying", id) && !ghost.is("ready", id);
  };
  const claimed = (before: IntentRow, launch: Launch) => {
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
    if (!ghost.has(machine)) enter(machine, launch);
    loseWhatIsOver(launch);
    // It was refused, and made nothing: what it takes is another one's, which is late.
    if (rowOf(id) === "Done") return byList("TakeLate", makerOf(machine), machine);
    // A gateway's second machine shows its marker, and is not what the model has of it.
    const isKnown = isAnswered || (machines.get(machine)?.marker === marker && !isOfOthers(machine));
    if (isKnown) byList("TakeOwn", id, machine);
    else if (isUntold(id, machine))
      beside("ended before it told whose", () => {
        set("of", machine, id);
        set("row", id, "Claimed");
      });
    else takes(rowOf(id) === "Absent" ? "TakeLate" : "Take", id, machine);
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
      if (isOfOthers(had)) letGo.add(had);
      const maker = isOfOthers(had) ? others(had) : byMarker.get(truly.makerOf(had) ?? "")?.row.id;
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
  };
  const disputed = ({ row: { id } }: Launch): void => {
    const why = isShared
      ? whyNotDisputed(id, machines.keys(), truly)
      : `${id} is disputed, and nobody else launches`;
    if (why !== undefined) throw new NoStep(why);
    beside("disputed", () => set("row", id, "Claimed"));
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
    if (state === "disputed") return disputed(launch);
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
        beside("an id of no machine is over", () => set("row", launch.id, "Done"));
      return;
    }
    const maker = makerOf(id);
    if (!isItsOwn && !["Claimed", "Done"].includes(String(rowOf(maker)))) {
      if (maker === others(id)) beside("of others, and claimed", () => set("row", maker, "Claimed"));
      else byList("TakeLate", maker, id);
    }
    if (end !== null && rowOf(maker) === "Claimed") gone(id);
  };
  const stored = (rows: readonly Stored[], where: string): void => {
    for (const each of rows) {
      if (each.table === "intent") ofLaunch(each.before, each.row, where);
      else ofMachine(each.before, each.row);
    }
    for (const each of rows) {
      if (each.table !== "deployment") continue;
      const isCertainNow = each.row.claim === "certain" && each.before?.claim !== "certain";
      const why = isShared && isCertainNow ? whyNotCertain(each.row, launches.values(), truly) : undefined;
      if (why !== undefined) throw new NoStep(why);
      afterAll(machines.get(each.row.id) ?? each.row);
    }
  };

  const happen = (happened: Exclude<Happened, { kind: "anew" }>): void => {
    const due = pending.filter(({ at }) => at <= happened.at).sort((one, other) => one.at - other.at);
    pending = pending.filter(({ at }) => at > happened.at);
    for (const each of due) {
      now = each.at;
      come(each);
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
