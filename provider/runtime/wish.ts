import { fleetReport, type Wish, wishSchema } from "../../agent/index.ts";
import { contextOf } from "../../launch/index.ts";
import { readDraft } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { priced } from "../stack/pair.ts";
import { declarable } from "./create/declarable.ts";
import { declareParts, foreseeParts } from "./create/declare-parts.ts";
import { foresee, foretell, foretold, priceParts, refusedFor, tellDoubts } from "./create/foresee.ts";
import { tellTakes } from "./create/foreseen-takes.ts";
import { unpriced } from "./create/prices.ts";
import { knownCandidatesOf } from "./inputs/candidates.ts";
import { checked, nameOf, parsedAs, timeoutOf, wishInputs, wishOf } from "./inputs/inputs.ts";
import {
  type CheckFailure,
  NotAsItShouldBe,
  type Properties,
  type ResourceKind,
  same,
} from "./inputs/resource-kind.ts";
import { hasUnknown, isUnknown, UNKNOWN } from "./inputs/unknown.ts";
import { seenOf } from "./ownership/fleet-source.ts";
import { wantedParts } from "./ownership/parts.ts";
import { type Stands, wholeStands } from "./ownership/stands.ts";
import type { Environment, Session } from "./session/environment.ts";
import { type Progress, progressOf } from "./session/progress.ts";
import { interrupted, outlive, startWaitLimit } from "./session/wait-limit.ts";
import { isAgentFound, isAnyAgentAlive, noAgent, reconcileOnce, tellUnkept } from "./wait/fleet-progress.ts";

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
      return foretellKnown(env, session, { ...news, source: `stack:${news.label}#`, ledger: UNKNOWN }, tell);
    });
    return { ...result, failures };
  },

  async diff(env, _id, olds, news) {
    if (news.source !== olds.source) return { changes: true, replaces: ["source"] };
    const tell = progressOf(env, nameOf(news));
    if (!same(olds.triggers, news.triggers)) tell(RENEWS);
    if (Object.keys(wishInputs.shape).some((key) => !same(olds[key], news[key]))) {
      const [failure] = await foretold(env, news, (session) => foretellKnown(env, session, news, tell));
      if (failure) throw new FleetkeeperError("CONFIG", failure.reason);
      return { changes: true, replaces: [] };
    }
    const session = await env.glimpse();
    if (news.reconcile === "inline" && !(await isAnyAgentAlive(session))) await session.lists.glance();
    const report = await reportOf(session, news);
    const undone = !(await isDeclared(session, news));
    const unmet = news.awaitReady !== false && isAwaited(report);
    const { reasons, ...outs } = outsOf(report);
    // Those of a fleet that has all may be of the tick before: an up that found it so would say that something changes.
    const told = isAwaited(report) ? { ...outs, reasons } : outs;
    const moved = Object.entries(told).some(([key, value]) => !same(olds[key], value));
    return { changes: undone || unmet || moved, replaces: [] };
  },

  create: async (env, given) => ({ id: String(given.name), outs: await declared(env, given, "create") }),

  async read(env, _id, props) {
    const session = await env.glimpse();
    const seen = await seenOf(session.keeper.ledger, String(props.source));
    if (!seen.some(({ fleet }) => fleet.name === props.name && !fleet.removed)) return undefined;
    return { ...props, ...outsOf(await reportOf(session, props)) };
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
  const { name, source, services, reconcile = "agent", awaitReady = true, triggers } = inputs;
  const session = await env.session();
  const { clock } = session.keeper;
  const asked = wishOf(inputs);
  const { seen, wanted, accounts } = await declarable(session, inputs, asked);
  if (awaitReady && reconcile === "agent" && !(await isAgentFound(session, env.signal, accounts)))
    throw noAgent(session, services && accounts);
  const tell = progressOf(env, nameOf(given));
  const of = { source, triggers };
  tellDoubts(session, asked, tell);
  const foreseen = await (services === undefined
    ? foresee(session, { ...of, name, wish: asked }, tell)
    : foreseeParts(session, of, wanted, seen));
  const { stored, life, never } = foreseen;
  const refused = refusedFor(foreseen, inputs);
  if (refused !== undefined)
    throw refusal(name, `${refused}. Nothing was ${stored === undefined ? "rented" : "changed"}.`);
  const why = awaitReady ? never : undefined;
  if (life !== undefined) tell(life);
  if (never !== undefined && !awaitReady) tell(never);
  await tellUnkept(session, given, tell, services && accounts);
  const { takes } = "takes" in foreseen ? foreseen : await priceParts(session, name, foreseen, tell);
  tellTakes(env, session, name, takes, tell);
  await declareParts(session, of, wanted, seen);
  let report = await reportOf(session, inputs);
  if (!awaitReady) return { ...given, ...outsOf(report) };
  const wait = startWaitLimit(clock, timeoutOf(given, method), env.signal);
  try {
    // A machine may be lost that the newest list still had: then its place would be filled with what can be had.
    if (why !== undefined) await outlive(() => session.lists.glance(), tell);
    report = await reportOf(session, inputs);
    // The first report may be older than the wish, so at least one round is waited for.
    do {
      if (why !== undefined && report.runningGpus + report.startingGpus < report.desiredGpus)
        throw refusal(name, `${why}. What runs is kept.`);
      tell(summary(report, asked));
      wait.check(summary(report, asked));
      await reconcileOnce(session, name, reconcile, tell, wait, services && accounts);
      report = await reportOf(session, inputs);
    } while (isAwaited(report));
  } catch (error) {
    report = await reportOf(session, inputs);
    const { message } = wait.signal.aborted ? interrupted(summary(report, asked)) : (error as Error);
    throw new NotAsItShouldBe(message, name, { ...given, ...outsOf(report) });
  }
  tell(summary(report, asked));
  return { ...given, ...outsOf(report) };
}

