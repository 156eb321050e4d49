import { parseWish } from "../../agent/fleet/wish/wish.ts";
import type { Bound } from "../../agent/planning/told/bound.ts";
import type { DeploymentRow, FleetRow, IntentRow } from "../../ledger/rows.ts";
import { type Combination, combinationKey } from "../../service/contract/contract.ts";
import type { Service } from "../../service/contract/service.ts";
import { milliseconds } from "../../service/text/duration.ts";
import { Witness } from "../model/witness.ts";
import type { Blow, EffectKind } from "../scenario/blow.ts";
import type { Use } from "../scenario/scenario.ts";
import type { SetupRun } from "./setups.ts";

/** What a command before a stop took by the truth. */
export interface SaveRun {
  readonly id: string;
  readonly from: number;
  /** By when the stop is called, as the command was told. */
  readonly until: number;
  /** Infinity: it goes on, or its agent was killed, or ended it. */
  to: number;
  /** The machine was wanted again. */
  isTakenBack?: true;
}

/** One POST as it left a process of ours. `entry` is its number in the truth, which has its outcome. */
export interface SentPost {
  readonly process: string;
  /** Names its intent, even if the wire does not carry it. */
  readonly marker: string;
  /** When the product asked for it, right after its stamp. */
  readonly asked: number;
  /** When its sender stored that it is about to send it. */
  readonly stamped: number;
  /** When it arrived. */
  readonly arrived: number;
  readonly entry: number;
  /** True if its process was told to end before it left. */
  readonly ending: boolean;
  /** The account's USD right before it arrived, by the truth. */
  readonly balance: string;
}

export interface SentStop {
  readonly process: string;
  readonly at: number;
  readonly id: string;
}

/** What an agent stored or sent while another one kept its account. */
export interface StaleAct {
  readonly process: string;
  readonly at: number;
  readonly what: "store" | "launch" | "stop";
  readonly keeper: string;
}

/** A process that was told of a cooldown, and lived on to write it down. */
export interface KnownCooling {
  readonly process: string;
  readonly combination: Combination;
  readonly known: number;
  readonly until: number;
}

/** What a fleet or a slot asked for, and when it could be acted on. */
export interface WishSpan {
  readonly owner: string;
  readonly from: number;
  /** When the next wish was certainly in the ledger. */
  until: number;
  readonly gpus: number;
  readonly overshoot: number;
  /** GPUs more than that while machines stop. */
  readonly surge: number;
  /** GPUs more than its count that its buffer may have, and what one of them may cost an hour. */
  readonly buffer?: { readonly gpus: number; readonly price: number } | undefined;
  readonly floor: number | undefined;
  readonly perHour: number | undefined;
  /** What is left of a wish after idle machines were given back. */
  readonly isGivenBack?: true;
}

/** A move to other machines, or an update, as commits stored it. */
export interface MoveSpan {
  readonly owner: string;
  readonly by: "improve" | "update" | "age";
  /** Keys of the combinations that its fleet's candidates allowed when it began. */
  readonly allowed: readonly string[];
  /** When it was stored that it begins, and that it is over. */
  readonly from: number;
  until: number;
  /** By the clock of whoever began it: the same move is known by it. */
  readonly begun: number;
  /** Ids of the machines that it leaves; once it is over, of those that it left. */
  left: readonly string[];
  /** So many GPUs more come than go, as they were missing. 0: it is for the price. */
  readonly fills: number;
  /** New machines first. */
  readonly isAhead: boolean;
  /** It was carried out, and not given up, or in part. */
  isDone: boolean;
  isInPart: boolean;
}

/** The most that a fleet can cost, as a plan would have told it when this was stored. */
export interface ToldBound {
  readonly owner: string;
  readonly at: number;
  readonly bound: Bound;
}

/** A size that was stored for what a metric said. */
export interface Sized {
  readonly owner: string;
  readonly at: number;
  readonly gpus: number;
  readonly value: string;
}

/** A blow that fell at the nth effect of this kind, among processes of this kind. */
export interface Struck {
  readonly at: number;
  readonly who: string;
  readonly effect: EffectKind;
  readonly nth: number;
  readonly blow: Blow;
}

/**
 * What is watched from outside, at the product's borders: what its processes sent and stored, and when. The
 * oracles judge this beside the simulator's truth.
 */
