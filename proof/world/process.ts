import { AsyncLocalStorage } from "node:async_hooks";
import { accountInLedger } from "../../account/account-of-key.ts";
import { provenService } from "../../account/known-keeper.ts";
import { changeOfShipped } from "../../account/shipped-profile.ts";
import { type Bound, boundOf } from "../../agent/planning/told/bound.ts";
import type { Keeper, ProtocolSettings } from "../../launch/index.ts";
import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Clock, Instant, ProcessIdentity } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { FleetRow, Tenure } from "../../ledger/rows.ts";
import { createService } from "../../service/client.ts";
import type { Account } from "../../service/contract/contract.ts";
import { FleetkeeperError, isDown } from "../../service/contract/errors.ts";
import type { Service } from "../../service/contract/service.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../service/contract/transport.ts";
import { TransportError } from "../../service/contract/transport.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import type { Dialect } from "../../simulator/dialect.ts";
import type { Handle } from "../../simulator/handler.ts";
import type { Simulator, VirtualClock } from "../../simulator/index.ts";
import { createTransport } from "../../simulator/transport.ts";
import type { Blow, EffectKind } from "../scenario/blow.ts";
import type { SimulatedWire } from "../scenario/wires.ts";
import type { Host } from "./host.ts";
import { statesOf } from "./reached.ts";
import type { Recorder, SentPost, StaleAct } from "./recorder.ts";
import type { KnownTime, SharedTime } from "./shared-time.ts";

/** Says at each effect whether a blow falls there. */
type Fate = (process: Process, effect: EffectKind) => Blow | undefined;

/** What all processes of one simulated world share. */
export interface Surroundings {
  readonly clock: VirtualClock;
  /** The ledger's clock, where the world has several hosts. Else their host's counts. */
  readonly time: SharedTime | undefined;
  readonly simulator: Simulator;
  /** Its base URL. */
  readonly url: string;
  readonly wire: SimulatedWire;
  /** The profile that a process which starts now has. */
  readonly profile: () => LoadedProfile;
  readonly tenure: Exclude<Tenure, "unstated">;
  /** True if the ledger that a process gets has read lists for a while. */
  readonly watched: () => boolean;
  /** The ledger of a process that starts now. */
  readonly ledger: () => Ledger;
  readonly apiKey: () => string;
  /** True if agents keep the account by leases. */
  readonly hasLeases: boolean;
  /** True if the ledger cannot be written now. */
  readonly isLocked: () => boolean;
  readonly recorder: Recorder;
  /** Is told what a commit stored of a fleet. */
  readonly onFleet: (row: FleetRow) => void;
  /** A commit changed fleets of this account, or machines. */
  readonly onFleets: (account: string) => void;
  readonly fate: Fate;
  readonly latencyMs: number;
  readonly settings?: Partial<ProtocolSettings>;
  /** The next launch's number in the simulator's journal. */
  readonly nextEntry: () => number;
  readonly newId: () => string;
  readonly random: () => number;
}

/** The marker of the `Service.launch` that a request belongs to, even if the wire does not carry it. */
const launching = new AsyncLocalStorage<string>();

/**
 * One operating-system process of ours under the virtual clock. Each effect (a commit, a ledger read, a
 * request, a sleep) passes a gate. A dead process never passes it again: its promises stay pending and no
 * `finally` runs, as after SIGKILL. A paused one waits there.
 */
export class Process {
  readonly name: string;
  readonly identity: ProcessIdentity;
  /** Aborts as SIGTERM does. */
  readonly ending = new AbortController();
  readonly #world: Surroundings;
  readonly #host: Host;
  readonly #time: KnownTime | undefined;
  readonly #onDeath: () => void;
  /** The kind of process, whichever run this is. */
  readonly #who: string;
  #alive = true;
  /** It acts as this account's agent, by a lease. */
  #keeps: string | undefined;
  #paused: { readonly until: Promise<void>; readonly goOn: () => void } | undefined;

  constructor(name: string, world: Surroundings, host: Host, onDeath: () => void) {
    this.name = name;
    this.#who = name.split("#")[0] ?? name;
    this.#world = world;
    this.#onDeath = onDeath;
    this.#host = host;
    this.#time = world.time?.on(host);
    this.identity = host.spawn();
  }

