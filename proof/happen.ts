import { tick } from "../agent/reconcile/tick.ts";
import { carryOutStops, DEFAULT_SETTINGS, takeList } from "../launch/index.ts";
import { createService } from "../service/client.ts";
import type { Combination } from "../service/contract.ts";
import { unhandled } from "../service/errors.ts";
import { SIMULATOR_URL } from "../simulator/index.ts";
import type { Moment } from "./scenario.ts";
import type { World } from "./world.ts";

/** Lets one event of the scenario happen. */
export function happen(world: World, event: Moment): void {
  const { at: _at, kind, ...rest } = event;
  if (kind !== "blow") world.note(`${kind} ${JSON.stringify(rest)}`);
  const ofOthers = toProcesses(world, event);
  const ofService = ofOthers && toFleets(world, ofOthers);
  const ofMachines = ofService && toService(world, ofService);
  if (ofMachines) toMachines(world, ofMachines);
}

/** The kinds that a function gives back. */
type Left<T extends (...args: never[]) => unknown> = NonNullable<ReturnType<T>>;

/** Does what the event does to processes, or gives it back: it is one of another kind. */
function toProcesses(world: World, event: Moment) {
  switch (event.kind) {
    case "blow":
      world.arm(event);
      break;
    case "kill":
      for (const process of world.processes(event.who)) process.kill();
      break;
    case "terminate":
      for (const process of world.processes(event.who)) process.ending.abort();
      break;
    case "jump":
      world.recorder.jumps.push(world.now);
      world.host.jump(event.ms);
      break;
    case "reboot":
      world.reboot(event.jumpMs);
      break;
    case "up":
    case "destroy":
    case "replace":
      world.operate(event.deployment, event.kind);
      break;
    case "program":
      world.program(event);
      break;
    case "lockLedger":
      world.lockLedger(event.forMs);
      break;
    case "stateDelete":
      world.stacks.get(event.deployment)?.stack.forget();
      break;
    case "take":
      world.once("taker", async (process) => {
        const keeper = await process.open();
        await takeList(keeper, process.ending.signal);
        await carryOutStops(keeper, process.ending.signal);
      });
      break;
    case "tickOnce":
      world.once("once", async (process) => {
        await tick(await process.open(), process.ending.signal);
      });
      break;
    case "newLedger":
    case "otherKey":
      world.mistake(event.kind);
      break;
    case "secondAgent":
      world.runSecondAgent(event.forMs);
      break;
    default:
      return event;
  }
  return undefined;
}

/** Does what the event does to fleets, or gives it back: it is one of another kind. */
function toFleets(world: World, event: Left<typeof toProcesses>) {
  const { file } = world;
  switch (event.kind) {
    case "edit":
      file.edit(event.name, event.gpus);
      break;
    case "triggers":
      file.trigger(event.name, event.triggers);
      break;
    case "rename":
      file.rename(event.name, event.to);
      break;
    case "remove":
      file.remove(event.name);
      break;
    case "declare":
      if (!file.has(event.fleet.owner)) file.put(event.fleet);
      break;
    case "pauseFleet":
      void world.order(event.name, event.paused ? "pause" : "resume");
      return undefined;
    case "drainFleet":
      void world.order(event.name, event.drained ? "drain" : "resume");
      return undefined;
    default:
      return event;
  }
  world.applyFile();
  return undefined;
}

/** Does what the event does to the service, or gives it back: it is one of another kind. */
function toService(world: World, event: Left<typeof toFleets>) {
  const { control } = world.simulator;
  switch (event.kind) {
    case "faults":
      control.faults.chance(event.target, event.chances);
      break;
    case "fault":
      if (event.nth === undefined) control.faults.next(event.target, event.fault);
      else control.faults.place(event.target, event.fault, event.nth);
      break;
    case "failNext":
      control.failNext(event.combination, { code: event.code }, { times: event.times });
      break;
    case "maintenance":
      control.maintenance(event.provider, event.on);
      break;
    case "cooldown":
      control.cooldown(event.combination, event.seconds);
      break;
    case "capacity":
      control.setCapacity(event.combination, event.capacity);
      break;
    case "price":
      control.setPrice(event.combination, event.pricePerHour);
      break;
    case "balance":
      control.setBalance(event.balance);
      break;
    default:
      return event;
  }
  return undefined;
}

function toMachines(world: World, event: Left<typeof toService>): void {
  const { control } = world.simulator;
  switch (event.kind) {
    case "hand":
      tolerate(() => control.launchByHand(event.combination));
      break;
    case "handStop":
      pick(world, event.pick, (id) => control.stopByHand(id), "hand");
      break;
    case "stranger":
      void strange(world, event.combination);
      break;
    case "lose":
      control.loseMachinesIn({ provider: event.provider }, { now: event.now });
      break;
    case "loseOne":
      pick(world, event.pick, (id) => control.interrupt(id, { now: event.now }));
      break;
    case "forget":
      pick(world, event.pick, (id) => {
        const { forgotten } = world.recorder;
        if (event.forMs > DEFAULT_SETTINGS.gone && !world.scenario.strict) forgotten.add(id);
        control.forget(id);
        void world.clock.sleep(event.forMs).then(() => control.forget(id, false));
      });
      break;
    case "showAs":
      pick(world, event.pick, (id) => {
        // What is rented for it meanwhile is one machine more, and nobody can know better.
        world.recorder.forgotten.add(id);
        control.showAs(id, event.state);
        void world.clock.sleep(event.forMs).then(() => control.showAs(id));
      });
      break;
    case "giveAnew":
      giveAnew(world, event);
      break;
    case "hide":
      pick(world, event.pick, (id) => {
        const { seen, hidden } = world.recorder;
        // A machine that was seen is asked for by its id, so lists alone may lack it for any time.
        if (!seen.has(id)) hidden.set(id, world.now + event.forMs);
        control.hide(id);
        void world.clock.sleep(event.forMs).then(() => control.hide(id, false));
      });
      break;
    default:
      unhandled(event);
  }
}

/** Acts on one of the living machines, chosen by any number. */
function pick(world: World, number: number, act: (id: string) => void, by?: "hand"): void {
  const living = world.simulator
    .truth()
    .machines.filter(({ endedAt, origin }) => endedAt === null && (by === undefined || origin.by === by));
  const chosen = living[number % Math.max(1, living.length)];
  if (chosen) tolerate(() => act(chosen.id));
}

function giveAnew(world: World, { pick: which, combination }: Extract<Moment, { kind: "giveAnew" }>): void {
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
      const reply = world.simulator.handle(request);
      world.nextEntry();
      return reply.kind === "answer" ? reply.response : { status: 599, headers: {}, body: "" };
    },
    clock: { now: () => world.now, sleep: (ms) => world.clock.sleep(ms) },
    random: () => 0,
  });
  const marker = `fk-otherledger000-other${String(world.now)}`;
  const request = { ...combination, marker, parameters: { owner: "stranger" } };
  await service.launch(request, new AbortController().signal);
}
