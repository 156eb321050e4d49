import { beforeStop } from "../../agent/ask/before-stop.ts";
import { health } from "../../agent/ask/health.ts";
import { HookFailure } from "../../agent/ask/hook.ts";
import { idleness } from "../../agent/ask/idle.ts";
import { type Kind, MachineWatch } from "../../agent/ask/machine-watch.ts";
import { metrics } from "../../agent/ask/metric.ts";
import { numberIn } from "../../agent/ask/metric-value.ts";
import { readiness } from "../../agent/ask/ready.ts";
import { setup } from "../../agent/ask/setup.ts";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { drainFleet, leavePart, pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { askForCount } from "../../agent/fleet/size/ask-for-count.ts";
import { lowerCount } from "../../agent/fleet/size/lowered-count.ts";
import type { Measured } from "../../agent/fleet/size/metric.ts";
import type { Answer } from "../../agent/fleet/wish/machine-question.ts";
import { Holder, heldKeeper, whileHeld } from "../../agent/reconcile/holder.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import type { AllAccounts } from "../../agent/reconcile/move-portions.ts";
import type { Context } from "../../launch/index.ts";
import { askStop, DEFAULT_SETTINGS } from "../../launch/index.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { holdMachine, releaseMachine } from "../../launch/people/machine-hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { AccountRow, DeploymentRow } from "../../ledger/rows.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import type { CatalogueOffer, Simulator, Truth } from "../../simulator/index.ts";
import { createSimulator, SIMULATOR_URL, VirtualClock } from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import type { Blow, EffectKind } from "../scenario/blow.ts";
import { saysAt } from "../scenario/metric.ts";
import { clockError, type Moment, type Scenario, specOf, type Use } from "../scenario/scenario.ts";
import type { SimulatedWire } from "../scenario/wires.ts";
import { wireOf } from "../scenario/wires.ts";
import { environmentOf, Stack } from "./engine.ts";
import { FleetFile, SOURCE, sharedOf } from "./fleet-file.ts";
import { Host } from "./host.ts";
import type { Surroundings } from "./process.ts";
import { Process } from "./process.ts";
import { Recorder, type SaveRun } from "./recorder.ts";
import { Setups } from "./setups.ts";
import { fallError, mergedTruth, Portions, partOf } from "./several.ts";
import { SharedTime } from "./shared-time.ts";

/** The name of a profile that ships, where a later version brings another one. */
const SHIPPED = "shipped";
const FOR_EVER = { until: Number.POSITIVE_INFINITY, over: Number.POSITIVE_INFINITY };
const MIDNIGHT = Date.UTC(2030, 0, 1);

/** Rules that count what ended within hours see less then, but for what concerns money. */
const SOON_MS = DEFAULT_SETTINGS.settle + 10_000;

const ANSWERS: Readonly<Record<Use, Answer>> = {
  busy: { kind: "bad", why: "it is used" },
  idle: { kind: "good" },
  unknown: { kind: "unknown", why: "it ended with 255" },
  hangs: { kind: "unknown", why: "no answer within 30 s" },
};

/** As long as a check may take. */
const HANGS_MS = 30_000;
/** A metric that hangs answers after so long, and nobody believes it. */
const TOO_LATE_MS = 95_000;
const TOO_LATE = "1000";

const ORDERS = { pause: pauseFleet, drain: drainFleet, leave: leavePart, resume: resumeFleet };

/** An order needs only the moment, nothing of the wire. */
const CONTEXT: Omit<Context, "now"> = {
  ledger: "",
  isAlive: () => true,
  wire: {
    profileHash: "",
    abilities: { marker: false, combination: false, get: false },
    isTerminal: () => false,
  },
  settings: DEFAULT_SETTINGS,
};

/** Processes that run on the second host, if there is one. */
const ELSEWHERE: readonly string[] = ["second", "once"];

/** A unit of the system's service manager. */
interface Unit {
  readonly name: string;
  process: Process | undefined;
  wanted: boolean;
}

interface StackEntry {
  readonly stack: Stack;
  readonly gpus: number;
  wanted: boolean;
  running: Process | undefined;
}

type ArmedBlow = Omit<Moment & { readonly kind: "blow" }, "at" | "kind" | "skip"> & { skip: number };

export const LEDGER_ID = "proofledger00";

/**
 * One simulated world: the service (of several one, with what acts on its account), one ledger, one or two computers with our processes, and the people around
 * them.
 * All that happens in it follows from its scenario.
 */
export class World {
  readonly scenario: Scenario;
  readonly clock: VirtualClock;
  readonly started: number;
  readonly wire: SimulatedWire;
  readonly simulator: Simulator;
  readonly recorder: Recorder = new Recorder();
  readonly ledger: Ledger;
  readonly host: Host;
  /** This one, and those of its other services: they have its clock, ledger, hosts, and fleet file. */
  readonly services: readonly World[];
  /** Its name, where there are several. */
  readonly service: string | undefined;
  readonly #first: World;
  readonly #url: string;
  readonly #offers: readonly CatalogueOffer[];
  readonly #portions: Portions | undefined;
  /** The fleet file that its account has. */
  #version = 0;
  /** Where each launch arrived, in order. */
  readonly #arrivals: World[] = [];
  readonly #other: Host;
  readonly #time: SharedTime | undefined;
  readonly #setups: Setups | undefined;
  readonly file: FleetFile;
  readonly stacks = new Map<string, StackEntry>();
  /** Watches each effect of each process, beside the scenario's own blows. */
  fate: (process: Process, effect: EffectKind) => Blow | undefined = () => undefined;
  readonly #random: Prng;
  readonly #surroundings: Surroundings;
  readonly #agent: Unit = { name: "agent", process: undefined, wanted: true };
  readonly #second: Unit = { name: "second", process: undefined, wanted: false };
  #blows: ArmedBlow[] = [];
  #processes: Process[] = [];
  #ids = 0;
  #runs = 0;
  #quiet = false;
  #lockedUntil = 0;
  #profile: LoadedProfile;
  #mistaken: { readonly ledger?: Ledger; readonly apiKey?: string } = {};

  /** `ledger`: where the scenario's cannot be opened at once. `first`: the world of which it is another service. */
  constructor(
    scenario: Scenario,
    ledger?: (clock: VirtualClock) => Ledger,
    first?: World,
    service = scenario.services?.[0],
  ) {
    this.scenario = scenario;
    this.service = service;
    this.#first = first ?? this;
    this.#url = first ? `https://${service}.invalid` : SIMULATOR_URL;
    this.#offers = scenario.offers.filter(({ provider }) => service === undefined || provider === service);
    this.clock = first?.clock ?? new VirtualClock(MIDNIGHT + (scenario.startMs ?? 0));
    this.started = this.clock.now();
    const { wire: name, cloud, unnamedEnd, quirk, aggregator, halting, absence, billing } = scenario;
    this.wire = wireOf({ name, cloud, unnamedEnd, quirk, aggregator, halting, absence, billing });
    // Elsewhere it is a file of the user's, which nobody compares.
    const ships = scenario.events.some(({ kind }) => kind === "upgrade");
    this.#profile = { ...this.wire.profile, ...(ships && { shipped: SHIPPED }) };
    const seed = first ? `${scenario.seed} ${service}` : scenario.seed;
    this.#random = new Prng(`world ${seed}`);
    const { balance, settings } = scenario;
    const { dialect } = this.wire;
    const offers = this.#offers;
    this.simulator = createSimulator({ clock: this.clock, seed, dialect, offers, balance, settings });
    this.host = first?.host ?? new Host(this.clock);
    this.#other =
      first?.hostOf(true) ?? (scenario.otherHost ? new Host(this.clock, scenario.otherHost) : this.host);
    const time = first ? first.#time : scenario.otherHost && new SharedTime(this.clock);
    this.#time = time;
    if (first) this.recorder = first.recorder;
    const lasts = scenario.fleets.find(({ setupMs }) => setupMs !== undefined)?.setupMs;
    if (lasts !== undefined) {
      this.#setups = new Setups(this.clock, lasts);
      this.recorder.setups = this.#setups.runs;
    }
    this.file =
      first?.file ?? new FleetFile(this.recorder, () => this.now, clockError(scenario), fallError(scenario));
    this.ledger = first
      ? first.ledger
      : ledger
        ? ledger(this.clock)
        : scenario.ledger === "sqlite"
          ? openSqliteLedger({ path: ":memory:", newId: LEDGER_ID, now: this.started })
          : new MemoryLedger(LEDGER_ID, time && (() => time.now()));
    if (!first && scenario.services && this.ledger instanceof MemoryLedger)
      this.#portions = new Portions(this.ledger, this.recorder, () => this.now);
    const jitter = this.#random.fork("jitter");
    const givesBack = scenario.fleets.some(({ idle, metric }) => idle ?? metric);
    this.#surroundings = {
      clock: this.clock,
      time: this.#time,
      simulator: this.simulator,
      url: this.#url,
      wire: this.wire,
      profile: () => this.#profile,
      tenure: scenario.tenure,
      watched: () => scenario.watched && this.#mistaken.ledger === undefined,
      ledger: () => this.#mistaken.ledger ?? this.ledger,
      hasLeases: scenario.hasLeases ?? false,
      isLocked: () => this.now < this.#first.#lockedUntil,
      apiKey: () => this.#mistaken.apiKey ?? this.simulator.apiKey,
      recorder: this.recorder,
      onFleet: (row) => givesBack && this.file.stored(row),
      onFleets: (account) => this.#first.#fleetsChanged(account),
      fate: (process, effect) => this.#first.#armed(process, effect) ?? this.#first.fate(process, effect),
      latencyMs: scenario.latencyMs,
      ...(scenario.archivesSoon ? { settings: { archive: SOON_MS, archiveKept: 0 } } : {}),
      nextEntry: () => this.nextEntry(),
      newId: () => `proof${this.#nextId().toString(36).padStart(9, "0")}`,
      random: () => jitter.next(),
    };
    for (const combination of scenario.before) this.simulator.control.launchByHand(combination);
    this.services = [this];
    if (first) return;
    for (const fleet of scenario.fleets) this.file.put(fleet);
    for (const { name, offer } of scenario.deployments) this.#addStack(name, offer);
    const others = scenario.services?.slice(1) ?? [];
    this.services = [this, ...others.map((each) => new World(scenario, undefined, this, each))];
  }

  #nextId(): number {
    return ++this.#first.#ids;
  }

  /** The service to which something happens. */
  serviceOf(event: Moment): World {
    const { provider } = "combination" in event ? event.combination : "provider" in event ? event : {};
    const named = event.service ?? provider;
    return this.services.find(({ service }) => service !== undefined && service === named) ?? this;
  }

  /** What is true of all its services. */
  truth(): Truth {
    if (this.services.length === 1) return this.simulator.truth();
    const at = this.#arrivals.map((world) => this.services.indexOf(world));
    return mergedTruth(
      this.services.map(({ simulator }) => simulator.truth()),
      at,
    );
  }

  /** Its row in the ledger, once its key's account is known. */
  async account(): Promise<AccountRow | undefined> {
    return (await this.ledger.accounts()).find(({ baseUrl }) => baseUrl === this.#url);
  }

  #fleetsChanged(account: string): void {
    this.#portions?.check(account);
    this.#wishIsIn();
  }

  /** The older wishes are over once each account has this one, and nothing is on its way for them. */
  #wishIsIn(): void {
    if (this.#portions && !this.#portions.areSettled) return;
    this.file.applied(Math.min(...this.services.map((each) => each.#version)));
  }

  get now(): number {
    return this.clock.now();
  }

  get agentName(): string {
    return this.#agent.process?.name ?? "agent";
  }

  start(): void {
    for (const each of this.services) each.#start(each.#agent);
  }

  /** Its agent is killed, and comes back after this time. */
  leaveAlone(forMs: number): void {
    this.#agent.wanted = false;
    this.#agent.process?.kill();
    void this.clock.sleep(forMs).then(() => this.#start(this.#agent));
  }

  /** From now on nothing goes wrong, everything is available again, and everybody works. */
  calm(): void {
    this.recorder.quietFrom = this.now;
    for (const each of this.services) each.#calm();
    for (const process of this.processes("")) process.resume();
    this.applyFile();
  }

  #calm(): void {
    this.#quiet = true;
    this.#mistaken = {};
    this.#lockedUntil = 0;
    this.#blows = [];
    this.note("---- quiet from here");
    const { control } = this.simulator;
    const staysOut = this.scenario.staysOut !== undefined && this.scenario.staysOut === this.service;
    if (!staysOut) control.faults.clear();
    control.failNoMore();
    for (const { offer, provider, location, capacity, pricePerHour } of this.#offers) {
      control.setCapacity({ offer, provider, location }, Math.max(capacity, 50));
      control.setPrice({ offer, provider, location }, pricePerHour);
      control.maintenance(provider, false);
    }
    for (const { id } of this.simulator.truth().machines) {
      control.hide(id, false);
      control.forget(id, false);
    }
    control.hideAccount(false);
    control.setBalance(this.scenario.balance);
    this.#stop(this.#second);
    this.#start(this.#agent);
    void this.#resumeAll();
  }

  /** A setting that people get wrong, until it is calm. */
  mistake(kind: "newLedger" | "otherKey"): void {
    if (kind === "newLedger")
      this.#mistaken = { ...this.#mistaken, ledger: new MemoryLedger("proofledger01") };
    else {
      const apiKey = "another-key-of-the-proof";
      this.simulator.control.addAccount({
        email: "other@example.com",
        apiKey,
        balance: this.scenario.balance,
      });
      this.#mistaken = { ...this.#mistaken, apiKey };
    }
  }

  /** A profile that ships comes with another version of fleetkeeper. */
  upgrade(): void {
    const { profile, file } = this.#profile;
    const { deployments } = profile;
    const terminal = [...(deployments?.states.terminal ?? []), "RETIRED"];
    const said = {
      ...profile,
      deployments: { ...deployments, states: { ...deployments?.states, terminal } },
    };
    this.#profile = { ...readProfile(JSON.stringify(said), file), shipped: SHIPPED };
  }

  lockLedger(forMs: number): void {
    this.#lockedUntil = this.now + forMs;
  }

  /** Writes what the product says of its fleets into the trace. */
  async noteReasons(): Promise<void> {
    for (const { key } of await this.ledger.accounts())
      for (const { name, reasons } of (await this.ledger.read(key)).fleets)
        if (reasons.length > 0) this.note(`${name}: ${reasons.join("; ")}`);
  }

  note(what: string): void {
    this.recorder.note(this.now, "world", what);
  }

  /** The number of the launch that arrives now, in the simulator's journal. */
  nextEntry(): number {
    return this.#first.#arrivals.push(this);
  }

  arm({ who, on, skip, blow }: ArmedBlow): void {
    this.#blows.push({ who, on, skip, blow });
  }

  /** The living processes whose name begins so. */
  processes(who: string): readonly Process[] {
    const all = this.services.flatMap((each) => each.#processes);
    return all.filter(({ name, alive }) => alive && name.startsWith(who));
  }

  hostOf(other = false): Host {
    return other ? this.#other : this.host;
  }

  reboot(jumpMs: number, other = false): void {
    const host = this.hostOf(other);
    this.recorder.reboots.push(this.now);
    if (jumpMs !== 0) this.recorder.jumps.push(this.now);
    for (const process of this.#first.processes("")) if (process.isOn(host)) process.kill();
    host.reboot();
    this.#setups?.rebooted(host);
    host.jump(jumpMs);
  }

  /** What was taken before is of an older epoch, as after a reboot of all hosts. */
  jumpLedger(ms: number): void {
    this.recorder.reboots.push(this.now);
    this.recorder.jumps.push(this.now);
    this.#time?.jump(ms);
  }

  /** The wall clock that deadlines and days go by. */
  get wall(): number {
    return this.#time?.now() ?? this.host.now().wall;
  }

  runSecondAgent(forMs: number): void {
    this.#second.wanted = true;
    this.#start(this.#second);
    void this.clock.sleep(forMs).then(() => this.#stop(this.#second));
  }

  /** A process that does one thing and ends. */
  once(name: string, main: (process: Process) => Promise<void>): Process {
    return this.#run(name, main, () => undefined);
  }

  /** One Pulumi command. A stack has a lock: a second command is refused, unless the first one hangs. */
  operate(name: string, command: "up" | "destroy" | "replace"): void {
    const entry = this.stacks.get(name);
    if (!entry || (entry.running?.alive && !entry.running.paused)) return;
    const { stack } = entry;
    if (command === "replace" && stack.empty) return;
    entry.wanted = command !== "destroy";
    if (!entry.wanted) this.#wishFor(entry, 0);
    entry.running = this.once(`pulumi-${name}`, async (process) => {
      await stack[command](await environmentOf(process, this.#profile, () => `slot-${name}-${++this.#ids}`));
      // A command that hung says nothing of a later one's result.
      if (entry.running !== process) return;
      if (command === "destroy") this.recorder.destroyed.push({ owner: stack.owner, at: this.now });
      // Until then a deletion that was begun may still be carried out.
      else this.recorder.endWish(stack.owner, 0, this.now);
    });
  }

  /** Somebody edits a Pulumi program. A replacement makes the new machine before it deletes the old one. */
  program(event: Extract<Moment, { kind: "program" }>): void {
    const entry = this.stacks.get(event.deployment);
    entry?.stack.program(event);
    if (entry && event.triggers !== undefined) this.#wishFor(entry, entry.gpus, entry.gpus);
  }

  /** Somebody runs the command that reads the fleet file anew, and repeats it until it succeeds. */
  applyFile(): void {
    for (const each of this.services) each.#applyFile();
  }

  #applyFile(): void {
    const asked = this.file.version;
    let done = false;
    const attempt = (): void => {
      this.#run("editor", (process) => declare(process).then(ok), again);
    };
    const ok = (): void => {
      done = true;
    };
    const again = (): void => {
      if (!done && asked === this.file.version) void this.clock.sleep(5_000).then(attempt);
    };
    const declare = async (process: Process): Promise<void> => this.#declare(await process.open());
    attempt();
  }

  async #declare(keeper: Keeper): Promise<void> {
    let version = 0;
    const read = () => {
      version = this.file.version;
      return this.file.declarations().map((each) => partOf(each, this.scenario, this.service));
    };
    await declareFleets(keeper, SOURCE, read, { budgets: sharedOf(this.scenario) });
    this.#version = Math.max(this.#version, version);
    this.#first.#wishIsIn();
    // A fleet that was held, removed and declared anew in the last moment is still held.
    if (this.#quiet) await this.#resumeAll();
  }

  /** What an operator says of a fleet, or of its part in one service. */
  async order(name: string, order: keyof typeof ORDERS, service?: string): Promise<void> {
    const owner = this.file.fleets.find((fleet) => fleet.name === name)?.owner;
    if (owner === undefined) return;
    if (order === "resume") this.recorder.letGo(owner, this.now);
    const asked = service === undefined ? this.services : [this];
    const done = await Promise.all(asked.map((each) => each.#order(name, order)));
    if (order === "resume") this.#stays(service);
    if (!done.some(Boolean) || order === "resume") return;
    const from = this.now;
    if (order === "leave") {
      this.recorder.leaves.push({ service, from, until: Number.POSITIVE_INFINITY });
      return;
    }
    // The other parts launch on.
    this.recorder.holds.push({ owner, from, ...FOR_EVER, ...(service !== undefined && { until: from }) });
  }

  /** The drains of this service are over, or those of all. */
  #stays(service: string | undefined): void {
    for (const each of this.recorder.leaves)
      if (service === undefined || each.service === service) each.until = Math.min(each.until, this.now);
  }

  async #order(name: string, order: keyof typeof ORDERS): Promise<boolean> {
    const account = await this.account();
    if (!account) return false;
    const { name: part } = partOf({ name }, this.scenario, this.service);
    return await this.ledger.decide(account.key, (draft) => {
      const row = draft.fleets.get(part);
      if (!row || row.removed) return false;
      ORDERS[order](draft, part, this.context());
      return true;
    });
  }

  /** A person holds a machine, if it is certainly ours and not to be stopped. */
  async holdMachine(id: string, forMs: number): Promise<void> {
    const done = await this.#decideOf(id, ({ owner, claim, end, stop }, draft) => {
      const until = this.context().now.wall + forMs;
      if (claim !== "certain" || end !== null || stop !== null || !owner?.startsWith("fleet:")) return;
      holdMachine(draft, id, until, undefined, this.context());
      return true;
    });
    if (done) this.recorder.heldMachines.push({ id, from: this.now, until: this.now + forMs });
  }

  /** A person gives a fleet's machine back: it is stopped, and the count is lowered with it. */
  async giveBack(id: string): Promise<void> {
    const lowered = await this.#decideOf(id, ({ owner, claim, end, stop, gpus }, draft) => {
      if (claim !== "certain" || end !== null || stop !== null || !owner?.startsWith("fleet:")) return;
      const { name } = ownerParts(owner);
      lowerCount(draft, name, gpus ?? 0, this.context());
      askStop(draft, id, "given back", this.context(), "for good", true);
      return { name, gpus: gpus ?? 0 };
    });
    if (lowered) this.file.lower(lowered.name, lowered.gpus);
  }

  /** A person asks for another count of a fleet for a while. */
  async ask(name: string, gpus: number, forMs: number): Promise<void> {
    const account = await this.account();
    if (!account) return;
    const isAsked = await this.ledger.decide(account.key, (draft) => {
      const row = draft.fleets.get(name);
      if (!row || row.removed) return false;
      const context = this.context();
      askForCount(draft, name, { gpus, until: context.now.wall + forMs }, context);
      return true;
    });
    if (isAsked) this.file.ask(name, gpus, forMs);
  }

  async #decideOf<T>(
    id: string,
    decide: (row: DeploymentRow, draft: Draft) => T | undefined,
  ): Promise<T | undefined> {
    const account = await this.account();
    if (!account) return undefined;
    return await this.ledger.decide(account.key, (draft) => {
      const row = draft.deployments.ever(id);
      return row && decide(row, draft);
    });
  }

  /** Ends all holds of operators. */
  async #resumeAll(): Promise<void> {
    const account = await this.account();
    for (const { owner } of this.recorder.holds) this.recorder.letGo(owner, this.now);
    for (const held of this.recorder.heldMachines) held.until = Math.min(held.until, this.now);
    if (!account) return;
    const { staysLeft } = this.scenario;
    if (!staysLeft) this.#stays(this.service);
    await this.ledger.decide(account.key, (draft) => {
      for (const { name, removed, part } of draft.fleets.values())
        if (!removed && !(staysLeft && part?.leaving)) resumeFleet(draft, name, this.context());
      for (const { id } of this.recorder.heldMachines)
        if (draft.deployments.ever(id)) releaseMachine(draft, id, this.context());
    });
  }

  context(): Context {
    return { ...CONTEXT, now: this.#read() };
  }

  /** The moment for a person's command, which a process of its own would run. */
  #read(): Instant {
    const { host } = this;
    const known = this.#time?.on(host);
    known?.decide(null);
    const self = { boot: host.now().boot, pid: 1, started: "" };
    const local = { self, now: () => host.now(), isAlive: () => true, sleep: async () => undefined };
    return (known?.clock(local) ?? local).now();
  }

  /** What the agent's command does, from start to end. */
  async #keep(process: Process): Promise<void> {
    const keeper = await process.open();
    await this.#declare(keeper);
    const onError = (error: FleetkeeperError): void => process.note(`tick failed: ${error.code}`);
    const work = async (
      keeping: Keeper,
      signal: AbortSignal,
      allAccounts: AllAccounts = keeper.ledger,
    ): Promise<void> => {
      const shift = { process: process.name, service: this.service, from: this.now };
      this.recorder.shifts.push({ ...shift, until: Number.POSITIVE_INFINITY });
      const watch = this.#watch(process, keeping);
      const options = { keeper: keeping, allAccounts, host: "host", onTick: () => watch?.pump(), onError };
      await runLoop(options, signal).finally(() => this.recorder.endShift(process.name, this.now));
      await watch?.close();
    };
    const { leases } = keeper.ledger;
    if (!leases) return work(keeper, process.ending.signal);
    const holder = new Holder({ leases, id: process.name, clock: keeper.clock.own ?? keeper.clock });
    const post = {
      account: keeper.account,
      onStandby: () => undefined,
      onError,
      onLost: () => process.note("another agent keeps the account"),
      work: (signal: AbortSignal) =>
        process.keeping(keeper.account, () =>
          work(heldKeeper(keeper, holder), signal, whileHeld(keeper.ledger, keeper.account, holder)),
        ),
    };
    await holder.keep(post, process.ending.signal);
  }

  /** Beside the loop, where a fleet sets up its machines, or says when they are idle. */
  #watch(process: Process, keeper: Keeper): MachineWatch | undefined {
    const kinds: Kind[] = [];
    if (this.#setups) {
      const runner = this.#setups.runnerOn(process.isOn(this.host) ? this.host : this.#other);
      kinds.push(setup(keeper, runner, String), readiness(this.#setups.check));
    }
    if (this.scenario.fleets.some(({ idle }) => idle))
      kinds.push(idleness(({ row }, _gpus, signal) => this.#said(process, row.id, signal)));
    if (this.scenario.fleets.some(({ metric }) => metric))
      kinds.push(metrics((_, signal) => this.#measured(process, signal), keeper.clock, String));
    if (this.scenario.fleets.some((fleet) => fleet.health))
      kinds.push(health(async ({ row }) => this.#ailment(row.id)));
    if (this.scenario.fleets.some(({ saveMs }) => saveMs !== undefined))
      kinds.push(
        beforeStop(keeper, async ({ row: { id } }, { more, timeoutMs }, signal) => {
          const until = Date.parse(more?.FLEETKEEPER_UNTIL ?? "");
          const run = { id, from: this.now, until, to: Number.POSITIVE_INFINITY };
          await this.#save(process, run, timeoutMs, signal);
        }),
      );
    return kinds.length === 0 ? undefined : new MachineWatch(keeper, kinds, String);
  }

  /**
   * As `runHook` does: it is ended when its time is up, and by its agent. Nobody hears of an end that the agent brought, or
   * that came after the agent was killed.
   */
  async #save(process: Process, run: SaveRun, timeoutMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.recorder.saves.push(run);
    const { owner } = this.simulator.truth().machines.find(({ id }) => id === run.id)?.parameters ?? {};
    const { saveMs = 0, saveFails } = specOf(this.scenario, String(owner)) ?? {};
    await this.clock.sleep(Math.min(saveMs, timeoutMs), signal);
    if (process.alive) run.to = this.now;
    if (saveFails || saveMs > timeoutMs) throw new HookFailure("./save.sh: it was ended", null);
  }

  /** What the metric says that the first fleet follows. */
  async #measured(process: Process, signal: AbortSignal): Promise<Measured> {
    const asked = this.now;
    const [fleet] = this.scenario.fleets;
    const says = fleet?.metric ? saysAt(fleet.metric, asked - this.started, this.#quiet) : "fails";
    if (says === "hangs") await this.clock.sleep(TOO_LATE_MS, signal);
    if (says === "fails") return { kind: "unknown", why: "answered HTTP 503" };
    const text = says === "hangs" ? TOO_LATE : says;
    if (process.alive) this.recorder.measured.push({ says: text, asked, answered: this.now });
    return numberIn(text);
  }

  /** What a machine says of whether it is idle. */
  async #said(process: Process, id: string, signal: AbortSignal): Promise<Answer> {
    const as = this.#quiet ? "busy" : (this.recorder.uses.findLast((use) => use.id === id)?.as ?? "busy");
    if (as === "hangs") await this.clock.sleep(HANGS_MS, signal);
    if (process.alive && !signal.aborted) this.recorder.heard.push({ id, as, at: this.now });
    return ANSWERS[as];
  }

  /** What a machine says of its health. One that is sick says of what in turns: each cause is another text. */
  #ailment(id: string): Answer {
    const as = this.#quiet ? "good" : (this.recorder.ails.findLast((each) => each.id === id)?.as ?? "good");
    this.recorder.examined.push({ id, as, at: this.now });
    return as === "good" ? { kind: "good" } : { kind: as, why: `cause ${Math.floor(this.now / 60_000) % 2}` };
  }

  /** Starts a unit. It is started again a while after it ended. */
  #start(unit: Unit): void {
    unit.wanted = true;
    if (unit.process?.alive) return;
    const ended = (): void => {
      if (!unit.wanted) return;
      const wait = this.#quiet ? 1_000 : this.#random.integer(1, 60) * 1000;
      void this.clock.sleep(wait).then(() => {
        if (!unit.wanted || unit.process?.alive) return;
        this.recorder.counts.restarts += 1;
        this.#start(unit);
      });
    };
    const named = this.#first === this ? unit.name : `${unit.name}-${this.service}`;
    unit.process = this.#run(named, (process) => this.#keep(process), ended);
  }

  #stop(unit: Unit): void {
    unit.wanted = false;
    unit.process?.ending.abort();
  }

  #run(name: string, main: (process: Process) => Promise<void>, ended: () => void): Process {
    // Every other agent of several is there, and its second one here.
    const others = this.#first.services.indexOf(this) % 2 === 1;
    const second = ELSEWHERE.includes(name.split("-")[0] ?? "");
    const host = this.hostOf(others !== second || (name.startsWith("pulumi-") && this.#runs++ % 2 === 0));
    const id = `${name}#${this.#nextId()}`;
    const process = new Process(id, this.#surroundings, host, () => {
      this.recorder.endShift(id, this.now);
      ended();
    });
    this.#processes = [...this.#processes.filter(({ alive }) => alive), process];
    const exited = (): void => {
      process.exit();
      ended();
    };
    main(process).then(exited, (error: unknown) => {
      process.note(`ended: ${error instanceof Error ? error.message : String(error)}`);
      if (!isExpected(error, process)) this.recorder.surprises.push(`${process.name}: ${stackOf(error)}`);
      exited();
    });
    return process;
  }

  #armed(process: Process, effect: EffectKind): Blow | undefined {
    const meant = this.#blows.filter(
      ({ who, on }) => process.name.startsWith(who) && (on === "any" || on === effect),
    );
    // Each blow counts by itself: an earlier one moves no other to a later effect.
    for (const armed of meant) armed.skip -= 1;
    const due = meant.find(({ skip }) => skip < 0);
    this.#blows = this.#blows.filter((other) => other !== due);
    return due?.blow;
  }

  #addStack(name: string, offer: CatalogueOffer): void {
    const stack = new Stack(name, offer);
    const entry = { stack, gpus: offer.gpus, wanted: false, running: undefined };
    this.stacks.set(name, entry);
    this.#wishFor(entry, offer.gpus);
  }

  #wishFor({ stack: { owner } }: StackEntry, gpus: number, overshoot = 0): void {
    const forever = { from: this.now, until: Number.POSITIVE_INFINITY };
    const wish = { owner, gpus, overshoot, surge: 0, floor: undefined, perHour: undefined };
    this.recorder.wishes.push({ ...wish, ...forever });
  }
}

/** True for an error that ends a process on purpose: the service manager, or a person, tries again. */
function isExpected(error: unknown, { ending, name }: Process): boolean {
  if (ending.signal.aborted || error instanceof FleetkeeperError) return true;
  // A resource tells people with an error class of its own. A bug throws one of JavaScript's.
  return name.startsWith("pulumi") && !MISTAKES.some((mistake) => error instanceof mistake);
}

const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
