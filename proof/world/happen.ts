import { tick } from "../../agent/reconcile/tick.ts";
import { carryOutStops, DEFAULT_SETTINGS, takeList } from "../../launch/index.ts";
import { createService } from "../../service/client.ts";
import type { Combination } from "../../service/contract/contract.ts";
import { SIMULATOR_URL } from "../../simulator/index.ts";
import type { Moment } from "../scenario/scenario.ts";
import type { World } from "./world.ts";

/** Lets one event of the scenario happen. */
export function happen(all: World, event: Moment): void {
  const { at: _at, kind, ...rest } = event;
  const world = all.serviceOf(event);
  if (kind !== "blow") world.note(`${kind} ${JSON.stringify(rest)}`);
  const act: (world: World, event: never) => void = ACTS[kind];
  act(world, event as never);
}

type Kind = Moment["kind"];

/** True if a list that lied may have lacked a machine just before: then it is missing for longer. */
function lacksAlready({ simulator, now }: World): boolean {
  return simulator
    .truth()
    .faults.some(
      ({ target, fault, at }) =>
        target === "deployments" && LACKING.has(fault.kind) && now - at <= DEFAULT_SETTINGS.gone,
    );
}

const LACKING: ReadonlySet<string> = new Set(["stale", "lag", "cut"]);

/** What each kind of event does. */
const ACTS: { readonly [K in Kind]: (world: World, event: Extract<Moment, { kind: K }>) => void } = {
  // Processes.
  blow: (world, event) => world.arm(event),
  kill: (world, { who }) => {
    for (const process of world.processes(who)) process.kill();
  },
  terminate: (world, { who }) => {
    for (const process of world.processes(who)) process.ending.abort();
  },
  away: (world, { forMs }) => world.leaveAlone(forMs),
  jump: (world, { ms, other }) => {
    world.recorder.jumps.push(world.now);
    world.hostOf(other).jump(ms);
  },
  reboot: (world, { jumpMs, other }) => world.reboot(jumpMs, other),
  ledgerJump: (world, { ms }) => world.jumpLedger(ms),
  up: operate,
  destroy: operate,
  replace: operate,
  program: (world, event) => world.program(event),
  lockLedger: (world, { forMs }) => world.lockLedger(forMs),
  stateDelete: (world, { deployment }) => world.stacks.get(deployment)?.stack.forget(),
  take: (world) => {
    world.once("taker", async (process) => {
      const keeper = await process.open();
      await takeList(keeper, process.ending.signal);
      await carryOutStops(keeper, process.ending.signal);
    });
  },
  tickOnce: (world) => {
    world.once("once", async (process) => {
      await tick(await process.open(), process.ending.signal);
    });
  },
  newLedger: (world, { kind }) => world.mistake(kind),
  otherKey: (world, { kind }) => world.mistake(kind),
  upgrade: (world) => world.upgrade(),
  secondAgent: (world, { forMs }) => world.runSecondAgent(forMs),

  // Fleets.
  edit: (world, { name, gpus }) => inFile(world, (file) => file.edit(name, gpus)),
  candidates: (world, { name, candidates }) => inFile(world, (file) => file.offer(name, candidates)),
  triggers: (world, { name, triggers }) => inFile(world, (file) => file.trigger(name, triggers)),
  rename: (world, { name, to }) => inFile(world, (file) => file.rename(name, to)),
  remove: (world, { name }) => inFile(world, (file) => file.remove(name)),
  declare: (world, { fleet }) =>
    inFile(world, (file) => {
      if (!file.has(fleet.owner)) file.put(fleet);
    }),
  pauseFleet: (world, { name, paused, service }) =>
    void world.order(name, paused ? "pause" : "resume", service),
  drainFleet: (world, { name, drained, service }) =>
    void world.order(name, drained ? "drain" : "resume", service),
  leaveService: (world, { name, leaves, service }) =>
    void world.order(name, leaves ? "leave" : "resume", service),

  holdOne: (world, { pick: which, forMs }) => pick(world, which, (id) => void world.holdMachine(id, forMs)),
  use: (world, { pick: which, as }) =>
    pick(world, which, (id) => void world.recorder.uses.push({ id, as, from: world.now })),
  ail: (world, { pick: which, as }) =>
    pick(world, which, (id) => void world.recorder.ails.push({ id, as, from: world.now })),
  ask: (world, { name, gpus, forMs }) => void world.ask(name, gpus, forMs),
  giveBackOne: (world, { pick: which }) => pick(world, which, (id) => void world.giveBack(id)),

  // The service.
  faults: ({ simulator }, { target, chances }) => simulator.control.faults.chance(target, chances),
  fault: ({ simulator }, { target, fault, nth }) => {
    const { faults } = simulator.control;
    if (nth === undefined) faults.next(target, fault);
    else faults.place(target, fault, nth);
  },
  failNext: ({ simulator }, { combination, code, times }) =>
    simulator.control.failNext(combination, { code }, { times }),
  maintenance: ({ simulator }, { provider, on }) => simulator.control.maintenance(provider, on),
  cooldown: ({ simulator }, { combination, seconds }) => simulator.control.cooldown(combination, seconds),
  capacity: ({ simulator }, { combination, capacity }) =>
    simulator.control.setCapacity(combination, capacity),
  price: ({ simulator }, { combination, pricePerHour }) =>
    simulator.control.setPrice(combination, pricePerHour),
  balance: ({ simulator }, { balance }) => simulator.control.setBalance(balance),

  // Machines.
  hand: ({ simulator }, { combination }) => tolerate(() => simulator.control.launchByHand(combination)),
  handStop: (world, event) => pick(world, event.pick, (id) => world.simulator.control.stopByHand(id), "hand"),
  stranger: (world, { combination }) => void strange(world, combination),
  lose: ({ simulator }, { provider, now }) => {
    simulator.control.loseMachinesIn({ provider }, { now });
  },
  loseOne: (world, { pick: which, now }) =>
    pick(world, which, (id) => world.simulator.control.interrupt(id, { now })),
  haltOne: (world, event) => pick(world, event.pick, (id) => world.simulator.control.halt(id)),
  forget: (world, { pick: which, forMs }) =>
    pick(world, which, (id) => {
      const { control } = world.simulator;
      const isLong = forMs > DEFAULT_SETTINGS.gone || lacksAlready(world);
      if (isLong && !world.scenario.strict) world.recorder.forgotten.set(id, world.now);
      control.forget(id);
      void world.clock.sleep(forMs).then(() => control.forget(id, false));
    }),
  vanish: ({ simulator: { control, truth }, recorder, clock }, { what, forMs }) => {
    const ids = truth()
      .machines.filter(({ endedAt }) => endedAt === null)
      .map(({ id }) => id);
    const deny = (isDenied: boolean): void => {
      if (what === "account") control.hideAccount(isDenied);
      else for (const id of ids) control.forget(id, isDenied);
    };
    // One is rented for all of them: stories say how many launches there may be.
    for (const id of ids) recorder.forgotten.set(id, clock.now());
    deny(true);
    void clock.sleep(forMs).then(() => deny(false));
  },
  showAs: (world, { pick: which, state, forMs }) =>
    pick(world, which, (id) => {
      const { control } = world.simulator;
      // What is rented for it meanwhile is one machine more, and nobody can know better.
      world.recorder.forgotten.set(id, world.now);
      control.showAs(id, state);
      void world.clock.sleep(forMs).then(() => control.showAs(id));
    }),
  hide: (world, { pick: which, forMs }) =>
    pick(world, which, (id) => {
      const { control } = world.simulator;
      const { seen, hidden } = world.recorder;
      // A machine that was seen is asked for by its id, so lists alone may lack it for any time.
      if (!seen.has(id)) hidden.set(id, world.now + forMs);
      control.hide(id);
      void world.clock.sleep(forMs).then(() => control.hide(id, false));
    }),
  giveAnew,
};

