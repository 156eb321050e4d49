import type { Budget } from "../../agent/fleet/declare/budgets.ts";
import type { FleetDeclaration } from "../../agent/fleet/declare/fleets.ts";
import { parseWish, type WishInput } from "../../agent/fleet/wish/wish.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { metricOf } from "../scenario/metric.ts";
import type { FleetSpec, Scenario } from "../scenario/scenario.ts";
import { MOST, opensAt, scheduleOf, sizesFrom } from "../scenario/windows.ts";
import type { Recorder, WishSpan } from "./recorder.ts";

const HOUR = 3_600_000;
export const SOURCE = "file:fleet.yaml";

const SETUP: WishInput["setup"] = { command: ["./join.sh"], within: "12m" };
const CHECK: WishInput["ready"] = { address: "host", command: ["./check.sh"], within: "5m", replace: true };

/**
 * This world's fleet file as people edit it, and a record of what it asked for and when. A wish may be acted
 * on until the next one is certainly in the ledger.
 */
export class FleetFile {
  readonly #recorder: Recorder;
  readonly #now: () => number;
  readonly #started: number;
  readonly #clockError: number;
  readonly #fallError: number;
  readonly #fleets = new Map<string, FleetSpec>();
  readonly #lowered = new Map<string, number>();
  /** What fleets want since they gave back idle machines. */
  readonly #given = new Map<string, WishSpan>();
  /** What fleets want by their metrics, and by which answer. */
  readonly #sizes = new Map<string, number>();
  readonly #asked = new Map<string, string>();
  #version = 0;
  #superseded: { readonly owner: string; readonly version: number; readonly before: number }[] = [];

  /**
   * `clockError`: by so much a clock that windows go by may be wrong, in ms. `fallError`: for so long another account may go by what a metric or
   * a person asks for no more.
   */
  constructor(recorder: Recorder, now: () => number, clockError: number, fallError: number) {
    this.#recorder = recorder;
    this.#clockError = clockError;
    this.#fallError = fallError;
    this.#now = now;
    this.#started = now();
  }

  /** The number of edits. */
  get version(): number {
    return this.#version;
  }