  isOn(host: Host): boolean {
    return host === this.#host;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get paused(): boolean {
    return this.#paused !== undefined;
  }

  /** SIGKILL. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#host.bury(this.identity);
    this.#world.recorder.witness.all.push({ kind: "over", at: this.#world.clock.now(), process: this.name });
    this.#world.recorder.counts.crashes += 1;
    this.#world.recorder.deaths.push(this.#world.clock.now());
    this.#forgetCooling();
    this.note("killed");
    this.#onDeath();
  }

  /** It ended by itself. */
  exit(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#host.bury(this.identity);
    this.#world.recorder.witness.all.push({ kind: "over", at: this.#world.clock.now(), process: this.name });
  }

  pause(ms: number): void {
    if (this.#paused || !this.#alive) return;
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    this.#paused = { until, goOn };
    const { recorder, clock } = this.#world;
    const pause = { process: this.name, from: clock.now(), until: Number.POSITIVE_INFINITY };
    recorder.pauses.push(pause);
    void until.then(() => {
      pause.until = clock.now();
    });
    recorder.counts.pauses += 1;
    this.#forgetCooling();
    this.note(`paused for ${Math.round(ms / 1000)} s`);
    void clock.sleep(ms).then(() => this.resume());
  }

  resume(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    paused?.goOn();
  }

  /** While this runs, it takes itself for the account's agent. */
  async keeping(account: string, work: () => Promise<void>): Promise<void> {
    this.#keeps = account;
    try {
      await work();
    } finally {
      this.#keeps = undefined;
    }
  }

  note(what: string): void {
    const { recorder, clock } = this.#world;
    recorder.note(clock.now(), this.name, what);
  }

  /** All that this process needs to act on the account. Asks the service for the key's account. */
  async open(): Promise<Keeper> {
    const { tenure, newId, settings, random } = this.#world;
    const profile = this.#world.profile();
    const clock = this.clock();
    const ledger = this.#gated(this.#world.ledger());
    const service = this.#watched(
      createService({
        baseUrl: this.#world.url,
        secret: this.#world.apiKey(),
        profile,
        transport: this.#transport(),
        clock: { now: () => this.#host.now().wall, sleep: clock.sleep },
        random,
      }),
    );
    const rest = { ledger, clock, settings: { ...DEFAULT_SETTINGS, ...settings }, newId };
    const { baseUrl, abilities } = service;
    const { currency, billing } = abilities;
    let info: Account;
    try {
      info = await service.account(this.ending.signal);
    } catch (error) {
      const known =
        AGENTS.includes(this.#who.split("-")[0] ?? "") && isDown(error)
          ? await knownAccount(ledger, baseUrl)
          : undefined;
      if (!known) throw error;
      const account = await ledger.openAccount({ baseUrl, account: known, tenure, currency, billing });
      return { ...rest, account, service: provenService(service, { accountId: known.id }, known.email) };
    }
    const opened = await accountInLedger(service, ledger, info, this.ending.signal);
    const account = await ledger.openAccount({ baseUrl, account: opened, tenure, currency, billing });
    await changeOfShipped(ledger, account, profile, clock.now().wall);
    if (this.#world.watched()) await watchedForLong(this.#world.ledger(), account, clock.now());
    return { ...rest, account, service };
  }

  clock(): Clock {
    const { clock } = this.#world;
    const host = this.#host;
    const local: Clock = {
      self: this.identity,
      now: () => host.now(),
      isAlive: (identity) => host.isAlive(identity),
      sleep: (ms, signal) => this.#effect("sleep", () => clock.sleep(ms, signal)),
    };
    return this.#time?.clock(local) ?? local;
  }

  async #effect<T>(kind: EffectKind, run: () => Promise<T>): Promise<T> {
    if (!this.#alive || this.#paused) await this.#gate();
    const { recorder, fate } = this.#world;
    recorder.counts.effects += 1;
    const nth = recorder.effect(this.#who, kind);
    const blow = fate(this, kind);
    if (blow) recorder.begun.push({ at: this.#world.clock.now(), who: this.#who, effect: kind, nth, blow });
    if (blow) await this.#strike(blow, "before", kind, nth);
    try {
      return await run();
    } finally {
      // A request that fails may have been sent all the same.
      if (!this.#alive || this.#paused) await this.#gate();
      if (blow) await this.#strike(blow, "after", kind, nth);
    }
  }

  async #strike(blow: Blow, when: "before" | "after", kind: EffectKind, nth: number): Promise<void> {
    const { struck } = this.#world.recorder;
    const at = this.#world.clock.now();
    if (blow.kind === "pause") {
      if (when === (blow.when ?? "before") && !this.#paused) {
        struck.push({ at, who: this.#who, effect: kind, nth, blow });
        this.pause(blow.ms);
      }
    } else if (blow.when === when) {
      const fallen = { at, who: this.#who, effect: kind, nth, blow };
      if (blow.kind === "crash") {
        struck.push(fallen);
        this.note(`dies ${when} a ${kind}`);
        this.kill();
      } else if (kind === "commit" || kind === "read" || kind === "lease") {
        struck.push(fallen);
        this.#world.recorder.counts.ledgerErrors += 1;
        this.#world.recorder.deaths.push(this.#world.clock.now());
        this.#forgetCooling();
        this.note(`the ledger fails ${when} a ${kind}`);
        throw new FleetkeeperError("LEDGER", `the ledger cannot be used: the disk is full`);
      }
    }
    if (!this.#alive || this.#paused) await this.#gate();
  }

  /** Only living processes that are not paused pass. */
  async #gate(): Promise<void> {
    while (this.#alive && this.#paused) await this.#paused.until;
    if (!this.#alive) await new Promise<never>(() => undefined);
  }

  #gated(ledger: Ledger): Ledger {
    const { leases } = this.#world.hasLeases ? ledger : {};
    return {
      ...(leases && { leases: this.#gatedLeases(leases) }),
      id: ledger.id,
      location: ledger.location,
      clockOn: (local) => ledger.clockOn(local),
      // Nobody in a world waits for anything but its clock.
      onWake: async () => undefined,
      openAccount: (request) =>
        this.#effect("commit", () => {
          this.#demandWritable();
          this.#time?.decide(null);
          return ledger.openAccount(request);
        }),
      accounts: () => this.#effect("read", () => ledger.accounts()),
      accountOfSlot: (slot) => this.#effect("read", () => ledger.accountOfSlot(slot)),
      accountOfFleet: (name) => this.#effect("read", () => ledger.accountOfFleet(name)),
      decide: (account, decision) =>
        this.#effect("commit", () => {
          this.#demandWritable();
          this.#time?.decide(ledger instanceof MemoryLedger ? ledger.readNow(account).account.list : null);
          let changes: Draft["changes"] = [];
          let bounds: readonly { readonly row: FleetRow; readonly bound: Bound }[] = [];
          const keeper = this.#keeper();
          const decided = ledger.decide(account, (draft) => {
            const result = decision(draft);
            changes = draft.changes;
            bounds = changes.flatMap((each) =>
              each.table === "fleet" ? this.#boundOf(draft, each.row) : [],
            );
            return result;
          });
          if (changes.some(({ table }) => table === "fleet" || table === "deployment"))
            this.#world.onFleets(account);
          // Beside it: the process is told no later than by a ledger that nobody watches. What failed stores nothing.
          void decided.then(
            () => {
              for (const change of changes) this.#stored(change);
              this.#witnessed(changes, `${ledger.id} ${account}`);
              for (const { row, bound } of bounds)
                this.#world.recorder.tellBound(row, this.#world.clock.now(), bound);
              if (changes.length > 0) this.#acts("store", keeper);
            },
            () => undefined,
          );
          return decided;
        }),
      market: (account) => this.#effect("read", () => ledger.market(account)),
      putMarket: (account, row) => this.#effect("commit", () => ledger.putMarket(account, row)),
      read: (account) =>
        this.#effect("read", () => {
          this.#time?.read();
          return ledger.read(account);
        }),
      events: (account, limit, after) => this.#effect("read", () => ledger.events(account, limit, after)),
      eventsAbout: (account, about, limit) =>
        this.#effect("read", () => ledger.eventsAbout(account, about, limit)),
      close: () => undefined,
    };
  }

  /** By the world's own clock: that of its host may be wrong. */
  #boundOf(draft: Draft, row: FleetRow): readonly { readonly row: FleetRow; readonly bound: Bound }[] {
    const now = { ...this.#host.now(), wall: this.#world.clock.now() };
    return row.removed ? [] : [{ row, bound: boundOf(draft, row, { settings: DEFAULT_SETTINGS, now }) }];
  }

  #witnessed(changes: Draft["changes"], where: string): void {
    const { recorder, clock } = this.#world;
    recorder.witness.stored(changes, { at: clock.now(), process: this.name, where });
  }

  #stored(change: Draft["changes"][number]): void {
    const { recorder, clock } = this.#world;
    for (const state of statesOf(change)) recorder.reached.add(state);
    if (change.table === "event") this.note(`${change.row.kind}: ${change.row.text}`);
    if (change.table === "intent") recorder.storeIntent(change.row, clock.now());
    if (change.table === "deployment") recorder.storeDeployment(change.row, clock.now());
    if (change.table === "fleet") this.#world.onFleet(change.row);
    if (change.table === "fleet") recorder.storeFleet(change.row, clock.now());
  }

  #gatedLeases(leases: NonNullable<Ledger["leases"]>): NonNullable<Ledger["leases"]> {
    const asked = <T>(ask: () => Promise<T>): Promise<T> =>
      this.#effect("lease", () => {
        this.#demandWritable();
        return ask();
      });
    const { recorder } = this.#world;
    return {
      take: (account, holder, ms, seen) =>
        asked(async () => {
          const lease = await leases.take(account, holder, ms, seen);
          if (lease) recorder.keepers.set(account, this.name);
          return lease;
        }),
      renew: (held, ms) => asked(() => leases.renew(held, ms)),
      giveBack: (lease) => asked(() => leases.giveBack(lease)),
      look: (accounts) => asked(() => leases.look(accounts)),
      // As `onWake`.
      onGivenBack: () => undefined,
      asHolder: (held) => this.#gated(leases.asHolder(held)) as never,
    };
  }

  /** Who keeps the account that it takes itself for the agent of. */
  #keeper(): string | undefined {
    return this.#world.recorder.keepers.get(this.#keeps ?? "");
  }

