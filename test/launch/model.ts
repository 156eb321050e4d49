import { stampForSend } from "../../launch/admit.ts";
import { enterSlot, slotFull } from "../../launch/slot.ts";
import { dueStops, recordStop } from "../../launch/stop.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { Deployment, LaunchAnswer } from "../../service/service.ts";
import type { BenchOptions } from "./bench.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

/** One machine as it truly is. */
export interface Machine {
  readonly id: string;
  /** The intent whose POST made it; null: a stranger's. */
  readonly intent: string | null;
  readonly place: typeof OSLO | typeof ROME;
  readonly marker: string | null;
  /** From when on lists and GETs show it. */
  readonly visible: number;
  status: string;
  stopping: number | null;
}

interface Pending {
  readonly intent: string;
  readonly pid: number;
  readonly due: number;
  readonly answer: LaunchAnswer;
}

export interface ModelOptions extends BenchOptions {
  readonly seed: number;
  readonly slots: number;
  /** The longest time from a POST to its machine being listed, ms. */
  readonly lag: number;
  /** A sender may be paused after its last look, for longer than anybody waits for it. */
  readonly pauses: boolean;
  /** A planted bug of the world: see the controls. */
  readonly resend?: boolean;
}

/** A service in its truth, with strangers and faults, and one account that is kept on a bench. */
export class Model {
  readonly bench: LaunchBench;
  readonly machines: Machine[] = [];
  /** Ids that were told to stop. */
  readonly stopped = new Set<string>();
  /** What was done, for the message of a failing seed. */
  readonly history: string[] = [];
  /** The most machines of ours that ever ran at once. */
  most = 0;
  readonly #options: ModelOptions;
  readonly #pending: Pending[] = [];
  #random: number;
  #ids = 0;
  #pid = 1;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#random = options.seed * 2_654_435_761;
    this.bench = new LaunchBench(options);
    this.bench.decide((draft, context) => {
      for (const slot of this.slots) enterSlot(draft, slot, slot, context);
    });
  }

  get slots(): readonly string[] {
    return Array.from({ length: this.#options.slots }, (_, index) => `slot${index}`);
  }

  alive(): readonly Machine[] {
    return this.machines.filter((machine) => isAlive(machine));
  }

  /** One random step, with every fault. */
  step(): void {
    const what = this.#pick([
      "list",
      "list",
      "list",
      "wait",
      "launch",
      "launch",
      "launch",
      "look",
      "stops",
      "fault",
    ]);
    switch (what) {
      case "list":
        this.bench.advance(this.#below(this.bench.settings.poll));
        this.list();
        break;
      case "wait":
        this.bench.advance(this.#below(60_000));
        break;
      case "launch":
        this.launch(this.#pick(this.slots), this.#fate());
        break;
      case "look": {
        const id = this.#pick([...this.machines.map((machine) => machine.id), "nothing"]);
        this.#publish();
        this.bench.look(id);
        break;
      }
      case "stops":
        this.stops();
        break;
      case "fault":
        this.#fault();
    }
    this.deliver();
    this.most = Math.max(this.most, this.alive().filter((machine) => machine.intent !== null).length);
  }

  /** What an agent does without faults, until this much time has passed. */
  calm(ms: number): void {
    for (let left = ms; left > 0; left -= this.bench.settings.poll) {
      this.bench.advance(this.bench.settings.poll);
      this.deliver();
      this.list();
      this.stops();
      for (const slot of this.slots) this.launch(slot, "accepted");
      this.deliver();
    }
  }

  list(): void {
    this.#publish();
    this.bench.list();
  }

  launch(slot: string, fate: Fate): void {
    const { bench } = this;
    const pid = this.#pid;
    const place = this.#pick([OSLO, ROME]);
    const admission = bench.admit(
      {
        ...place,
        owner: slotOwner(slot),
        full: (draft) => slotFull(draft, slot, bench.context),
      },
      pid,
    );
    if ("refused" in admission) return;
    const { id: intent, marker } = admission.intent;
    this.history.push(`${bench.now.mono} ${slot} ${intent} ${place.location} ${fate}`);
    if (fate === "forgotten") {
      this.crash();
      return;
    }
    if (!bench.decide((draft, context) => stampForSend(draft, intent, context))) return;
    const make = (delay: number): Machine =>
      this.#make({
        intent,
        place,
        marker: this.#options.marker ? marker : null,
        visible: bench.now.mono + delay,
      });
    const answerLater = (answer: LaunchAnswer, ms: number): void => {
      this.#pending.push({ intent, pid, due: bench.now.mono + ms, answer });
    };
    const accepted = ({ id }: Machine): LaunchAnswer => ({ kind: "accepted", id, deployment: {} });
    const unknown: LaunchAnswer = { kind: "unknown", reason: "timeout" };
    switch (fate) {
      case "accepted": {
        answerLater(accepted(make(0)), 0);
        break;
      }
      case "slow":
        answerLater(accepted(make(this.#below(this.#options.lag))), this.#below(bench.settings.postTimeout));
        break;
      case "lostMade":
        make(this.#below(this.#options.lag));
        if (this.#options.resend) make(0);
        answerLater(unknown, this.#below(bench.settings.postTimeout));
        break;
      case "lost":
        answerLater(unknown, this.#below(bench.settings.postTimeout));
        break;
      case "crashMade":
        make(this.#below(this.#options.lag));
        this.crash();
        break;
      case "crash":
        this.crash();
        break;
      case "rejected":
        answerLater({ kind: "rejected", status: 422, code: "no_capacity" }, 0);
        break;
      case "cooling":
        answerLater({ kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 30 }, 0);
        break;
      case "notSent":
        answerLater({ kind: "notSent", reason: "refused" }, 0);
        break;
      case "paused":
        // The process sleeps between its last look and the POST: the machine is made, and answered, long after.
        answerLater(accepted(make(600_000)), 600_000 + this.#below(60_000));
    }
  }

  /** The process that launches dies: its answers reach nobody. */
  crash(): void {
    this.bench.dead.add(this.#pid);
    for (let index = this.#pending.length - 1; index >= 0; index--) {
      if (this.#pending[index]?.pid === this.#pid) this.#pending.splice(index, 1);
    }
    this.#pid += 1;
  }

  stops(): void {
    const { bench } = this;
    for (const { id } of bench.decide(dueStops)) {
      this.stopped.add(id);
      const machine = this.machines.find((each) => each.id === id);
      const gone = machine === undefined || machine.visible > bench.now.mono;
      if (!gone && isAlive(machine) && machine.stopping === null) {
        machine.status = "stopping";
        machine.stopping = bench.now.mono;
      }
      this.history.push(`${bench.now.mono} stop ${id}`);
      bench.decide((draft, context) => recordStop(draft, id, { kind: gone ? "gone" : "accepted" }, context));
    }
  }

  deliver(): void {
    for (const each of this.#pending.filter(({ due }) => due <= this.bench.now.mono)) {
      this.#pending.splice(this.#pending.indexOf(each), 1);
      const outcome = this.bench.answer(each.intent, each.answer);
      this.history.push(
        `${this.bench.now.mono} answer ${each.intent} ${each.answer.kind} -> ${outcome.kind}`,
      );
    }
  }

  #make(machine: Omit<Machine, "id" | "status" | "stopping">): Machine {
    const made: Machine = { ...machine, id: `m${++this.#ids}`, status: "running", stopping: null };
    this.machines.push(made);
    this.history.push(`${this.bench.now.mono} ${made.id} made by ${made.intent ?? "a stranger"}`);
    return made;
  }

  #publish(): void {
    const { now } = this.bench;
    for (const machine of this.machines) {
      if (machine.stopping !== null && now.mono - machine.stopping > 20_000) machine.status = "terminated";
      if (machine.visible > now.mono) continue;
      const { offer, provider, location } = machine.place;
      const { combination } = this.bench.wire.abilities;
      const shown: Deployment = {
        id: machine.id,
        status: machine.status,
        ...(combination ? { offer, provider, location } : {}),
        ...(machine.marker === null ? {} : { marker: machine.marker }),
      };
      this.bench.shown.set(machine.id, shown);
    }
  }

  #fault(): void {
    const shared = this.bench.rows.account.tenure === "shared";
    const living = this.alive().filter((machine) => machine.visible <= this.bench.now.mono);
    switch (this.#pick(["fail", "crash", "stranger", "stranger", "strangerStops", "nothing"])) {
      case "fail": {
        const machine = living[this.#below(living.length)];
        if (machine) machine.status = this.#pick(["failed", "interrupted"]);
        break;
      }
      case "crash":
        this.crash();
        break;
      case "stranger":
        if (shared) this.#make({ intent: null, place: this.#pick([OSLO, ROME]), marker: null, visible: 0 });
        break;
      case "strangerStops": {
        const machine = living.find((each) => each.intent === null);
        if (machine) machine.status = "failed";
      }
    }
  }

  #fate(): Fate {
    const fates: Fate[] = ["accepted", "slow", "lostMade", "lost", "crashMade", "crash", "forgotten"];
    fates.push("rejected", "cooling", "notSent", "accepted", "accepted");
    if (this.#options.pauses) fates.push("paused");
    return this.#pick(fates);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #below(limit: number): number {
    // mulberry32
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }
}

type Fate =
  | "accepted"
  | "slow"
  | "lostMade"
  | "lost"
  | "crashMade"
  | "crash"
  | "forgotten"
  | "rejected"
  | "cooling"
  | "notSent"
  | "paused";

function isAlive({ status }: Machine): boolean {
  return status === "running" || status === "stopping";
}
