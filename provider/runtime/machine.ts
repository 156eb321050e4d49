import { sameAccount } from "../../account/index.ts";
import { stopAhead } from "../../agent/fleet/wish/before-stop-wish.ts";
import { checkDoubts, doubtText } from "../../agent/index.ts";
import { gpusOf } from "../../agent/planning/count/machine-gpus.ts";
import { type Costs, costsOf } from "../../agent/planning/told/costs.ts";
import {
  claimedBy,
  contextOf,
  enterSlot,
  holdText,
  labelsOfOwner,
  type SpendLimits,
  setDeadline,
  setLabels,
  unaccounted,
  whyUnstated,
} from "../../launch/index.ts";
import { hourOf } from "../../launch/money/price.ts";
import type { DeploymentRow } from "../../ledger/index.ts";
import { readDraft, slotOwner } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { parseUsd, type Usd } from "../../service/contract/money.ts";
import { fillSlot } from "./create/fill-slot.ts";
import { foretold } from "./create/foresee.ts";
import { lacksSecrets, machineOuts, shownStatus, withSecrets } from "./create/machine-outs.ts";
import { floorless, tellPrices, unaffordable, unpriced } from "./create/prices.ts";
import { machineBound, tellCosts } from "./create/stack-costs.ts";
import { candidatesOf, combinationOf, knownCandidatesOf, whyNotAmong } from "./inputs/candidates.ts";
import type { MachineInputs } from "./inputs/inputs.ts";
import {
  beforeStopOf,
  checked,
  deadlineOf,
  flattened,
  machineInputs,
  nameOf,
  parsedAs,
  timeoutOf,
} from "./inputs/inputs.ts";
import type { Checked, CheckFailure, Properties, ResourceKind } from "./inputs/resource-kind.ts";
import { NotAsItShouldBe, same } from "./inputs/resource-kind.ts";
import { hasUnknown, isUnknown } from "./inputs/unknown.ts";
import { adoptLeftBehind, foreseenAdoption, importable } from "./ownership/adoption.ts";
import { isOriginOf, originText } from "./ownership/ledger-of-origin.ts";
import { machineInSlot, whyRentedTwice } from "./ownership/left-behind.ts";
import { lostSlot } from "./ownership/lost-slot.ts";
import { notOurs, otherOwner } from "./ownership/other-owner.ts";
import type { SlotState } from "./ownership/owned.ts";
import { readSlot } from "./ownership/owned.ts";
import type { Environment, Session } from "./session/environment.ts";
import type { Progress } from "./session/progress.ts";
import { progressOf } from "./session/progress.ts";
import type { WaitLimit } from "./session/wait-limit.ts";
import { interrupted, outlive, startWaitLimit } from "./session/wait-limit.ts";
import { emptySlot } from "./stop/empty-slot.ts";
import { awaitReady } from "./wait/await-ready.ts";
import { awaitEnd, awaitRunning } from "./wait/await-running.ts";
import { endText } from "./wait/failure-text.ts";
import { tellUnkept } from "./wait/fleet-progress.ts";
import { isThere } from "./wait/whereabouts.ts";

/** What can change without another machine. The rest belongs to the slot, which is then another one. */
const IN_PLACE = [
  ...["offer", "provider", "location", "candidates", "gpus", "pricePerHour"],
  ...["budget", "labels", "until", "adopt", "awaitRunning", "ready", "beforeStop", "onDelete", "label"],
];

/**
 * The machine in a slot: the half of a `Deployment` that costs money. Its create may run again for one slot
 * (interruption, `--replace`, taint) and then returns the machine that is there. So its delete does nothing
 * if the ledger knows the slot: the slot's own delete stops everything in it.
 */