export class Recorder {
  readonly posts: SentPost[] = [];
  /** All that the model of the protocol speaks of. */
  readonly witness: Witness = new Witness();
  readonly stops: SentStop[] = [];
  cooling: readonly KnownCooling[] = [];
  readonly wishes: WishSpan[] = [];
  /** Calls of `Service.launch`, by marker. A marker names one intent, even if the wire lacks it. */
  readonly markers = new Map<string, number>();
  /** POSTs that reached the transport, by the marker of their `Service.launch`. */
  readonly left = new Map<string, number>();
  /** When the sender last confirmed the intent, by marker. */
  readonly stamps = new Map<string, number>();
  /** When a machine's stop was first stored, by id, unless it was taken back. From then on it is stopped, whatever is wished. */
  readonly condemned = new Map<string, number>();
  /** How often each operation of the service was called, by process. */
  readonly calls = new Map<string, number>();
  /** When the wall clock jumped, and when the computer booted anew. */
  readonly jumps: number[] = [];
  readonly reboots: number[] = [];
  /** When it was first stored that a list or a GET showed a machine, by id. */
  readonly seen = new Map<string, number>();
  /** When a machine's claim was first stored, by id. */
  readonly claimed = new Map<string, number>();
  /** Machines that were taken, by looking alone, for what a launch made, and when. */
  readonly inferred: {
    readonly id: string;
    readonly intent: string;
    readonly from: number;
    until: number;
  }[] = [];
  /** Machines that came back from their end: from then on the product believes an end only slowly. */
  readonly returned = new Set<string>();
  /** Markers of the intents that are open. */
  readonly open = new Set<string>();
  /** Since when and until when each was, by marker, and for how many GPUs. */
  readonly opened = new Map<
    string,
    { readonly from: number; readonly until: number; readonly gpus: number }
  >();
  /** Those that were written while no other was open. */
  readonly alone = new Set<string>();
  /** Machines that the service denied for so long that they had to be taken for gone, and since when. */
  readonly forgotten = new Map<string, number>();
  /** Until when lists left out a machine that nobody had seen, by id. */
  readonly hidden = new Map<string, number>();
  /** When a process was killed, or the ledger failed it. */
  readonly deaths: number[] = [];
  /** When each agent was at work for its account, and of which service, where there are several. */
  readonly shifts: {
    readonly process: string;
    readonly service: string | undefined;
    readonly from: number;
    until: number;
  }[] = [];
  /** When it was first stored that a fleet, or a part of one, is born, by name. */
  readonly born = new Map<string, number>();
  /** When the noise ended. */
  quietFrom = Number.POSITIVE_INFINITY;
  /** When each pause of a process began and ended. */
  readonly pauses: { readonly process: string; readonly from: number; until: number }[] = [];
  /** Operators' holds, by owner. Surely held to `until`: nothing is sent. Maybe held to `over`. */
  readonly holds: { readonly owner: string; readonly from: number; until: number; over: number }[] = [];
  /** Since when and until when an operator's drain of a service moved its share to others. */
  readonly leaves: { readonly service: string | undefined; readonly from: number; until: number }[] = [];
  /** Machines that a person held, surely until `until`. */
  readonly heldMachines: { readonly id: string; readonly from: number; until: number }[] = [];
  /** Runs of setup commands, by the truth. */
  setups: readonly SetupRun[] = [];
  /** Runs of commands before stops, by the truth. */
  readonly saves: SaveRun[] = [];
  /** When a machine's end was stored, by id, unless it came back. */
  readonly ended = new Map<string, number>();
  /** When a terminal state of it was stored first, even if it came back. */
  readonly endedFirst = new Map<string, number>();
  /** When it was first stored that a machine is set up, by id. */
  readonly setUp = new Map<string, number>();
  /** What machines say from when on, if they are asked whether they are idle. One that is not here is busy. */
  readonly uses: { readonly id: string; readonly as: Use; readonly from: number }[] = [];
  /** What agents heard when they asked. */
  readonly heard: { readonly id: string; readonly as: Use; readonly at: number }[] = [];
  /** When it was stored that a machine is stopped because it is idle, by id. */
  readonly idled = new Map<string, number>();
  /** What the metric said to whoever asked. */
  readonly measured: { readonly says: string; readonly asked: number; readonly answered: number }[] = [];
  readonly sized: Sized[] = [];
  /** By fleet what its last bound was told for, and all of them. */
  readonly #toldFor = new Map<string, string>();
  readonly told: ToldBound[] = [];
  /** What machines say from when on, if they are asked for their health. One that is not here is well. */
  readonly ails: { readonly id: string; readonly as: "good" | "bad" | "unknown"; readonly from: number }[] =
    [];
  /** What agents heard when they asked machines for their health. */
  readonly examined: { readonly id: string; readonly as: "good" | "bad" | "unknown"; readonly at: number }[] =
    [];
  /** When it was stored that a machine is stopped because it is unhealthy, by id. */
  readonly unhealthy = new Map<string, number>();
  /** Moves to cheaper machines, and to larger ones, and updates. */
  readonly moves: MoveSpan[] = [];
  /** By owner, what its candidates allow, and whether its update is paused, as was stored last. */
  readonly allowed = new Map<string, { readonly keys: readonly string[]; readonly isHeld: boolean }>();
  /** When it was stored that a machine is stopped because another one takes its place in an update, by id. */
  readonly updated = new Map<string, number>();
  /** When it was stored that a fleet is whole for the first time, `whole` by the product's clock; when its life ends; and when that is over. */
  readonly lives: {
    readonly owner: string;
    readonly name: string;
    readonly whole: number;
    readonly isFirst: boolean;
    readonly from: number;
    readonly end: number;
    over: number;
    /** It was over as its fleet was removed, or renamed. */
    isRemoved: boolean;
  }[] = [];
  /** When a fleet's triggers changed: its machines of that time are to be replaced. */
  readonly renewals: { readonly owner: string; readonly at: number }[] = [];
  /** Destroys that succeeded: nothing of the slot may bill from then on. */
  readonly destroyed: { readonly owner: string; readonly at: number }[] = [];
  /** The agent that took each account last, where agents have leases. */
  readonly keepers = new Map<string, string>();
  readonly staleActs: StaleAct[] = [];
  /** Commits after which the parts of a fleet and what is on its way between them were not the whole. */
  readonly surpluses: { readonly at: number; readonly what: string }[] = [];
  /** Errors that no part of the product should throw. */
  readonly surprises: string[] = [];
  /** How many effects of a kind there were, by kind of process: `agent commit`. */
  readonly effects = new Map<string, number>();
  /** Blows that really fell: the process died, or the ledger failed, at the nth effect of this kind. */
  readonly struck: Struck[] = [];
  /** Blows whose effect began, even if another one killed the process first. */
  readonly begun: Struck[] = [];
  /** States of proof/world/reached.ts that commits stored. */
  readonly reached = new Set<string>();
  readonly counts = { effects: 0, crashes: 0, restarts: 0, pauses: 0, ledgerErrors: 0 };
  readonly trace: { readonly at: number; readonly who: string; readonly what: string }[] = [];