/** Foretells it, unless something of it is not known yet. */
async function foretellKnown(
  env: Environment,
  session: Session,
  news: Properties,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const known = Object.fromEntries(Object.entries(news).filter(([, value]) => !hasUnknown(value)));
  const asked = ["name", "services", "spread", ...Object.keys(wishSchema.shape)];
  if (asked.some((key) => news[key] !== undefined && !(key in known))) return [];
  return foretell(env, session, parsedAs(wishInputs, { ledger: UNKNOWN, ...known }), tell);
}

/** A paused fleet is not waited for: nothing would change. */
function isAwaited({ met, standing }: Stands): boolean {
  return !met && standing.kind !== "paused";
}

function refusal(name: string, text: string): FleetkeeperError {
  return new FleetkeeperError("REFUSED", `fleet ${name}: ${text}`);
}

interface Declared {
  readonly name?: unknown;
  readonly source?: unknown;
  readonly services?: unknown;
}

async function reportOf({ keeper }: Session, { name, source, services }: Declared): Promise<Stands> {
  const context = contextOf(keeper);
  const whole =
    services === undefined ? undefined : wholeStands(await seenOf(keeper.ledger, String(source)), context);
  return whole ?? fleetReport(await readDraft(keeper), String(name), context);
}

/** True if each of its parts has its row. */
async function isDeclared({ keeper }: Session, news: Properties): Promise<boolean> {
  const seen = await seenOf(keeper.ledger, String(news.source));
  const inputs = parsedAs(wishInputs, news);
  const wanted = await wantedParts(keeper, { ...inputs, wish: wishOf(inputs) }, seen);
  const kept = seen.filter(({ fleet }) => !fleet.removed);
  return wanted.every(({ account, name }) =>
    kept.some((each) => each.account === account && each.fleet.name === name),
  );
}

function outsOf(report: Stands): Properties {
  const deployments = report.deployments.map((each): Properties => {
    const known = Object.entries(each).filter(([, value]) => value !== null);
    return priced(Object.fromEntries(known));
  });
  const { runningGpus, reasons, pricePerHour } = report;
  return { runningGpus, deployments, reasons, ...(pricePerHour === null ? {} : { pricePerHour }) };
}

function summary(report: Stands, { gpus }: Wish): string {
  const { runningGpus, desiredGpus, startingGpus, reasons, standing } = report;
  if (standing.kind === "drained") {
    const left = runningGpus > 0 ? `; ${runningGpus} still run` : "";
    return `0 of ${gpus} GPUs wanted: ${standing.why}${left}`;
  }
  const starting = startingGpus > 0 ? `, ${startingGpus} starting` : "";
  return `${runningGpus} of ${desiredGpus} GPUs run${starting}${reasons.length > 0 ? `: ${reasons.join("; ")}` : ""}`;
}
