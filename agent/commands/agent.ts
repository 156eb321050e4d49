import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { Agent } from "undici";
import type { Configuration } from "../../launch/configuration.ts";
import { fromEnvironment } from "../../launch/configuration.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { OpenKeeper } from "../../launch/open.ts";
import { Draft } from "../../ledger/draft.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { Bell } from "../bell.ts";
import { isOver } from "../count.ts";
import type { FleetFile } from "../fleet-file.ts";
import { parseFleetFile } from "../fleet-file.ts";
import { fleetReport } from "../fleets.ts";
import type { HttpAddress } from "../http/address.ts";
import { checkToken, DEFAULT_HTTP_ADDRESS, parseAddress } from "../http/address.ts";
import type { Watch } from "../http/index.ts";
import { watch } from "../http/index.ts";
import type { Level, Log } from "../log/entry.ts";
import { jsonLog } from "../log/json-log.ts";
import { eventTeller, troubleTeller, waitTeller } from "../log/news.ts";
import { learningSecrets, Secrets } from "../log/secrets.ts";
import { textLog } from "../log/text-log.ts";
import { runLoop } from "../loop.ts";
import { delivering, ping } from "../notify/deliver.ts";
import { shortText } from "../notify/message.ts";
import { Notifier } from "../notify/notifier.ts";
import { resolveTargets, secretsOf } from "../notify/settings.ts";
import { checking } from "../readiness/check.ts";
import { ReadinessWatch } from "../readiness/readiness-watch.ts";
import { Reloader } from "../reload.ts";
import { clean, gpus } from "../text.ts";
import { tick } from "../tick.ts";
import { dryRun } from "./dry-run.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import {
  configurationOf,
  fleetFileContent,
  fleetFilePath,
  isGone,
  readFleetFile,
  withKeeper,
} from "./edge.ts";
import { NO_FLEETS } from "./plan.ts";

export interface AgentFlags extends CommonFlags {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  /** An address; false: `--no-http`; true or undefined: the default one. */
  readonly http?: string | boolean;
  readonly logFormat?: string;
}

/** A round is as many ticks as follow each other at once: a birth takes two lists, a lost answer one list more. */
const MOST_TICKS_A_ROUND = 20;

/** One agent at work: what its parts share. */
interface Work {
  readonly keeper: OpenKeeper;
  readonly log: Log;
  /** Says something of the agent itself. */
  readonly say: (text: string, level?: Level) => void;
  readonly reloader: Reloader;
  readonly notifier: Notifier;
  readonly readiness: ReadinessWatch;
  /** What is wrong with the settings, once there is a page to show it. */
  readonly shown: { problem: (problem: string | undefined) => void };
}