function operate(world: World, event: Extract<Moment, { kind: "up" | "destroy" | "replace" }>): void {
  world.operate(event.deployment, event.kind);
}

/** Somebody edits the fleet file, and runs the command that reads it. */
function inFile(world: World, change: (file: World["file"]) => void): void {
  change(world.file);
  world.applyFile();
}

/** Acts on one of the living machines, chosen by any number. */
function pick(world: World, number: number, act: (id: string) => void, by?: "hand"): void {
  const living = world.simulator
    .truth()
    .machines.filter(({ endedAt, origin }) => endedAt === null && (by === undefined || origin.by === by));
  const chosen = living[number % Math.max(1, living.length)];
  if (chosen) tolerate(() => act(chosen.id));
}

function giveAnew(world: World, event: Extract<Moment, { kind: "giveAnew" }>): void {
  const ids = (): readonly string[] => world.simulator.truth().machines.map(({ id }) => id);
  const before = ids();
  giveOneAnew(world, event);
  for (const [nth, is] of ids().entries()) {
    const was = before[nth] ?? is;
    if (was !== is) world.recorder.witness.all.push({ kind: "anew", at: world.now, was, is });
  }
}

function giveOneAnew(
  world: World,
  { pick: which, combination }: Extract<Moment, { kind: "giveAnew" }>,
): void {
  const { control } = world.simulator;
  if (which !== "ended") {
    pick(world, which, (id) => control.giveAnew(id, combination));
    return;
  }
  const ended = world.simulator.truth().machines.filter(({ endedAt }) => endedAt !== null);
  const last = ended.toSorted((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0)).at(-1);
  if (last) tolerate(() => control.giveAnew(last.id, combination));
}

/** A person in the dashboard whose action is refused, as by a cooldown, goes away. */
function tolerate(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("was refused")) throw error;
  }
}

/** A stranger's fleetkeeper in the same account: its marker looks like ours and is not. */
async function strange(world: World, combination: Combination): Promise<void> {
  const service = createService({
    baseUrl: SIMULATOR_URL,
    secret: world.simulator.apiKey,
    profile: world.wire.profile,
    transport: async (request) => {
      const before = world.simulator.truth().launches.length;
      const reply = world.simulator.handle(request);
      // It may have asked for a token first.
      if (world.simulator.truth().launches.length > before) world.nextEntry();
      return reply.kind === "answer" ? reply.response : { status: 599, headers: {}, body: "" };
    },
    clock: { now: () => world.now, sleep: (ms) => world.clock.sleep(ms) },
    random: () => 0,
  });
  const marker = `fk-otherledger000-other${String(world.now)}`;
  const request = { ...combination, marker, parameters: { owner: "stranger" } };
  await service.launch(request, new AbortController().signal);
}
