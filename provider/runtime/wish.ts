import { sameAccount } from "../../account/index.ts";
import type { FleetReport, Wish } from "../../agent/index.ts";
import { declareFleet, fleetReport, parseWish, renameFleet, wishSchema } from "../../agent/index.ts";
import { contextOf, waking } from "../../launch/index.ts";
import { readDraft } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { priced } from "../pair.ts";
import { foresee, foretell, foretold } from "./create/foresee.ts";
import { unpriced } from "./create/prices.ts";
import { knownCandidatesOf } from "./inputs/candidates.ts";
import type { WishInputs } from "./inputs/inputs.ts";
import { checked, nameOf, parsedAs, timeoutOf, wishInputs } from "./inputs/inputs.ts";
import type { Properties, ResourceKind } from "./inputs/resource-kind.ts";
import { NotAsItShouldBe, same } from "./inputs/resource-kind.ts";
import { hasUnknown, isUnknown } from "./inputs/unknown.ts";
import { accountOfSource } from "./ownership/fleet-source.ts";
import { isOriginOf, otherLedgerOfFleet } from "./ownership/ledger-of-origin.ts";
import type { Environment, Session } from "./session/environment.ts";
import { progressOf } from "./session/progress.ts";
import { interrupted, outlive, startWaitLimit } from "./session/wait-limit.ts";
import { isAgentAlive, isAgentFound, noAgent, reconcileOnce, tellUnkept } from "./wait/fleet-progress.ts";

/**
 * A fleet's wish in the ledger, where the agent finds it. Its delete does nothing, so that replacing this
 * half is harmless: the fleet's own delete removes the wish.
 */
export const wish: ResourceKind = {
  async check(env, news, olds = {}) {
    const result = checked(wishInputs, news);
    const candidates = knownCandidatesOf(news);
    const isNew = Object.keys(olds).length === 0;
    if (!isNew || result.failures.length > 0 || env.problem() !== undefined) return result;
    const failures = await foretold(env, news, async (session, tell) => {
      const missing = candidates && news.budget ? unpriced(await session.offers(), candidates, news) : [];
      // Its other half is made by then, in an up, which says the rest itself.
      if (missing.length > 0 || !isUnknown(news.source)) return missing;
      const { label, name, triggers, awaitReady, reconcile, ...of } = news;
      const asked = Object.fromEntries(Object.entries(of).filter(([key]) => key in wishSchema.shape));
      if (hasUnknown([name, asked])) return [];
      const declared = { name: String(name), source: `stack:${label}#`, wish: wishSchema.parse(asked) };
      return foretell(session, declared, news, tell);
    });
    return { ...result, failures };
  },

  async diff(env, _id, olds, news) {
    if (news.source !== olds.source) return { changes: true, replaces: ["source"] };
    const tell = progressOf(env, nameOf(news));
    if (!same(olds.triggers, news.triggers)) tell(RENEWS);
    const limits = [news.until, news.budget];
    if (!same([olds.until, olds.budget], limits) && !hasUnknown(limits))
      await tellUnkept(await env.glimpse(), news, tell);
    if (Object.keys(wishInputs.shape).some((key) => !same(olds[key], news[key])))
      return { changes: true, replaces: [] };
    const session = await env.glimpse();
    if (news.reconcile === "inline" && !(await isAgentAlive(session))) await session.lists.glance();
    const row = await rowOf(session, String(news.name));
    const report = await reportOf(session, String(news.name));
    const undone = row === undefined || row.removed || row.source !== news.source;
    const unmet = news.awaitReady !== false && isAwaited(report);
    const moved = Object.entries(outsOf(report)).some(([key, value]) => !same(olds[key], value));
    return { changes: undone || unmet || moved, replaces: [] };
  },

  create: async (env, given) => ({ id: String(given.name), outs: await declared(env, given, "create") }),

  async read(env, _id, props) {
    const session = await env.glimpse();
    const row = await rowOf(session, String(props.name));
    if (row === undefined || row.removed || row.source !== props.source) return undefined;
    return { ...props, ...outsOf(await reportOf(session, row.name)) };
  },

  update: async (env, _id, _olds, given) => declared(env, given, "update"),

  delete: async () => undefined,
};

const RENEWS =
  "its triggers change: all machines that it has are replaced, one after the other. Each is stopped first, and each that takes its " +
  "place reserves its first hour";

