import { describe, expect, it } from "vitest";
import { epochOf } from "../../ledger/epoch.ts";
import type { Clock, Instant } from "../../ledger/instant.ts";
import { here, isLater } from "../../ledger/instant.ts";
import type { StoredEpoch } from "../../ledger/ledger-time.ts";
import { LedgerTime } from "../../ledger/ledger-time.ts";
import { Prng } from "../../simulator/prng.ts";

const local: Clock = {
  self: { boot: "boot1", pid: 7, started: "now" },
  now: () => ({ wall: 1, mono: 1, boot: "boot1" }),
  sleep: async () => undefined,
  isAlive: ({ pid }) => pid === 7,
};

/** A computer and a database in one true time, in milliseconds. */
class Scene {
  readonly time: LedgerTime;
  readonly clock: Clock;
  true = 1_000_000;
  /** The database's clock less the true time. */
  shift = 5 * 60_000;
  server = "one";
  readonly #rate: number;
  #stood = 0;

  /** `rate`: how fast the computer's monotonic clock runs. */
  constructor(rate = 1) {
    this.#rate = rate;
    this.time = new LedgerTime(() => (this.true - this.#stood) * this.#rate);
    this.clock = this.time.clock(local);
    this.ask(0, 0);
    this.time.began({ number: 1, since: this.shown });
  }

  get shown(): number {
    return this.true + this.shift;
  }

  /** The question takes so long, and then the answer. */
  ask(there: number, back: number): void {
    const answered = this.time.ask();
    this.true += there;
    const shown = { time: this.shown, server: this.server };
    this.true += back;
    answered(shown);
  }

  /** The computer's monotonic clock stands still for so long. */
  stand(ms: number): void {
    this.true += ms;
    this.#stood += ms;
  }

  isOver(epoch: StoredEpoch = this.stored()): boolean {
    return this.time.needsEpoch(epoch, this.server);
  }

  stored(): StoredEpoch {
    return { ...this.time.epoch, server: "one" };
  }
}

function holds({ mono, error = 0 }: Instant, time: number): boolean {
  return mono - error <= time && time <= mono + error;
}

describe("the clock of a ledger that hosts share", () => {
  it("never leaves its bounds, whatever answers take and however clocks drift", () => {
    const random = new Prng("bounds");
    for (let round = 0; round < 300; round++) {
      const scene = new Scene(0.981 + 0.038 * random.next());
      for (let step = 0; step < 40; step++) {
        scene.true += random.next() * 10 ** random.integer(0, 5);
        expect(holds(scene.clock.now(), scene.shown)).toBe(true);
        scene.ask(random.next() * 10 ** random.integer(0, 4), random.next() * 10 ** random.integer(0, 4));
        expect(holds(scene.clock.now(), scene.shown)).toBe(true);
        expect(scene.isOver()).toBe(false);
      }
    }
  });

  it("never leaves them where answers overtake each other", () => {
    const random = new Prng("overtaken");
    for (let round = 0; round < 200; round++) {
      const scene = new Scene(0.981 + 0.038 * random.next());
      let open: { readonly answered: (shown: { time: number; server: string }) => void; time?: number }[] =
        [];
      for (let step = 0; step < 100; step++) {
        scene.true += random.next() * 2_000;
        open.push({ answered: scene.time.ask() });
        scene.true += random.next() * 100;
        for (const each of open) if (random.next() < 0.5) each.time ??= scene.shown;
        scene.true += random.next() * 100;
        for (const { answered, time } of open) if (time !== undefined) answered({ time, server: "one" });
        open = open.filter(({ time }) => time === undefined);
        expect(holds(scene.clock.now(), scene.shown)).toBe(true);
        expect(scene.isOver()).toBe(false);
      }
    }
  });

  it("knows the time to a millisecond or two after a quick answer, however slow those after it are", () => {
    const scene = new Scene();
    scene.ask(0.2, 0.2);
    scene.ask(100, 5_000);
    expect(scene.clock.now().error).toBeLessThanOrEqual(2 + 0.02 * 5_100);
    scene.ask(0.2, 0.2);
    expect(scene.clock.now().error).toBeLessThanOrEqual(2);
  });

  it("never goes back, also where an answer moves the middle back", () => {
    const scene = new Scene();
    scene.ask(0, 8_000);
    let last = scene.clock.now().mono;
    for (const [there, back] of [
      [0, 3_000],
      [3_000, 0],
      [1, 0],
      [0, 1],
    ] as const) {
      scene.ask(there, back);
      const now = scene.clock.now();
      expect(now.mono).toBeGreaterThanOrEqual(last);
      expect(holds(now, scene.shown)).toBe(true);
      last = now.mono;
    }
  });

  it.each([
    ["the database's clock is set forward", (scene: Scene) => (scene.shift += 60_000)],
    ["the database's clock is set back", (scene: Scene) => (scene.shift -= 60_000)],
    ["the computer's monotonic clock stood still", (scene: Scene) => scene.stand(60_000)],
    ["another server answers", (scene: Scene) => (scene.server = "two")],
  ])("begins an epoch after %s, and counts on by the old one until then", (_, happen) => {
    const scene = new Scene();
    const before = scene.clock.now();
    happen(scene);
    scene.true += 1_000;
    scene.ask(1, 1);
    const meanwhile = scene.clock.now();
    expect(meanwhile.boot).toBe(before.boot);
    expect(meanwhile.mono - before.mono).toBeLessThan(1_100);
    expect(scene.isOver()).toBe(true);

    scene.ask(1, 1);
    expect(scene.isOver()).toBe(true);
    const epoch = { number: 2, since: Math.round(scene.shown) };
    scene.time.began(epoch);
    const after = scene.clock.now();
    expect(epochOf(after.boot)).toEqual(epoch);
    expect(holds(after, scene.shown)).toBe(true);
    expect(scene.isOver({ ...epoch, server: scene.server })).toBe(false);
    // What this process took before it heard of the epoch is no later than what others stored in it.
    expect(isLater(meanwhile, after)).toBe(false);
    expect(isLater(after, meanwhile)).toBe(true);
  });

  it("goes with the epochs that others begin, and with none that is older than what it has seen", () => {
    const scene = new Scene();
    const { since } = scene.time.epoch;
    expect(scene.isOver({ number: 4, since: since + 5, server: "one" })).toBe(false);
    expect(epochOf(scene.clock.now().boot)).toEqual({ number: 4, since: since + 5 });
    // Lost by a restore, or by a standby that did not have it yet.
    expect(scene.isOver({ number: 3, since: since + 2, server: "one" })).toBe(true);
    expect(scene.isOver({ number: 4, since: since + 9, server: "one" })).toBe(true);
    expect(scene.isOver({ number: 5, since: since + 9, server: "one" })).toBe(false);
    // Another one's host wrote it on a server that is gone.
    expect(scene.isOver({ number: 6, since: since + 9, server: "two" })).toBe(true);
    expect(scene.isOver({ number: 6, since: since + 9, server: null })).toBe(true);
  });

  it("has no epoch before it heard of one: then nothing that it says is later than what is stored", () => {
    const time = new LedgerTime(() => 0);
    time.ask()({ time: 9_000_000, server: "one" });
    const early = time.clock(local).now();
    time.follow({ number: 1, since: 10, server: "one" });
    const stored = time.clock(local).now();
    expect(isLater(early, stored)).toBe(false);
  });

  it("calls a process of another computer never dead, and one of its own as that knows it", () => {
    const { clock } = new Scene();
    expect(clock.isAlive({ boot: "boot1", pid: 7, started: "now" })).toBe(true);
    expect(clock.isAlive({ boot: "boot1", pid: 8, started: "now" })).toBe(false);
    expect(clock.isAlive({ boot: "boot2", pid: 8, started: "now" })).toBe(true);
    // A boot that was guessed from name and hour may be another computer's.
    const guessed = new LedgerTime().clock({ ...local, self: { ...local.self, boot: "guessed:host-1" } });
    expect(guessed.isAlive({ boot: "guessed:host-1", pid: 8, started: "now" })).toBe(true);
    expect(clock.self).toBe(local.self);
  });

  it("leaves what a process measures alone to the computer's own clock", () => {
    const { clock } = new Scene();
    expect(here(clock)).toEqual(local.now());
    expect(here(local)).toEqual(local.now());
  });
});