export const machine: ResourceKind = {
  secrets: ["secretConnection"],

  async check(env, given, olds = {}) {
    const news = flattened(given);
    const result = runnable(env, news, checked(machineInputs, news));
    const isNew = Object.keys(olds).length === 0;
    if (!isNew) env.held.add(String(olds.slot));
    if (!isNew || result.failures.length > 0 || env.problem() !== undefined) return result;
    const twice = await whyRentedTwice(env, news);
    if (twice !== undefined) return { ...result, failures: [{ property: "", reason: twice }] };
    const there = await machineInSlot(env, news);
    if (there !== undefined)
      progressOf(env, nameOf(news))(`${there} is in its slot, and stays: nothing is launched`);
    if (there !== undefined || isUnknown(news.adopt)) return result;
    return { ...result, failures: await foretell(env, news) };
  },

  async diff(env, id, olds, news) {
    const slot = String(olds.slot);
    if (news.slot !== olds.slot) return { changes: true, replaces: ["slot"] };
    const tell = progressOf(env, nameOf(news));
    const session = await sessionFor(env, id, olds, "glimpse");
    await session.lists.glance();
    const row = await rowOf(session, id);
    const place = await readSlot(session.keeper, slot);
    const theirs = await otherOwner(session, row, slot);
    const deadline = deadlineOf(news);
    if (deadline !== null && session.keeper.clock.now().wall >= deadline) {
      // Over, not lost: a machine past its deadline is not replaced, and is stopped if it is alive.
      const ours = theirs === undefined && row?.claim !== "foreign" ? row : undefined;
      const lives = ours !== undefined && ours.end === null;
      const told = ours !== undefined && isStale(ours, olds);
      if (lives)
        tell(`its deadline (until: ${news.until}) has passed: pulumi up stops ${id}, and rents no other`);
      return { changes: lives || told || changed(olds, news), replaces: [] };
    }
    const forgotten = isForgotten(row, olds);
    const why = whyReplaced(session, id, row, place, theirs, forgotten);
    if (why !== undefined) {
      tell(why);
      return { changes: true, replaces: ["deploymentId"] };
    }
    if (deadline !== null && !same(olds.until, news.until)) await tellUnkept(session, news, tell);
    if (ASKED.some((key) => !same(olds[key], news[key]))) tellDoubts(session, news, tell);
    if (row === undefined || row.missing !== null)
      tell(`${id} is not shown by the service just now: run pulumi refresh in a minute`);
    const moved = row !== undefined && (forgotten || row.stop !== null || isStale(row, olds));
    const unready = news.ready !== undefined && olds.readyAt === undefined;
    const changes =
      moved || unready || changed(olds, news) || (await lacksSecrets(session, row, olds, env.signal));
    return { changes, replaces: [] };
  },

  async create(env, given) {
    const inputs = parsedAs(machineInputs, given);
    const tell = progressOf(env, nameOf(given));
    const session = await env.session();
    await enter(env, session, inputs);
    await tellUnkept(session, given, tell);
    await adoptLeftBehind(env, session, inputs);
    const wait = waitFor("create", session, given, env);
    const row = await fillSlot(session, inputs, tell, wait).catch(async (error: unknown) => {
      throw await cutShort(error, session, given, inputs, wait);
    });
    return { id: row.id, outs: await settled(env, session, row, given, inputs, tell, wait) };
  },

  async read(env, id, props) {
    const session = await sessionFor(env, id, props, "glimpse");
    await session.lists.glance();
    const tell = progressOf(env, nameOf(props));
    let row = await rowOf(session, id);
    if (row === undefined && (await isOfAnotherLedger(session, props))) {
      if (!(await isThere(session, id, tell, waitFor("update", session, props, env)))) return undefined;
      row = await rowOf(session, id);
    }
    if (row === undefined || (row.missing !== null && row.end === null)) {
      const hidden = row && (await readDraft(session.keeper)).account.vanished?.why;
      if (hidden !== undefined) throw new Error(hidden);
      throw new Error(
        `${id} is not shown by the service just now (is that its id?), though it shows every deployment whatever its status. That is not ` +
          "taken for its end until two lists some time apart agree: run this again in a minute.",
      );
    }
    if (row.end === "gone") return undefined;
    const outs = machineOuts(session, props, row, await readDraft(session.keeper));
    return withSecrets(session, outs, row, tell, env.signal);
  },

  async update(env, id, olds, given) {
    const inputs = parsedAs(machineInputs, given);
    const tell = progressOf(env, nameOf(given));
    const session = await sessionFor(env, id, olds);
    const wait = waitFor("update", session, given, env);
    if ((await isOfAnotherLedger(session, given)) || isForgotten(await rowOf(session, id), olds)) {
      if (!(await isThere(session, id, tell, wait))) throw isGone(id);
      await refuseOthers(session, id, inputs.slot);
      await takeOver(session, id, { ...given, claim: olds.claim });
    }
    await enter(env, session, inputs);
    await session.lists.recent(session.keeper.settings.poll);
    const row = await refuseOthers(session, id, inputs.slot);
    if (row === undefined) throw new Error(`${id} is not in the ledger ${session.keeper.ledger.location}`);
    await refuseOtherChoice(session, row, olds, inputs);
    return settled(env, session, row, given, inputs, tell, wait);
  },

  async delete(env, id, props) {
    const slot = String(props.slot);
    const session = await sessionFor(env, id, props);
    const isKnown = !(await isOfAnotherLedger(session, props));
    if (isKnown && !isForgotten(await rowOf(session, id), props)) return;
    const tell = progressOf(env, nameOf(props));
    // A machine that is gone needs no stop, and does not keep its slot open.
    await isThere(session, id, tell, waitFor("delete", session, props, env));
    const row = await rowOf(session, id);
    const { ledger } = session.keeper;
    // Its own ledger may have launched another, in an up that was killed before the state had it.
    if (!isKnown && row && row.end !== null && !isOriginOf(String(props.ledger), ledger))
      throw await lostSlot(env, slot, props);
    const theirs = await otherOwner(session, row, slot);
    if (theirs) tell(`${id} belongs to ${theirs} in this ledger, and is left to it`);
    await takeOver(session, id, props);
    // What a known slot has is ended with the slot, or as its surplus.
    if (!isKnown) await emptySlot(env, slot, props);
  },

  /**
   * The state says then what it would after a ledger was lost: so the next update takes the machine over, and a delete stops it. The
   * ledger is made if there is none, since the state names it.
   */
  async import(env, id, props) {
    const session = await env.session();
    await session.lists.look();
    const { keeper } = session;
    const draft = await readDraft(keeper);
    const row = importable(draft, id, String(props.slot));
    const combination = combinationOf(draft, row);
    if (Object.keys(combination).length < 3)
      throw new FleetkeeperError(
        "PROFILE_PART_MISSING",
        `${id}: the service does not show its offer, provider and location, so nobody knows which Deployment it is: take it with the argument adopt.`,
      );
    const inputs = { ...props, ...combination, ledger: originText(keeper.ledger, env.host) };
    const outs = machineOuts(session, { ...inputs, claim: "certain" }, row, draft);
    return {
      inputs,
      outs: await withSecrets(session, outs, row, progressOf(env, nameOf(props)), env.signal),
    };
  },

  async list(env) {
    const session = await env.glimpse();
    await session.lists.look();
    const rows = unaccounted(await readDraft(session.keeper));
    return rows.flatMap(({ id, claim, status }) => (claim === null && status !== "stopping" ? [id] : []));
  },
};