/** Writes the wish and waits until it is met. After that write, errors keep the resource in the state. */
async function declared(
  env: Environment,
  given: Properties,
  method: "create" | "update",
): Promise<Properties> {
  const inputs = parsedAs(wishInputs, given);
  const { name, source, reconcile = "agent", awaitReady = true, ledger: made } = inputs;
  const session = await env.session();
  const { keeper } = session;
  const { ledger, account, clock } = keeper;
  const owners = [await ledger.accountOfFleet(name), await accountOfSource(ledger, source)];
  for (const owner of owners) sameAccount(keeper, owner, `fleet ${name}`);
  if (owners.every((owner) => owner === undefined) && !isOriginOf(made, ledger))
    throw otherLedgerOfFleet(name, made, ledger);
  if (awaitReady && reconcile === "agent" && !(await isAgentFound(session, env.signal)))
    throw noAgent(session);
  const asked = wishOf(inputs);
  const tell = progressOf(env, nameOf(given));
  const declaration = { name, source, wish: asked, triggers: inputs.triggers };
  const { stored, life, never } = await foresee(session, declaration, tell);
  const why = awaitReady ? never : undefined;
  // Lower limits are stored, whatever can be had within them: what runs goes by them.
  if (why !== undefined && (stored === undefined || asked.gpus > parseWish(stored.wish).gpus))
    throw refusal(name, `${why}. Nothing was ${stored === undefined ? "rented" : "changed"}.`);
  if (life !== undefined) tell(life);
  if (never !== undefined && !awaitReady) tell(never);
  await tellUnkept(session, given, tell);
  await ledger.decide(
    account,
    waking((draft) => {
      // The source's fleet under its name before the rename. Declared beside it, all would be rented twice.
      const before = [...draft.fleets.values()].find((row) => row.source === source && !row.removed);
      renameFleet(draft, { name, previousName: before?.name, source }, contextOf(keeper));
      declareFleet(draft, declaration, contextOf(keeper));
    }),
  );
  let report = await reportOf(session, name);
  if (!awaitReady) return { ...given, ...outsOf(report) };
  const wait = startWaitLimit(clock, timeoutOf(given, method), env.signal);
  try {
    // A machine may be lost that the newest list still had: then its place would be filled with what can be had.
    if (why !== undefined) await outlive(() => session.lists.glance(), tell);
    report = await reportOf(session, name);
    // The first report may be older than the wish, so at least one round is waited for.
    do {
      if (why !== undefined && report.runningGpus + report.startingGpus < report.desiredGpus)
        throw refusal(name, `${why}. What runs is kept.`);
      tell(summary(report, asked));
      wait.check(summary(report, asked));
      await reconcileOnce(session, name, reconcile, tell, wait);
      report = await reportOf(session, name);
    } while (isAwaited(report));
  } catch (error) {
    report = await reportOf(session, name);
    const { message } = wait.signal.aborted ? interrupted(summary(report, asked)) : (error as Error);
    throw new NotAsItShouldBe(message, name, { ...given, ...outsOf(report) });
  }
  tell(summary(report, asked));
  return { ...given, ...outsOf(report) };
}

/** A paused fleet is not waited for: nothing would change. */
function isAwaited({ met, standing }: FleetReport): boolean {
  return !met && standing.kind !== "paused";
}

function refusal(name: string, text: string): FleetkeeperError {
  return new FleetkeeperError("REFUSED", `fleet ${name}: ${text}`);
}

function wishOf(inputs: WishInputs): Wish {
  const asked = Object.entries(inputs).filter(([key]) => key in wishSchema.shape);
  return wishSchema.parse(Object.fromEntries(asked));
}

async function reportOf({ keeper }: Session, name: string): Promise<FleetReport> {
  const draft = await readDraft(keeper);
  return fleetReport(draft, name, contextOf(keeper));
}

async function rowOf({ keeper }: Session, name: string) {
  return (await keeper.ledger.read(keeper.account)).fleets.find((row) => row.name === name);
}

function outsOf(report: FleetReport): Properties {
  const deployments = report.deployments.map((each): Properties => {
    const known = Object.entries(each).filter(([, value]) => value !== null);
    return priced(Object.fromEntries(known));
  });
  const { runningGpus, reasons, pricePerHour } = report;
  return { runningGpus, deployments, reasons, ...(pricePerHour === null ? {} : { pricePerHour }) };
}

function summary(report: FleetReport, { gpus }: Wish): string {
  const { runningGpus, desiredGpus, startingGpus, reasons, standing } = report;
  if (standing.kind === "drained") {
    const left = runningGpus > 0 ? `; ${runningGpus} still run` : "";
    return `0 of ${gpus} GPUs wanted: ${standing.why}${left}`;
  }
  const starting = startingGpus > 0 ? `, ${startingGpus} starting` : "";
  return `${runningGpus} of ${desiredGpus} GPUs run${starting}${reasons.length > 0 ? `: ${reasons.join("; ")}` : ""}`;
}