/** `fleetkeeper agent`: keeps what the fleet file and the stacks on this ledger ask for, until it is stopped. */
export async function agentCommand(flags: AgentFlags, edge: Edge): Promise<number> {
  if (flags.dryRun) return dryRun(flags, edge);
  const file = readFleetFile(flags);
  const configuration = configurationOf(flags, file, edge);
  const http = flags.once ? undefined : httpOptions(flags.http, edge);
  const asJson = logFormat(flags, edge) === "json";
  const begin = async (opened: OpenKeeper): Promise<number> => {
    const secrets = new Secrets([configuration.apiKey, http?.token]);
    const keeper = { ...opened, service: learningSecrets(opened.service, secrets) };
    const log = asJson ? jsonLog(edge.print, keeper.account, secrets) : textLog(edge, secrets);
    const say: Work["say"] = (text, level = "info") =>
      log({ level, kind: "agent", text, at: keeper.clock.now().wall });
    const shown: Work["shown"] = { problem: () => undefined };
    const outside = new Agent({ allowH2: false, connect: { timeout: 5_000 } });
    const notifier = new Notifier({
      keeper,
      deliver: delivering({
        agent: outside,
        folder: dirname(resolve(fleetFilePath(flags))),
        environment: edge.environment,
        now: () => new Date(keeper.clock.now().wall),
      }),
      ping: (url, signal) => ping(outside, url, signal),
      show: (text) => shortText(secrets.hide(text)),
      say: (text, level) => log({ level, kind: "notify", text, at: keeper.clock.now().wall }),
    });
    const check = checking({ agent: outside, environment: edge.environment });
    const readiness = new ReadinessWatch(keeper, check, (text) => shortText(secrets.hide(text)));
    const targetsOf = (found: FleetFile): ReturnType<typeof resolveTargets> => {
      const targets = resolveTargets(found.notify, edge.environment);
      for (const target of targets) secrets.addAll(secretsOf(target));
      return targets;
    };
    const reloader = new Reloader({
      keeper,
      content: () => fleetFileContent(flags),
      parse: (content) => {
        const found = parseFleetFile(content, fleetFilePath(flags));
        targetsOf(found);
        return found;
      },
      isGone,
      onFile: (found) => {
        notifier.targets = targetsOf(found);
      },
      needsRestart: restartNeeded(configuration, (now) => configurationOf(flags, now, edge)),
      onProblem: (problem) => shown.problem(problem),
    });
    await reloader.begin();
    const { accountInfo, service, ledger } = keeper;
    log({
      level: "info",
      kind: "agent",
      text: `fleetkeeper agent: account ${accountInfo.email} at ${service.baseUrl}, ledger ${ledger.location}`,
      at: keeper.clock.now().wall,
      facts: { configuration, version: edge.version },
    });
    const work = { keeper, log, say, reloader, notifier, readiness, shown };
    try {
      return await (flags.once ? round(work, edge) : keep(work, http, edge));
    } finally {
      await Promise.all([notifier.close(), readiness.close()]);
      await outside.destroy();
    }
  };
  return withKeeper(configuration, edge, begin, flags.once ? "none" : "patient");
}

/** Flag before environment; else lines for whoever sits in front of it, and JSON for whatever else reads it. */
function logFormat({ logFormat: flag, once }: AgentFlags, edge: Edge): "text" | "json" {
  const asked = flag ?? fromEnvironment("FLEETKEEPER_LOG_FORMAT", edge.environment);
  if (asked === undefined) return edge.terminal === false && !once ? "json" : "text";
  if (asked === "text" || asked === "json") return asked;
  throw new FleetkeeperError(
    "CONFIG",
    `FLEETKEEPER_LOG_FORMAT: expected text or json, got ${JSON.stringify(asked)}.`,
  );
}

const SETTINGS = ["baseUrl", "apiKey", "ledger", "account", "profile"] as const;