  get fleets(): readonly FleetSpec[] {
    return [...this.#fleets.values()];
  }

  put(fleet: FleetSpec): void {
    this.#version += 1;
    const { wishes } = this.#recorder;
    this.#superseded.push({ owner: fleet.owner, version: this.#version, before: wishes.length });
    this.#fleets.set(fleet.name, fleet);
    for (const { from, until, gpus } of sizesFrom(fleet, this.#started, this.#now()))
      wishes.push({
        owner: fleet.owner,
        from: from - (from > this.#now() ? this.#clockError : 0),
        until: until + this.#clockError,
        gpus: this.#sizes.get(fleet.owner) ?? gpus,
        overshoot: fleet.overshoot,
        surge: fleet.surge ?? 0,
        buffer: fleet.buffer && { gpus: fleet.buffer.gpus, price: Number(fleet.buffer.price) },
        floor: fleet.floor === undefined ? undefined : Number(fleet.floor),
        perHour: fleet.perHour === undefined ? undefined : Number(fleet.perHour),
      });
  }

  edit(name: string, gpus: number): void {
    const fleet = this.#fleets.get(name);
    if (fleet) this.put({ ...fleet, gpus });
  }

  offer(name: string, candidates: FleetSpec["candidates"]): void {
    const fleet = this.#fleets.get(name);
    if (fleet) this.put({ ...fleet, candidates });
  }

  /** Machines of it were given back. The file says what it said. */
  lower(name: string, gpus: number): void {
    const fleet = this.#fleets.get(name);
    const last = this.#recorder.wishes.findLast((wish) => wish.owner === fleet?.owner);
    if (!fleet || !last) return;
    this.#lowered.set(fleet.owner, (this.#lowered.get(fleet.owner) ?? 0) + gpus);
    last.until = this.#now();
    this.#recorder.wishes.push({
      ...last,
      from: this.#now(),
      until: Number.POSITIVE_INFINITY,
      gpus: last.gpus - gpus,
    });
  }

  /** A person asks for so many of its GPUs for a while, and the file says what it said. */
  ask(name: string, gpus: number, forMs: number): void {
    const fleet = this.#fleets.get(name);
    const { wishes } = this.#recorder;
    const last = wishes.findLast((wish) => wish.owner === fleet?.owner);
    if (!last) return;
    const [from, until] = [this.#now(), this.#now() + forMs];
    last.until = from + (gpus < last.gpus ? this.#fallError : 0);
    wishes.push({ ...last, from, until: until + this.#clockError + this.#fallError, gpus });
    wishes.push({ ...last, from: until - this.#clockError, until: Number.POSITIVE_INFINITY });
  }

  /** What a commit stored of a fleet that gives back idle machines, or whose size follows a metric. */
  stored({ wish, lowered = 0, removed, metric }: FleetRow): void {
    const { gpus, parameters } = parseWish(wish);
    const owner = String(parameters.owner);
    if (removed) return;
    if (metric?.known) this.#sized(owner, metric.known);
    if (lowered === this.loweredOf(owner)) return;
    this.#lowered.set(owner, lowered);
    const { wishes } = this.#recorder;
    const pending = Math.min(
      ...this.#superseded.flatMap((each) => (each.owner === owner ? each.before : [])),
    );
    const inForce = wishes.slice(0, pending).filter((each) => each.owner === owner);
    const last = inForce.at(-1) ?? wishes.findLast((each) => each.owner === owner);
    const [from, until] = [this.#now(), Number.POSITIVE_INFINITY];
    for (const each of [...inForce, this.#given.get(owner)])
      if (each?.until === until && (lowered > 0 || each.isGivenBack)) each.until = from;
    if (lowered === 0 || !last) return;
    const given: WishSpan = { ...last, gpus: gpus - lowered, from, until, isGivenBack: true };
    this.#given.set(owner, given);
    wishes.push(given);
  }

  /** The wish that is in force goes on with another size; one that waits for its commit stands as it is. */
  #sized(owner: string, { gpus, value, at }: NonNullable<NonNullable<FleetRow["metric"]>["known"]>): void {
    const { wishes, sized } = this.#recorder;
    const asked = `${at.boot} ${at.mono}`;
    if (this.#asked.get(owner) === asked) return;
    this.#asked.set(owner, asked);
    sized.push({ owner, at: this.#now(), gpus, value });
    if (this.#sizes.get(owner) === gpus) return;
    this.#sizes.set(owner, gpus);
    for (const wish of wishes.filter((each) => each.owner === owner && each.until > this.#now())) {
      wishes.push({ ...wish, gpus, from: this.#now() });
      wish.until = this.#now() + (gpus < wish.gpus ? this.#fallError : 0);
    }
  }

  /** GPUs that a fleet wants less than the file says. */
  loweredOf(owner: string): number {
    return this.#lowered.get(owner) ?? 0;
  }

  trigger(name: string, triggers: string): void {
    const fleet = this.#fleets.get(name);
    if (!fleet) return;
    this.#recorder.renewals.push({ owner: fleet.owner, at: this.#now() });
    this.put({ ...fleet, triggers });
  }

  /** People take `improve` and `maxAge` out of all fleets. */
  stay(): void {
    for (const { improve, maxAge, ...fleet } of this.fleets) if (improve ?? maxAge) this.put(fleet);
  }

  rename(name: string, to: string): void {
    const fleet = this.#fleets.get(name);
    if (!fleet || this.#fleets.has(to)) return;
    this.#recorder.mayLetGo(fleet.owner, this.#now());
    this.#version += 1;
    this.#fleets.delete(name);
    this.#fleets.set(to, { ...fleet, name: to, previousName: name });
  }

  remove(name: string): void {
    const fleet = this.#fleets.get(name);
    if (!fleet) return;
    this.#recorder.mayLetGo(fleet.owner, this.#now());
    // No window of it asks for anything any more.
    const { schedule: _over, work: _done, ...rest } = fleet;
    this.put({ ...rest, gpus: 0 });
    this.#fleets.delete(name);
  }

  /** True if it is there under any name: a second fleet would want the same machines. */
  has(owner: string): boolean {
    return this.fleets.some((fleet) => fleet.owner === owner);
  }

  /** Notes that the ledger has the file of this version. */
  applied(version: number): void {
    const { wishes } = this.#recorder;
    this.#superseded = this.#superseded.filter((change) => {
      if (change.version > version) return true;
      for (const wish of wishes.slice(0, change.before)) {
        // Another declaration ends what was given back when it is stored. The same one does not.
        const isOver = wish.owner === change.owner && !wish.isGivenBack;
        if (isOver && wish.until > this.#now()) wish.until = this.#now();
      }
      return false;
    });
  }

  /** The file as the product reads it. */
  declarations(): readonly FleetDeclaration[] {
    return this.fleets.map((fleet) => ({
      name: fleet.name,
      previousName: fleet.previousName,
      source: SOURCE,
      triggers: fleet.triggers,
      wish: parseWish({
        gpus: fleet.gpus,
        ...scheduleOf(fleet, this.#started),
        ...metricOf(fleet),
        ...(fleet.isRanged && { range: { min: 0, max: MOST, at: fleet.gpus } }),
        ...workOf(fleet, this.#started),
        overshoot: fleet.overshoot,
        surge: fleet.surge ?? 0,
        parameters: { owner: fleet.owner },
        budget: budgetOf(fleet),
        ...(fleet.team !== undefined && { labels: { team: fleet.team } }),
        ...(fleet.untilMs === undefined
          ? {}
          : { until: new Date(this.#started + fleet.untilMs).toISOString() }),
        ...(fleet.allOrNothing === undefined ? {} : { allOrNothing: { within: fleet.allOrNothing } }),
        ...(fleet.setupMs === undefined ? {} : { setup: SETUP }),
        ...(fleet.saveMs === undefined ? {} : { beforeStop: { command: ["./save.sh"], within: "5m" } }),
        ...(fleet.isChecked ? { ready: CHECK } : {}),
        ...(fleet.idle === undefined ? {} : { idle: idleOf(fleet.idle, fleet.gpus) }),
        ...(fleet.improve && { improve: improveOf(fleet.improve, this.#started) }),
        ...(fleet.otherSizes === undefined ? {} : { otherSizes: { after: fleet.otherSizes } }),
        ...(fleet.update && { update: fleet.update }),
        ...(fleet.buffer && {
          buffer: { gpus: fleet.buffer.gpus, maxPricePerGpuHour: fleet.buffer.price },
        }),
        ...(fleet.steadier && { steadier: fleet.steadier }),
        ...(fleet.maxAge && { maxAge: fleet.maxAge }),
        ...(fleet.life && { life: fleet.life }),
        ...(fleet.health === undefined
          ? {}
          : { health: { command: ["health"], then: "replace", ...fleet.health } }),
        match: fleet.matchNone ? "none" : "wait",
        ...(fleet.select ? { select: selectOf(fleet) } : { candidates: candidatesOf(fleet) }),
      }),
    }));
  }
}

function improveOf(
  { fromMs, ...improve }: NonNullable<FleetSpec["improve"]>,
  started: number,
): WishInput["improve"] {
  if (fromMs === undefined) return improve;
  const [from = "", to = ""] = [0, 12].map((hours) =>
    new Date(opensAt(started, fromMs) + hours * HOUR).toISOString().slice(11, 16),
  );
  return { ...improve, within: { timeZone: "UTC", entries: [{ from, to }] } };
}

function idleOf({ keep, ...idle }: NonNullable<FleetSpec["idle"]>, gpus: number): WishInput["idle"] {
  return {
    command: ["./idle.sh"],
    ...idle,
    ...(idle.then === "stop" && { keep: Math.min(keep, gpus) }),
  };
}

function selectOf({ worth, patience }: FleetSpec): WishInput["select"] {
  const models = worth ? { gpuModel: Object.keys(worth) as [string], worth } : { gpuModel: "H100" };
  if (!patience) return models;
  const wait = { for: `${patience.forMs / 1000}s` };
  if ("above" in patience) return { ...models, patience: { ...wait, above: patience.above } };
  const later = { ...wait, maxPricePerGpuHour: ANY_PRICE };
  return { ...models, maxPricePerGpuHour: patience.price, patience: later };
}

/** More than anything costs in a world. */
const ANY_PRICE = "1000";

function workOf({ work }: FleetSpec, started: number): Pick<WishInput, "work"> {
  if (!work) return {};
  return { work: { gpuHours: work.gpuHours, by: new Date(started + work.byMs).toISOString() } };
}

function budgetOf({ floor, perHour, perGpuHour, perDay, total, churn }: FleetSpec) {
  const all = Object.entries({ floor, perHour, perGpuHour, perDay, total, churn });
  return Object.fromEntries(all.filter(([, limit]) => limit !== undefined));
}

/** True if a limit may keep this fleet from its count. */
export function isLimited(fleet: FleetSpec): boolean {
  const isShared = fleet.team !== undefined;
  return (
    isShared || (fleet.select && fleet.patience !== undefined) || Object.keys(budgetOf(fleet)).length > 0
  );
}

function candidatesOf({ candidates, noPrices }: FleetSpec) {
  return candidates.map(({ offer, provider, location, gpus, pricePerHour }) => ({
    offer,
    provider,
    location,
    gpus,
    ...(noPrices ? {} : { pricePerHour }),
  }));
}

/** The limits of this world's fleet file that its fleets share. */
export function sharedOf({ shared }: Pick<Scenario, "shared">): readonly Budget[] {
  if (!shared) return [];
  const { team, ...limits } = shared;
  return [{ label: { team }, ...limits }];
}