/** Opens the account in the state: in another one's lists the machine would seem to have ended. */
async function sessionFor(
  env: Environment,
  id: string,
  { account }: Properties,
  which: "session" | "glimpse" = "session",
): Promise<Session> {
  const session = await env[which]();
  sameAccount(session.keeper, account as string | undefined, id);
  return session;
}

function whyReplaced(
  { keeper }: Session,
  id: string,
  row: DeploymentRow | undefined,
  place: SlotState,
  theirs: string | undefined,
  forgotten: boolean,
): string | undefined {
  if (row !== undefined && row.end !== null) return endText(row, keeper.service);
  if (theirs !== undefined) return `${id} belongs to ${theirs} in this ledger`;
  // Its launch was only inferred. (A ledger that never knew the slot takes the machine over instead.)
  if (row?.claim === null && place.slot !== undefined && !forgotten)
    return `${id} turned out not to be this deployment's, and is left as it is: see fleetkeeper status`;
  // A stop that began runs to its end, whatever the program asks for now: create waits for it and launches.
  if (row?.stop && !row.stop.revocable) return `${id} is being stopped: ${row.stop.why}`;
  if (row?.claim === "foreign" || (place.machine !== undefined && place.machine.id !== id))
    return `its place is not filled by ${id} any more`;
  return undefined;
}