  /** It is not at work any more. */
  endShift(process: string, at: number): void {
    for (const shift of this.shifts) if (shift.process === process) shift.until = Math.min(shift.until, at);
  }

  /** From now on this owner may launch again. */
  letGo(owner: string, at: number): void {
    this.mayLetGo(owner, at);
    for (const hold of this.holds) if (hold.owner === owner) hold.over = Math.min(hold.over, at);
  }

  /** The owner may launch, or may still be held: a name changed twice before it is read is a new fleet's. */
  mayLetGo(owner: string, at: number): void {
    for (const hold of this.holds) if (hold.owner === owner) hold.until = Math.min(hold.until, at);
  }

  /** This wish of the owner is not acted on any more. */
  endWish(owner: string, gpus: number, at: number): void {
    for (const wish of this.wishes)
      if (wish.owner === owner && wish.gpus === gpus && wish.until === Number.POSITIVE_INFINITY)
        wish.until = at;
  }

  /** What a commit stored of a machine. */
  storeDeployment(row: DeploymentRow, at: number): void {
    const { id, lastSeen, claim, stop, returned } = row;
    if (row.setup?.state === "done" && !this.setUp.has(id)) this.setUp.set(id, at);
    if (returned) this.returned.add(id);
    if (row.end === null) this.ended.delete(id);
    else if (!this.ended.has(id)) this.ended.set(id, at);
    if (row.end !== null && row.end !== "gone" && !this.endedFirst.has(id)) this.endedFirst.set(id, at);
    this.#storeInferred(row, at);
    if (lastSeen && !this.seen.has(id)) this.seen.set(id, at);
    if (claim && !this.claimed.has(id)) this.claimed.set(id, at);
    // What was asked before a stop that is taken back is asked again before the next one.
    if (!stop && row.end === null && this.condemned.delete(id)) {
      this.idled.delete(id);
      for (const save of this.saves) if (save.id === id) save.isTakenBack = true;
    }
    if (!stop || this.condemned.has(id)) return;
    this.condemned.set(id, at);
    if (stop.why.startsWith("it is unhealthy, for")) this.unhealthy.set(id, at);
    if (stop.why.startsWith("it has been idle")) this.idled.set(id, at);
    // What is new and was given up ends with the same words.
    const isNew = stop.why.startsWith("it was not ready");
    if (/ (?:of an older wish|older than \S+)$/.test(stop.why) && !isNew) this.updated.set(id, at);
  }

