import { hostname } from "node:os";
import { fromEnvironment, heldSecrets } from "../../../launch/configuration.ts";
import { keyFileWarning } from "../../../launch/key-file.ts";
import type { OpenKeeper } from "../../../launch/open.ts";
import { newId } from "../../../launch/open-ledger.ts";
import { tellingSlowLists } from "../../../launch/slow-watch.ts";
import { systemClock } from "../../../ledger/system-clock.ts";
import type { FleetkeeperError } from "../../../service/errors.ts";
import { loadProfile } from "../../../service/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../service/requirement.ts";
import { parseFleetFile } from "../../fleet/fleet-file.ts";
import { resolveTargets } from "../../fleet/notify-settings.ts";
import type { Watch } from "../../observe/http/index.ts";
import { watch } from "../../observe/http/index.ts";
import type { Level, Log } from "../../observe/log/entry.ts";
import { jsonLog } from "../../observe/log/json-log.ts";
import { eventTeller, troubleTeller, waitTeller } from "../../observe/log/news.ts";
import { learningSecrets, Secrets } from "../../observe/log/secrets.ts";
import { textLog } from "../../observe/log/text-log.ts";
import { shortText } from "../../observe/notify/message.ts";
import type { Notifier } from "../../observe/notify/notifier.ts";
import { checking } from "../../observe/readiness/check.ts";
import { ReadinessWatch } from "../../observe/readiness/readiness-watch.ts";
import { Holder, heldKeeper } from "../../reconcile/holder.ts";
import type { LoopOptions } from "../../reconcile/loop.ts";
import { runLoop } from "../../reconcile/loop.ts";
import { Reloader } from "../../reconcile/reload.ts";
import { WakeSignal } from "../../reconcile/wake-signal.ts";
import { failureOf, isOutage } from "../../status/outage.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { closing } from "./closing.ts";
import { dryRun } from "./dry-run.ts";
import type { CommonFlags } from "./flags.ts";
import { configurationOf, fleetFileContent, fleetFilePath, isGone, readFleetFile } from "./flags.ts";
import { notifierOf, outsideAgent, targetsOf, tellFailure } from "./notifying.ts";
import { keepOpen, withKeeper } from "./opening.ts";
import { restartNeeded } from "./restart-needed.ts";
import { round } from "./round.ts";
import { standingBy } from "./standby.ts";
import type { HttpChoice } from "./status-page.ts";
import { httpOptions, serve, serveWaiting } from "./status-page.ts";

export interface AgentFlags extends CommonFlags {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  /** An address. False: `--no-http`. True or undefined: the default address. */
  readonly http?: string | boolean;
  readonly logFormat?: string;
}

/** What the parts of one agent share. */
interface Work {
  readonly keeper: OpenKeeper;
  /** Undefined: the ledger is of one host, and its account's row names the agent. */
  readonly holder: Holder<OpenKeeper["ledger"]> | undefined;
  readonly log: Log;
  /** Logs something about the agent itself. */
  readonly say: (text: string, level?: Level) => void;
  readonly reloader: Reloader;
  readonly notifier: Notifier;
  readonly readiness: ReadinessWatch;
  /** Shows on the page what is wrong with the settings, once there is a page. */
  readonly shown: { problem: (problem: string | undefined) => void };
}

/** `fleetkeeper agent`: keeps what the fleet file and this ledger's stacks ask for, until it is stopped. */
export async function agentCommand(flags: AgentFlags, cli: CliContext): Promise<number> {
  if (flags.dryRun) return dryRun(flags, cli);
  const file = await readFleetFile(flags);
  const configuration = configurationOf(flags, file, cli);
  const readable = keyFileWarning(cli.environment);
  // A mistake in the configuration is reported before anything is asked or changed.
  requirePart(loadProfile(configuration.profile), REQUIREMENTS.list);
  resolveTargets(file?.notify ?? [], cli.environment);
  const http = flags.once ? undefined : httpOptions(flags.http, cli);
  const asJson = logFormat(flags, cli) === "json";
  const begin = async (opened: OpenKeeper): Promise<number> => {
    const secrets = new Secrets([...heldSecrets(configuration), http?.token]);
    const { leases } = opened.ledger;
    // One round needs no lease: it is what a person asks for, as `pulumi up` is.
    const holder =
      leases && !flags.once ? new Holder({ leases, id: newId(), clock: systemClock() }) : undefined;
    const learning = { ...opened, service: learningSecrets(opened.service, secrets) };
    const keeper = holder ? heldKeeper(learning, holder) : learning;
    const log = asJson ? jsonLog(cli.print, keeper.account, secrets) : textLog(cli, secrets);
    const sayAs =
      (kind: string) =>
      (text: string, level: Level = "info"): void =>
        log({ level, kind, text, at: keeper.clock.now().wall });
    const say = sayAs("agent");
    const shown: Work["shown"] = { problem: () => undefined };
    const outside = outsideAgent();
    const notifier = notifierOf(keeper, flags, { outside, secrets, say: sayAs("notify") }, cli);
    const check = checking({ agent: outside, environment: cli.environment });
    const readiness = new ReadinessWatch(keeper, check, (text) => shortText(secrets.hide(text)));
    const reloader = new Reloader({
      keeper,
      content: () => fleetFileContent(flags),
      parse: (content) => {
        const found = parseFleetFile(content, fleetFilePath(flags));
        targetsOf(found, secrets, cli);
        return found;
      },
      isGone,
      onFile: (found) => {
        notifier.targets = targetsOf(found, secrets, cli);
      },
      needsRestart: restartNeeded(configuration, (now) => configurationOf(flags, now, cli)),
      onProblem: (problem) => shown.problem(problem),
    });
    const { accountInfo, service, ledger } = keeper;
    log({
      level: "info",
      kind: "agent",
      text: `fleetkeeper agent: account ${accountInfo.email} at ${service.baseUrl}, ledger ${ledger.location}`,
      at: keeper.clock.now().wall,
      facts: { configuration, version: cli.version },
    });
    if (readable) say(readable, "warn");
    const work = { keeper, holder, log, say, reloader, notifier, readiness, shown };
    try {
      if (!flags.once) return await keep(work, http, cli);
      await reloader.begin();
      return await round(keeper, log, notifier, cli);
    } finally {
      await Promise.all([notifier.close(), readiness.close()]);
      await outside.destroy();
    }
  };
  try {
    return await (flags.once
      ? withKeeper(configuration, cli, begin)
      : keepOpen(configuration, cli, begin, () => serveWaiting(http)));
  } catch (error) {
    if (isOutage(error) && !cli.signal.aborted) await tellFailure(failureOf(error), flags, cli);
    throw error;
  }
}