/** A command that cannot be run is an error before anything is launched: a machine that waits for it bills. */
function runnable(env: Environment, news: Properties, result: Checked): Checked {
  const failures = ["ready", "beforeStop"].flatMap((key) => {
    const command = (news[key] as Properties | undefined)?.command;
    const program: unknown = Array.isArray(command) && !hasUnknown(news[key]) ? command[0] : undefined;
    const reason = typeof program === "string" ? env.whyNotRun(program) : undefined;
    return reason === undefined ? [] : [{ property: `${key}.command`, reason }];
  });
  return { ...result, failures: [...result.failures, ...failures] };
}

function changed(olds: Properties, news: Properties): boolean {
  return IN_PLACE.some((key) => !same(olds[key], news[key]));
}

/** True if the state and the newest list say different things of the machine. */
function isStale(row: DeploymentRow, olds: Properties): boolean {
  // Connection details may appear after the status `running`.
  const later = row.connection !== null && !same(row.connection, olds.connection);
  return later || shownStatus(row) !== olds.status || row.claim !== (olds.claim ?? null);
}

const ASKED = ["ready", "beforeStop", "until"] as const;

/** Tells which of its checks can never do what they say, unless something of them is not known yet. */
function tellDoubts({ keeper }: Session, news: Properties, tell: Progress): void {
  if (ASKED.some((key) => hasUnknown(news[key]))) return;
  const { ready, until } = machineInputs.shape;
  const asked = {
    ready: ready.parse(news.ready),
    until: until.parse(news.until),
    beforeStop: beforeStopOf(news),
  };
  for (const doubt of checkDoubts(asked, contextOf(keeper))) tell(doubtText(doubt));
}

/** Tells a launch's price before it is paid, or which machine is taken instead, and what `up` would refuse. */
function foretell(env: Environment, news: Properties): Promise<readonly CheckFailure[]> {
  return foretold(env, news, async (session, tell) => {
    const { keeper } = session;
    const adopted = await foreseenAdoption(env, session, news);
    const draft = await readDraft(keeper);
    const unstated = whyUnstated(draft.account.tenure, keeper.service.abilities);
    if (unstated !== undefined && adopted === undefined)
      return [{ property: "", reason: holdText(unstated) }];
    if (deadlineOf(news) !== null) await tellUnkept(session, news, tell);
    tellDoubts(session, news, tell);
    if (adopted !== undefined) {
      tell(`takes ${adopted.id}, which is ${adopted.status}: nothing is launched`);
      const price = hourOf(draft, adopted);
      const costs = costsOf([{ gpus: gpusOf(draft, adopted), price }]);
      await tellWhole(env, session, news, { costs, running: [price] }, tell);
      return [];
    }
    const candidates = knownCandidatesOf(news);
    if (candidates === undefined) return [];
    const offers = await session.offers();
    const prices = tellPrices(offers, candidates, keeper.service.abilities, tell);
    await tellWhole(env, session, news, { costs: costsOf(prices.slice(0, 1)), running: [] }, tell);
    const failures = [...floorless(keeper.service, news), ...unpriced(offers, candidates, news)];
    if (failures.length > 0) return failures;
    // What a killed up has launched already is looked for, and not launched again.
    const { open, alive } = await readSlot(keeper, String(news.slot));
    if (open.length > 0 || alive.length > 0) return [];
    const limits = limitsOf(news);
    if (limits.floor !== undefined) await outlive(() => session.balances.next(), tell);
    const wanted = candidates.flatMap((candidate, index) => ({ candidate, ...prices[index]! }));
    const of = { owner: slotOwner(String(news.slot)), limits };
    return unaffordable(await readDraft(keeper), wanted, of, contextOf(keeper));
  });
}

/** The limits that are known already. */
function limitsOf({ budget }: Properties): Pick<SpendLimits, "floor" | "perHour"> {
  const { floor, perHour } = (budget ?? {}) as { readonly floor?: unknown; readonly perHour?: unknown };
  const known = (limit: unknown): Usd | undefined =>
    isUnknown(limit) ? undefined : parseUsd(String(limit ?? ""));
  return { floor: known(floor), perHour: known(perHour) };
}