  #storeInferred({ id, claim, intent }: DeploymentRow, at: number): void {
    const made = claim === "inferred" ? intent : null;
    const held = this.inferred.find((each) => each.id === id && each.until === Number.POSITIVE_INFINITY);
    if (held?.intent === made) return;
    if (held) held.until = at;
    if (made !== null) this.inferred.push({ id, intent: made, from: at, until: Number.POSITIVE_INFINITY });
  }

  /** A commit stored this of a fleet: what it can cost is told anew where that may be something else. */
  tellBound({ name, removed, wish, part, whole, born }: FleetRow, at: number, bound: Bound): void {
    const of = JSON.stringify([wish, part?.whole, whole, born]);
    if (removed || this.#toldFor.get(name) === of) return;
    this.#toldFor.set(name, of);
    this.told.push({ owner: String(parseWish(wish).parameters.owner), at, bound });
  }

  /** What a commit stored of a fleet. A fleet that was renamed has its move under its new name. */
  storeFleet(row: FleetRow, at: number): void {
    const { name, born, removed, wish, improving, improved, updating, updateHeld } = row;
    if (born && !this.born.has(name)) this.born.set(name, at);
    this.#storeLife(row, at);
    if (removed) return;
    const { parameters, candidates = [] } = parseWish(wish);
    const owner = String(parameters.owner);
    const allowed = candidates.map(combinationKey);
    this.allowed.set(owner, { keys: allowed, isHeld: updateHeld !== undefined });
    const under = improving ?? updating;
    const moves = this.moves.filter((each) => each.owner === owner);
    const now = moves.find(({ begun }) => begun === under?.begun.wall);
    for (const move of moves) {
      if (move.until !== Number.POSITIVE_INFINITY || move === now) continue;
      move.until = at;
      const over = improved?.find((each) => each.at === move.begun && each.left.length > 0);
      if (!over) continue;
      const gone = over.left.map(({ id }) => id);
      Object.assign(move, { isDone: true, isInPart: gone.length < move.left.length, left: gone });
    }
    if (!under || now) return;
    const left = improving ? improving.left.map(({ id }) => id) : (updating?.old ?? []);
    const span = { from: at, until: Number.POSITIVE_INFINITY, begun: under.begun.wall };
    const by = improving ? "improve" : (updating?.by ?? "update");
    this.moves.push({
      owner,
      by,
      allowed,
      ...span,
      left,
      fills: improving?.fills ?? 0,
      isAhead: under.ahead > 0,
      ...{ isDone: false, isInPart: false },
    });
  }

  /** A fleet that was renamed goes on with its life. */
  #storeLife({ name, whole, wish, removed }: FleetRow, at: number): void {
    const { parameters, life } = parseWish(wish);
    const owner = String(parameters.owner);
    const began = removed || life === undefined ? undefined : whole;
    const lives = this.lives.filter((each) => each.owner === owner);
    const last = lives.findLast((each) => each.name === name && each.over > at);
    if (last?.whole === began) return;
    if (last) Object.assign(last, { over: at, isRemoved: removed });
    if (began === undefined) return;
    const same = lives.find((each) => each.whole === began);
    const end = same?.end ?? at + milliseconds(life ?? "");
    const span = { from: at, end, over: Number.POSITIVE_INFINITY, isRemoved: false };
    this.lives.push({ owner, name, whole: began, isFirst: same === undefined, ...span });
  }

  /** What a commit stored of a launch. */
  storeIntent({ marker, state, detail, gpus }: IntentRow, at: number): void {
    const from = this.opened.get(marker)?.from ?? at;
    if (state !== "open") {
      if (this.open.delete(marker)) this.opened.set(marker, { from, until: at, gpus });
    } else if (!this.open.has(marker)) {
      this.opened.set(marker, { from, until: Number.POSITIVE_INFINITY, gpus });
      if (this.open.size === 0) this.alone.add(marker);
      this.open.add(marker);
    }
    if (detail === "sending") this.stamps.set(marker, at);
  }

  /** Numbers the effect among those of its kind. */
  effect(who: string, kind: EffectKind): number {
    const key = `${who} ${kind}`;
    const nth = (this.effects.get(key) ?? 0) + 1;
    this.effects.set(key, nth);
    return nth;
  }

  call(process: string, operation: keyof Service): void {
    const key = `${process} ${operation}`;
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
  }

  leave(marker: string): void {
    this.left.set(marker, (this.left.get(marker) ?? 0) + 1);
  }

  callsOf(process: string, operation: keyof Service): number {
    return this.calls.get(`${process} ${operation}`) ?? 0;
  }

  /** An agent stores or sends something. `keeper`: the one that had taken the account last in that moment. */
  act(what: StaleAct["what"], process: string, keeper: string | undefined, at: number): void {
    if (keeper !== undefined && keeper !== process) this.staleActs.push({ process, at, what, keeper });
  }

  forgetCooling(process: string, since: number): void {
    this.cooling = this.cooling.filter((each) => each.process !== process || each.known < since);
  }

  note(at: number, who: string, what: string): void {
    this.trace.push({ at, who, what });
  }
}
