import { wentBadly } from "../../launch/admit/trial-launch.ts";
import { madeAllTheSame } from "../../launch/claim/refused.ts";
import { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { tablesOf } from "../../ledger/tables.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { unhandled } from "../../service/contract/errors.ts";
import type { Case } from "./case.ts";
import { contextOf } from "./decide.ts";
import type { Machine, State } from "./state.ts";
import { isAlive } from "./state.ts";
import { isOfBefore, LISTED_WITHIN, LONGER, SETTINGS, TICK } from "./time.ts";

/**
 * The key of a state: states with one key go on alike. Names become numbers in order of appearance. Moments
 * become ages, up to the longest wait that reads them. Left out is what no decision reads any more: events,
 * closed launches that nothing refers to, machines that are over. explore.ts compares samples of equal states
 * to check that.
 */
export function keyOf(world: Case, state: State): string {
  return new Canonical(world, state).key();
}

const POLL = SETTINGS.poll;
const SETTLED = SETTINGS.settle + SETTINGS.postTimeout;

class Canonical {
  readonly #world: Case;
  readonly #state: State;
  readonly #slots = new Map<string, number>();
  readonly #processes = new Map<number, number>();
  readonly #machines = new Map<string, number>();
  readonly #intents = new Map<string, number>();
  readonly #rows: ReadonlyMap<string, DeploymentRow>;
  readonly #reported: ReadonlySet<string | undefined>;
  /** The age of the oldest list that is still to be stored. */
  readonly #begun: number;

  /** Caps the age of a sight: only a cut list lacks it, only an earlier list is older news. */
  readonly #seenCap: number;
  /** By how much waits are longer between hosts. */
  readonly #longer: number;

  constructor(world: Case, state: State) {
    this.#world = world;
    this.#state = state;
    this.#longer = world.hosts === 2 ? LONGER : 0;
    this.#rows = new Map(state.rows.deployments.map((row) => [row.id, row]));
    this.#reported = new Set(state.rows.intents.map(({ reported }) => reported));
    const oldest = state.lists.reduce((most, { begun }) => Math.max(most, state.now - begun.mono), -TICK);
    // The next list that is held up was asked for a millisecond ago: see fault-steps.ts.
    this.#begun = Math.max(world.kinds.includes("slowList") ? 1 : 0, oldest);
    this.#seenCap = world.kinds.includes("cutList") ? this.#begun + TICK : this.#begun;
  }

  key(): string {
    const { now, rows, requests, tasks, lists, processes, slots, budget, wrong } = this.#state;
    const intents = rows.intents.filter((intent) => this.#matters(intent));
    for (const { id } of intents) this.#intents.set(id, this.#intents.size);
    const machines = this.#state.machines.filter((machine) => this.#counts(machine, intents));
    for (const { id } of machines) this.#machines.set(id, this.#machines.size);
    const parts = [
      ...intents.map((intent) => this.#intent(intent, machines)),
      "|",
      ...machines.map((machine) => this.#machine(machine)),
      "|",
      ...requests.map(
        ({ intent, slot, sent, prompt }) =>
          `${this.#refer(intent)}${this.#slot(slot)}${prompt ? "p" : this.#world.prompt ? now - sent : "a"}`,
      ),
      "|",
      ...tasks
        .map(({ process, slot, intent, stage, sent, slow }) => {
          const answer = stage.at === "answered" ? `${stage.answer}${this.#shown(stage.machine)}` : "";
          const age = slow ? Math.min(now - sent, SETTINGS.postTimeout + TICK) : "";
          return `${this.#refer(intent)}${this.#process(process)}${this.#slot(slot)}${stage.at}${answer}${age}`;
        })
        .sort(),
      "|",
      ...lists.map(
        ({ process, begun, deployments }) =>
          `${this.#process(process)}${this.#age(begun, LISTED_WITHIN)}${deployments.map(({ id, status }) => (this.#machines.has(id) ? `${this.#shown(id)}${status}` : "")).join("")}`,
      ),
      "|",
      this.#account(),
      this.#trials(),
      ...rows.cooldowns.map(
        (row) => `${combinationKey(row)}${Math.max(0, row.seconds * 1000 - (now - row.since.mono))}`,
      ),
      "|",
    ];
    // The rest has no order of its own: what is not named yet looks alike whichever comes first.
    const retiring = slots.filter(({ wish }) => wish === "retiring");
    for (const { id, successor } of retiring) if (this.#slots.has(id)) this.#slot(successor ?? "");
    for (const { id, successor } of retiring) if (this.#slots.has(successor ?? "")) this.#slot(id);
    for (const { id, successor } of retiring) {
      this.#slot(id);
      this.#slot(successor ?? "");
    }
    const wishes = slots.map(({ id, wish, successor, place }) => {
      const after = wish === "retiring" ? this.#slot(successor ?? "") : "";
      return `${this.#slots.get(id) ?? "-"}${wish}${after}${this.#place(place)}`;
    });
    parts.push(...wishes.sort());
    parts.push(
      "|",
      ...processes
        .map(
          ({ paused }, at) => `${this.#processes.get(at) ?? (this.#world.hosts === 2 ? at : "-")}${paused}`,
        )
        .sort(),
    );
    parts.push(`|${budget.faults}${budget.strangers}${budget.destroys}${budget.replaces}${wrong ?? ""}`);
    return parts.join(" ");
  }

  /** A closed launch matters while it may still decide something, or its answer is on its way. */
  #matters(intent: IntentRow): boolean {
    const { rows, tasks, now } = this.#state;
    if (intent.state === "open") return true;
    if (tasks.some((task) => task.intent === intent.id)) return true;
    switch (intent.state) {
      case "absent":
        return intent.reported === undefined || intent.answer?.unshown !== undefined;
      case "claimed":
        // A second refusal that made a machine ends launches there.
        if (intent.refusal !== undefined) return true;
        // It is opened again when a person says that its seeming machine is another's.
        if (this.#world.person && this.#rows.get(intent.deployment ?? "")?.claim === "inferred") return true;
        return (
          (intent.answer?.id ?? null) === null &&
          intent.resolved !== null &&
          now - intent.resolved.mono < SETTINGS.settle + this.#longer
        );
      case "disputed":
        return rows.deployments.some((row) => row.intent === intent.id && row.claim === "disputed");
      case "rejected":
        // A late machine may be its own: lateArrival is longer than any path. A cooldown made nothing.
        return intent.refusal?.kind !== "cooling";
      case "notSent":
        return false;
      default:
        return unhandled(intent.state);
    }
  }

  /** An ended machine that is claimed is nobody's candidate any more. */
  #counts(machine: Machine, intents: readonly IntentRow[]): boolean {
    if (isAlive(machine)) return true;
    const row = this.#rows.get(machine.id);
    if (row === undefined || row.end === null) return true;
    const { tasks, lists } = this.#state;
    const showsAlive = lists.some(({ deployments }) =>
      deployments.some(({ id, status }) => id === machine.id && status === "running"),
    );
    if (showsAlive) return true;
    if (tasks.some(({ stage }) => stage.at === "answered" && stage.machine === machine.id)) return true;
    return intents.some(
      (intent) =>
        intent.deployment === machine.id ||
        intent.answer?.id === machine.id ||
        intent.answer?.unshown === machine.id ||
        row.intent === intent.id ||
        (row.claim === null && row.sequence > intent.baseline),
    );
  }

  #intent(intent: IntentRow, machines: readonly Machine[]): string {
    const { state, owner, group, baseline, sender, stamped, answer, settle, resolved, deployment, reported } =
      intent;
    const known = machines.filter(({ id }) => (this.#rows.get(id)?.sequence ?? Infinity) <= baseline).length;
    const open = state === "open";
    const underWay = answer === null && this.#state.now - stamped.mono < SETTINGS.postTimeout + this.#longer;
    const parts = [
      state,
      this.#slot(owner.slice("slot:".length)),
      group[0],
      this.#place(intent),
      known,
      open && underWay ? this.#sender(sender.boot, sender.pid) : "",
      open ? this.#age(stamped, SETTINGS.postTimeout + this.#begun) : "",
      answer ? `${this.#shown(answer.id)}${this.#shown(answer.unshown ?? null)}` : "-",
      open && settle
        ? `${Math.min(settle.covered, SETTLED)}${Math.min(settle.lists, SETTINGS.settleLists)}${this.#age(settle.last, POLL + this.#begun)}`
        : "",
      state === "claimed" && resolved ? this.#age(resolved, SETTINGS.settle) : "",
      this.#shown(deployment),
      this.#shown(reported ?? null),
      intent.refusal ? this.#refused(intent) : "",
    ];
    return parts.join(".");
  }

  /** Whether it made a machine all the same, and of which it would count if that one is reported for it. */
  #refused(intent: IntentRow): string {
    const { rows } = this.#state;
    const made = madeAllTheSame(new Draft(tablesOf(rows)), intent, contextOf(this.#world, this.#state));
    const { resolved, state, reported } = intent;
    if (this.#world.tenure === "exclusive" || state !== "rejected" || reported !== undefined || !resolved)
      return `${made !== undefined}`;
    const soon = rows.deployments.filter(
      ({ claim, firstSeen }) => claim !== "certain" && elapsed(resolved, firstSeen) < SETTINGS.settle,
    );
    return `${this.#age(resolved, SETTINGS.settle)}${soon.map(({ id }) => this.#shown(id)).join("")}`;
  }

  #machine(machine: Machine): string {
    const { now } = this.#state;
    const { slot, intent, status, listed, sent } = machine;
    const marked = this.#world.shows === "marker" && intent !== null ? this.#refer(intent) : "";
    const seen = listed ? "" : this.#world.prompt ? `u${now - sent}` : "u";
    const truth = `${slot === null ? "s" : this.#slot(slot)}${marked}${status[0]}${seen}${this.#place(machine.place)}`;
    const row = this.#rows.get(machine.id);
    return row === undefined ? truth : `${truth}:${this.#row(row)}`;
  }

  #row(row: DeploymentRow): string {
    const { sequence, status, statusSince, claim, owner, intent, stop, lastSeen, missing, end } = row;
    const own = this.#state.rows.intents.find(({ id }) => id === intent);
    const rank = this.#state.rows.deployments.reduce(
      (lower, each) => lower + (each.sequence < sequence && this.#machines.has(each.id) ? 1 : 0),
      0,
    );
    const parts = [
      rank,
      status[0],
      claim?.[0],
      owner === null ? "" : this.#slot(owner.slice("slot:".length)),
      intent === null ? "" : (this.#intents.get(intent) ?? "d"),
      own?.answer?.id === row.id ? "a" : "",
      stop
        ? `${stop.accepted}${stop.attempts}${stop.attempted && this.#age(stop.attempted, POLL * 2 ** stop.attempts)}`
        : "",
      lastSeen
        ? this.#age(lastSeen, this.#seenCap)
        : `n${row.claimed && row.end === null ? this.#age(row.claimed, SETTINGS.settle + this.#begun) : ""}`,
      missing
        ? `${missing.lists}${missing.notFound}${this.#age(missing.since, SETTINGS.gone + this.#begun)}`
        : "",
      end ?? "",
      row.returned
        ? `${row.returned.times}${row.returned.ending ? `${row.returned.ending.agreed}${this.#age(row.returned.ending.since, SETTINGS.settle)}` : ""}`
        : "",
      // How long it has lacked a marker.
      this.#world.shows === "marker" && claim !== "certain" ? this.#age(statusSince, SETTINGS.settle) : "",
      this.#reported.has(row.id) ? "r" : "",
    ];
    return parts.join(".");
  }

  #account(): string {
    const { list, doubt, profiles } = this.#state.rows.account;
    const known = Object.values(profiles).map(
      ({ proven, shown, halted }) =>
        `${proven}${[...shown].sort().join()}${halted ? `h${this.#shown(halted.id)}` : ""}`,
    );
    const stale = Math.max(POLL + SETTINGS.stampAge, this.#begun) + TICK;
    return [
      list ? this.#age(list, stale) : "n",
      doubt
        ? `${this.#age(doubt.begun, TICK + this.#begun)}${doubt.missing.map((id) => this.#shown(id)).join()}`
        : "",
      ...known,
    ].join();
  }

  /**
   * What says of each place if one launch tries it before others: the newest closed launch, and the open ones
   * that would take its turn. If only one launch can be open in all, this decides nothing.
   */
  #trials(): string {
    const { shows, slots } = this.#world;
    if (shows === "nothing" || slots.length === 1) return "";
    const places = Map.groupBy(this.#state.rows.intents, (intent) => combinationKey(intent));
    return [...places.values()]
      .map((intents) => {
        const at = intents.findLastIndex(({ state }) => state !== "open");
        const newest = intents[at];
        const isBad =
          newest !== undefined && wentBadly({ deployments: { ever: (id) => this.#rows.get(id) } }, newest);
        const open = intents.slice(at + 1).map(({ id }) => this.#refer(id));
        return `${this.#place(intents[0] as IntentRow)}${isBad}${this.#refer(newest?.id ?? "")}${open.join("")}`;
      })
      .sort()
      .join();
  }

  #age(instant: Instant, most: number): string {
    const age = Math.min(this.#state.now - instant.mono, most + this.#longer) / TICK;
    return isOfBefore(instant, this.#state) ? `${age}o` : `${age}`;
  }

  #sender(boot: string, pid: number): string {
    const at = this.#state.processes.findIndex((process) => process.pid === pid);
    // Whose host a dead one was on matters: the other one cannot know that it is dead.
    if (this.#world.hosts === 2) return at < 0 ? `x${boot}` : this.#process(at);
    return at < 0 || isOfBefore({ boot }, this.#state) ? "x" : this.#process(at);
  }

  #slot(id: string): number {
    return named(this.#slots, id);
  }

  #process(index: number): string {
    // Hosts are not alike: their clocks are apart.
    if (this.#world.hosts === 2) this.#processes.set(index, index);
    return `P${named(this.#processes, index)}`;
  }

  #refer(intent: string): string {
    return `i${this.#intents.get(intent) ?? "-"}`;
  }

  #shown(machine: string | null): string {
    return machine === null ? "" : `m${this.#machines.get(machine) ?? "-"}`;
  }

  #place(place: { readonly location: string }): string {
    return this.#world.slots.length > 1 ? place.location : "";
  }
}

function named<T>(names: Map<T, number>, name: T): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}