/** Tells what a machine costs, the most that it can, and what its stack adds up to. */
async function tellWhole(
  env: Environment,
  session: Session,
  news: Properties,
  { costs, running }: { readonly costs: Costs; readonly running: readonly (Usd | undefined)[] },
  tell: Progress,
): Promise<void> {
  const { perHour } = limitsOf(news);
  const until = deadlineOf(news) ?? undefined;
  const ahead = stopAhead({ beforeStop: hasUnknown(news.beforeStop) ? undefined : beforeStopOf(news) });
  const draft = await readDraft(session.keeper);
  const most = machineBound(draft, { limits: { perHour }, until, ahead, running }, contextOf(session.keeper));
  await tellCosts(env, session, { kind: "slot", label: news.label }, { costs, most }, tell);
}

/** The state of a machine that exists. If it does not run as it should, the error keeps it in the state. */
async function settled(
  env: Environment,
  session: Session,
  row: DeploymentRow,
  given: Properties,
  inputs: MachineInputs,
  tell: Progress,
  wait: WaitLimit,
): Promise<Properties> {
  const outs = async (now: DeploymentRow): Promise<Properties> => {
    const shown = machineOuts(session, given, now, await readDraft(session.keeper));
    return withSecrets(session, shown, now, tell, wait.signal);
  };
  const newest = async (): Promise<Properties> => outs((await rowOf(session, row.id)) ?? row);
  try {
    const deadline = deadlineOf(inputs);
    if (deadline !== null && session.keeper.clock.now().wall >= deadline)
      return await outs(await awaitEnd(session, inputs.slot, row.id, tell, wait));
    if (inputs.awaitRunning === false && row.end === null) return await outs(row);
    if (row.status !== "running" && row.end === null)
      tell(`waiting until ${row.id} runs: ${env.cutAtOnce ? CUT : NOT_CUT}`);
    const waited = await awaitRunning(session, row.id, tell, wait);
    if (waited.running) tell(`${row.id} is running`);
    const { ready } = inputs;
    const settling =
      waited.running && ready ? await awaitReady(env, session, waited.row, ready, tell, wait) : waited;
    if (!settling.running) throw new NotAsItShouldBe(settling.why, row.id, await outs(settling.row));
    return await outs(settling.row);
  } catch (error) {
    if (error instanceof NotAsItShouldBe) throw error;
    // If the ledger itself fails, the row from the start of the wait is used.
    const shown = await newest().catch(() => machineOuts(session, given, row, undefined));
    const now = (await rowOf(session, row.id).catch(() => undefined)) ?? row;
    const { message } = wait.signal.aborted ? leftAs(now) : (error as Error);
    throw new NotAsItShouldBe(message, row.id, shown, { cause: error });
  }
}

/** What one Ctrl-C does to the wait: the engine tells a plugin of it, and a dynamic provider nothing. */
const CUT = "one Ctrl-C ends this wait, the state keeps the machine, and the next up or destroy goes on";
const NOT_CUT = "so does one Ctrl-C; after two, the next up or destroy goes on";

function leftAs({ id, end, stop }: DeploymentRow): Error {
  if (end !== null) return interrupted(`${id} has ended`);
  return interrupted(stop ? `${id} is being stopped, and bills until then` : `${id} is launched and bills`);
}

/** A launch that was answered while its wait was cut: its id still belongs in the state. */
async function cutShort(
  error: unknown,
  session: Session,
  given: Properties,
  inputs: MachineInputs,
  wait: WaitLimit,
): Promise<unknown> {
  if (!wait.signal.aborted) return error;
  const { machine: row, open, draft } = await readSlot(session.keeper, inputs.slot);
  if (row === undefined)
    return interrupted(
      open.length > 0 ? "a launch is not answered yet, and may bill" : "nothing was launched",
    );
  const outs = machineOuts(session, given, row, draft);
  return new NotAsItShouldBe(leftAs(row).message, row.id, outs, { cause: error });
}