  /** What it does as that agent, in whichever account. */
  #acts(what: StaleAct["what"], keeper = this.#keeper()): void {
    const { recorder, clock } = this.#world;
    if (this.#keeps !== undefined) recorder.act(what, this.name, keeper, clock.now());
  }

  /** Throws as the real ledger does after it has waited in vain. */
  #demandWritable(): void {
    if (this.#world.isLocked())
      throw new FleetkeeperError("LEDGER_BUSY", "the ledger cannot be written now: it is locked");
  }

  #watched(service: Service): Service {
    const { recorder, clock } = this.#world;
    const counted =
      <A extends readonly unknown[], R>(operation: keyof Service, call: (...given: A) => R) =>
      (...given: A): R => {
        recorder.call(this.name, operation);
        return call(...given);
      };
    return {
      ...service,
      account: counted("account", service.account),
      balance: counted("balance", service.balance),
      deployments: counted("deployments", service.deployments),
      deployment: counted("deployment", service.deployment),
      offers: counted("offers", service.offers),
      launch: counted("launch", (request, signal) => {
        recorder.markers.set(request.marker, (recorder.markers.get(request.marker) ?? 0) + 1);
        return launching.run(request.marker, () => service.launch(request, signal));
      }),
      stop: counted("stop", (request, signal) => {
        recorder.stops.push({ process: this.name, at: clock.now(), id: request.id });
        this.note(`stop ${request.id.slice(0, 8)}`);
        return service.stop(request, signal);
      }),
    };
  }

  #transport(): Transport {
    const { simulator, clock, latencyMs, recorder } = this.#world;
    const plain = createTransport(simulator.handle, clock, latencyMs);
    return (request, signal) => {
      const { kind } = this.#reads(request);
      if (kind === "stop") {
        return this.#effect("stop", () => {
          if (request.mayLeave?.() !== false) this.#acts("stop");
          return plain(request, signal);
        });
      }
      if (kind !== "launch") return this.#effect("get", () => plain(request, signal));
      const asked = clock.now();
      const marker = launching.getStore() ?? "";
      const stamped = recorder.stamps.get(marker) ?? asked;
      recorder.leave(marker);
      return this.#effect("post", () => this.#launch(request, { marker, asked, stamped }, signal));
    };
  }

  /** A launch on its way. Like the product's transport it gives up waiting after the POST's timeout. */
  async #launch(
    request: HttpRequest,
    sent: Pick<SentPost, "marker" | "asked" | "stamped">,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const { simulator, clock, latencyMs, recorder, nextEntry } = this.#world;
    const ending = this.ending.signal.aborted;
    const handle: Handle = (arriving) => {
      const balance = simulator.truth().accounts[0]?.balance ?? "0";
      const reply = simulator.handle(arriving);
      const entry = nextEntry();
      recorder.posts.push({ process: this.name, ...sent, arrived: clock.now(), entry, ending, balance });
      recorder.witness.all.push({
        kind: "sent",
        at: clock.now(),
        process: this.name,
        marker: sent.marker,
        entry,
      });
      const said = reply.kind === "answer" ? `answered ${reply.response.status}` : reply.kind;
      this.note(
        `POST #${entry} ${said}${reply.kind === "answer" && reply.delayMs ? ` after ${reply.delayMs / 1000} s` : ""}`,
      );
      return reply;
    };
    const done = new AbortController();
    const timeout = new AbortController();
    clock
      .sleep(DEFAULT_SETTINGS.postTimeout, done.signal)
      .then(() => timeout.abort(new TransportError("NO_ANSWER", "timeout")))
      .catch(() => undefined);
    try {
      if (request.mayLeave?.() !== false) this.#acts("launch");
      const either = AbortSignal.any([signal, timeout.signal]);
      const response = await createTransport(handle, clock, latencyMs)(request, either);
      this.#learnCooling(request, response);
      return response;
    } finally {
      done.abort("answered");
    }
  }

  /** A death or a pause forgets what was not written down yet. */
  #forgetCooling(): void {
    this.#world.recorder.forgetCooling(this.name, this.#world.clock.now() - 2_000);
  }

  /** What the service reads it as. */
  #reads({ method, url, body }: HttpRequest): ReturnType<Dialect["read"]> {
    const { wire, clock, url: origin } = this.#world;
    const { pathname: path, searchParams: query } = new URL(url);
    return wire.dialect.read({
      method,
      origin,
      path,
      query,
      headers: {},
      body,
      now: clock.now(),
    });
  }

  #learnCooling(request: HttpRequest, response: HttpResponse): void {
    if (response.status !== 503 || !this.#alive || this.#paused) return;
    const seconds = Number(response.headers["retry-after"]);
    if (!says(response.body, "offer_cooling_down") || !(seconds > 0)) return;
    const { recorder, clock } = this.#world;
    const read = this.#reads(request);
    if (!("combination" in read)) return;
    const known = clock.now();
    const until = known + seconds * 1000;
    recorder.cooling = [
      ...recorder.cooling,
      { process: this.name, combination: read.combination, known, until },
    ];
  }
}

/** Agents are patient: while the service is down they begin with what the ledger knows. */
const AGENTS: readonly string[] = ["agent", "second"];

/** The only account that the ledger knows there, as for openKnownKeeper; undefined: none, or several. */
async function knownAccount(ledger: Ledger, baseUrl: string): Promise<Account | undefined> {
  const [row, ...others] = (await ledger.accounts()).filter((each) => each.baseUrl === baseUrl);
  if (!row || others.length > 0) return undefined;
  return { id: row.accountId, email: row.email, display_name: row.email, created_at: "" };
}

/** A body that was cut short says nothing. */
function says(body: string, code: string): boolean {
  try {
    return JSON.stringify(JSON.parse(body)).includes(code);
  } catch {
    return false;
  }
}

/** Makes the ledger one that has read lists for as long as a birth needs. */
async function watchedForLong(ledger: Ledger, account: string, now: Instant): Promise<void> {
  const ago = (ms: number): Instant => ({ ...now, mono: now.mono - ms, wall: now.wall - ms });
  await ledger.decide(account, (draft) => {
    if (draft.account.list !== null) return;
    draft.putAccount({ ...draft.account, list: ago(1), watched: ago(DEFAULT_SETTINGS.gone) });
  });
}