/** The flag, else the environment, else text for a terminal or `--once`, and JSON for all other readers. */
function logFormat({ logFormat: flag, once }: AgentFlags, cli: CliContext): "text" | "json" {
  const asked = flag ?? fromEnvironment("FLEETKEEPER_LOG_FORMAT", cli.environment);
  if (asked === undefined) return cli.terminal === false && !once ? "json" : "text";
  if (asked === "text" || asked === "json") return asked;
  throw mistake(`FLEETKEEPER_LOG_FORMAT: expected text or json, got ${JSON.stringify(asked)}.`);
}

async function keep(work: Work, http: HttpChoice | undefined, cli: CliContext): Promise<number> {
  const { keeper } = work;
  const watched = watch({ keeper, history: keeper.ledger, version: cli.version ?? "unknown" });
  return closing(watched, async () => {
    await serve(watched, http, work.say);
    return keepWatched(work, watched, cli);
  });
}

async function keepWatched(
  { holder, log, say, reloader, notifier, readiness, shown }: Work,
  watched: Watch<OpenKeeper>,
  cli: CliContext,
): Promise<number> {
  // Told while the list still goes on: the loop waits for it.
  const keeper = tellingSlowLists(watched.keeper, () => news(() => undefined));
  const now = (): number => keeper.clock.now().wall;
  let tellEvents = await eventTeller(keeper, log);
  const tellWaits = waitTeller(log, now);
  const trouble = troubleTeller(log, now);
  // One after the other. Errors are ignored: the loop meets the same ledger and reports.
  let telling = Promise.resolve();
  const news = (andThen: () => void): void => {
    telling = telling
      .then(() => notifier.prepare())
      .then(() => tellEvents())
      .then(() => notifier.pump())
      .catch(() => undefined)
      .then(andThen);
  };
  shown.problem = watched.onProblem;
  const wakeSignal = new WakeSignal();
  cli.onHangup?.(() => {
    say("SIGHUP: the fleet file is read again");
    reloader.again();
    wakeSignal.ring();
  });
  await keeper.ledger.onWake(keeper.account, () => wakeSignal.ring(), cli.signal);
  const onError = (error: FleetkeeperError, retryMs: number): void => {
    watched.onError(error, retryMs);
    news(() => trouble.failed(error.message, retryMs));
  };
  const options: LoopOptions = {
    keeper,
    host: hostname(),
    wakeSignal: wakeSignal,
    // Only now: whoever keeps the account launches what is declared. So an agent that may not keep it, or
    // whose port is taken, must declare nothing.
    onTaken: async () => {
      // What another agent did before is in its log.
      tellEvents = await eventTeller(keeper, log);
      await reloader.begin();
      await notifier.prepare();
    },
    beforeTick: () => reloader.look(cli.signal),
    onTick: (report) => {
      watched.onTick(report);
      if (report.believed) notifier.alive();
      readiness.pump();
      news(() => {
        trouble.answered();
        tellWaits(report.plans);
      });
    },
    onError,
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    await runLoop(options, signal);
    await telling;
    await tellEvents();
  };
  if (holder) {
    const { onStandby } = watched;
    await holder.keep(standingBy({ keeper, say, onStandby, onError, work }), cli.signal);
  } else {
    await work(cli.signal);
  }
  say("fleetkeeper agent: stopped. What runs goes on running, and is kept again when an agent starts.");
  return 0;
}