/** Enters the slot in the ledger. Throws if another ledger made it and may know more of it. */
async function enter(env: Environment, { keeper }: Session, inputs: MachineInputs): Promise<void> {
  const { slot, label, ledger: madeWith } = inputs;
  const { ledger, account } = keeper;
  const owner = await ledger.accountOfSlot(slot);
  sameAccount(keeper, owner, `slot ${slot}`);
  if (owner === undefined && !isOriginOf(madeWith, ledger)) throw await lostSlot(env, slot, { ...inputs });
  await ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    const row = enterSlot(draft, slot, label, context);
    const { resource } = inputs;
    if (resource !== undefined && row.resource !== resource) draft.putSlot({ ...row, resource });
    setDeadline(draft, slot, deadlineOf(inputs), context);
    setLabels(draft, slot, inputs.labels ?? {});
  });
}

function waitFor(
  method: "create" | "update" | "delete",
  { keeper }: Session,
  props: Properties,
  { signal }: Environment,
): WaitLimit {
  return startWaitLimit(keeper.clock, timeoutOf(props, method), signal);
}

/** True for a machine of a slot that this ledger never knew. One that is only looked up has no slot. */
async function isOfAnotherLedger({ keeper }: Session, { slot }: Properties): Promise<boolean> {
  return slot !== undefined && (await keeper.ledger.accountOfSlot(String(slot))) === undefined;
}

/**
 * True if the ledger is older than the state, as after a restore from a backup: the state has a certain
 * claim, and none is ever deleted. Not if the ledger saw its id reused: then our machine has ended.
 */
function isForgotten(row: DeploymentRow | undefined, { claim }: Properties): boolean {
  return claim === "certain" && (row?.claim ?? null) === null && !row?.reused;
}

/**
 * Claims the machine that the state names, in a ledger that never knew it or its slot. The state says how
 * certain the claim is; that is written here before it is used for a stop. Look for the machine first: in an
 * entered slot without its row, a delete would find nothing while it bills.
 */
async function takeOver({ keeper }: Session, id: string, props: Properties): Promise<void> {
  const slot = String(props.slot);
  await keeper.ledger.decide(keeper.account, (draft) => {
    const context = contextOf(keeper);
    enterSlot(draft, slot, String(props.label), context);
    const row = draft.deployments.ever(id);
    const isFilled = claimedBy(draft, slotOwner(slot)).length > 0 || draft.archive.hadBy(slotOwner(slot)) > 0;
    if (row === undefined || row.claim !== null || row.reused || (isFilled && props.claim !== "certain"))
      return;
    const claim = props.claim === "certain" ? "certain" : "inferred";
    const owner = slotOwner(slot);
    const labels = labelsOfOwner(draft, owner);
    draft.moveDeployment("take", { ...row, claim, owner, claimed: context.now, labels });
  });
}

async function refuseOthers(session: Session, id: string, slot: string): Promise<DeploymentRow | undefined> {
  const row = await rowOf(session, id);
  const theirs = await otherOwner(session, row, slot);
  if (theirs) throw notOurs(id, theirs, slot);
  return row;
}

/**
 * Refuses an update to candidates that the machine is none of. They belong to a new slot, and `--target` left
 * the slot out: the state would name what is not rented. An adopted machine that was never among them stays.
 */
async function refuseOtherChoice(
  session: Session,
  row: DeploymentRow,
  olds: Properties,
  inputs: MachineInputs,
): Promise<void> {
  const draft = await readDraft(session.keeper);
  const why = whyNotAmong(draft, row, candidatesOf(inputs));
  if (why === undefined || whyNotAmong(draft, row, knownCandidatesOf(olds) ?? []) !== undefined) return;
  throw new FleetkeeperError(
    "REFUSED",
    `${why}: that is another machine, and its slot was not part of this run (--target). Run pulumi up without --target; where that ` +
      "says the same, with --replace of the slot (...:Slot).",
  );
}

function isGone(id: string): FleetkeeperError {
  return new FleetkeeperError(
    "REFUSED",
    `${id} is gone: the service does not show it any more. Run pulumi refresh, which takes it out of the state, and pulumi up.`,
  );
}

async function rowOf(session: Session, id: string): Promise<DeploymentRow | undefined> {
  return (await readDraft(session.keeper)).deployments.ever(id);
}