/** What a running agent is bound to: another service, key or profile is another agent. */
function restartNeeded(
  begun: Configuration,
  now: (file: FleetFile | undefined) => Configuration,
): (file: FleetFile | undefined) => string | undefined {
  const profile = textOf(begun.profile);
  return (file) => {
    const current = now(file);
    const changed: string[] = SETTINGS.filter((key) => current[key] !== begun[key]);
    // One that cannot be read just now is being swapped, and matters at the next start.
    const text = textOf(begun.profile);
    if (text !== undefined && text !== profile) changed.push("the wire profile");
    if (changed.length === 0) return undefined;
    return `changed since this agent began, and used only after a restart: ${[...new Set(changed)].join(", ")}`;
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

async function round({ keeper, log, notifier }: Work, edge: Edge): Promise<number> {
  await notifier.prepare();
  const tellEvents = await eventTeller(keeper, log);
  let report = await tick(keeper, edge.signal);
  await tellEvents();
  for (let ticks = 1; report.wake === 0 && ticks < MOST_TICKS_A_ROUND && !edge.signal.aborted; ticks++) {
    report = await tick(keeper, edge.signal);
    await tellEvents();
  }
  await printFleets(keeper, edge);
  await notifier.prepare();
  notifier.pump();
  if (report.believed) notifier.alive();
  await notifier.settled();
  return report.believed ? 0 : 1;
}

/** Where the round has left each fleet. */
async function printFleets(keeper: OpenKeeper, edge: Edge): Promise<void> {
  const draft = new Draft(await keeper.ledger.read(keeper.account));
  const fleets = [...draft.fleets.values()].filter((fleet) => !isOver(draft, fleet));
  if (fleets.length === 0) edge.print(NO_FLEETS);
  for (const { name } of fleets) {
    const report = fleetReport(draft, name, contextOf(keeper));
    const { desiredGpus, runningGpus, startingGpus, reasons } = report;
    edge.print(
      `${clean(name, 80)}: ${gpus(desiredGpus)} asked for, ${runningGpus} running, ${startingGpus} starting`,
    );
    for (const reason of reasons) edge.print(`  wait    ${clean(reason, 500)}`);
  }
}

interface HttpChoice {
  readonly address: HttpAddress;
  readonly token: string | undefined;
  /** Nobody asked for it: an agent that keeps machines does not end because a port is taken. */
  readonly isDefault: boolean;
}

/** Flag before environment before default; undefined: nothing is served. */
function httpOptions(flag: string | boolean | undefined, { environment }: Edge): HttpChoice | undefined {
  if (flag === false) return undefined;
  const asked = typeof flag === "string" ? flag : environment.FLEETKEEPER_HTTP;
  if (asked === "off") return undefined;
  const address = parseAddress(asked || DEFAULT_HTTP_ADDRESS);
  const token = checkToken(fromEnvironment("FLEETKEEPER_HTTP_TOKEN", environment), address);
  return { address, token, isDefault: !asked };
}

async function serve(
  watched: Watch<OpenKeeper>,
  http: HttpChoice | undefined,
  say: Work["say"],
): Promise<void> {
  if (!http) return;
  const { address, token, isDefault } = http;
  try {
    const { url } = await watched.serve(address, token);
    say(`status page: ${url}${token === undefined ? "" : " (with the token as the password)"}`);
  } catch (error) {
    if (!isDefault || !(error instanceof FleetkeeperError)) throw error;
    say(`There is no status page: ${error.message}`, "error");
  }
}

async function keep(work: Work, http: HttpChoice | undefined, edge: Edge): Promise<number> {
  const { keeper } = work;
  const watched = watch({ keeper, history: keeper.ledger, version: edge.version ?? "unknown" });
  try {
    await serve(watched, http, work.say);
    return await keepWatched(work, watched, edge);
  } finally {
    await watched.close();
  }
}

async function keepWatched(
  { log, say, reloader, notifier, readiness, shown }: Work,
  watched: Watch<OpenKeeper>,
  edge: Edge,
): Promise<number> {
  const { keeper } = watched;
  const now = (): number => keeper.clock.now().wall;
  const tellEvents = await eventTeller(keeper, log);
  const tellWaits = waitTeller(log, now);
  const trouble = troubleTeller(log, now);
  // One after the other, and each failure is the loop's: it would meet the same ledger.
  let telling = Promise.resolve();
  const news = (andThen: () => void): void => {
    telling = telling
      .then(() => notifier.prepare())
      .then(tellEvents)
      .then(() => notifier.pump())
      .catch(() => undefined)
      .then(andThen);
  };
  await notifier.prepare();
  shown.problem = watched.onProblem;
  const bell = new Bell();
  edge.onHangup?.(() => {
    say("SIGHUP: the fleet file is read again");
    reloader.again();
    bell.ring();
  });
  await runLoop(
    {
      keeper,
      host: hostname(),
      bell,
      beforeTick: () => reloader.look(edge.signal),
      onTick: (report) => {
        watched.onTick(report);
        if (report.believed) notifier.alive();
        readiness.pump();
        news(() => {
          trouble.answered();
          tellWaits(report.plans);
        });
      },
      onError: (error, retryMs) => {
        watched.onError(error, retryMs);
        news(() => trouble.failed(error.message, retryMs));
      },
    },
    edge.signal,
  );
  await telling;
  await tellEvents();
  say("fleetkeeper agent: stopped. What runs goes on running, and is kept again when an agent starts.");
  return 0;
}
