import { hostname } from "node:os";
import { type Configuration, heldSecrets } from "../../../../account/configuration.ts";
import { keyFileWarning } from "../../../../account/key-file.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { tellingSlowLists } from "../../../../account/slow-watch.ts";
import { contextOf } from "../../../../launch/keeper.ts";
import type { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { userName } from "../../../../service/process/user-name.ts";
import { type Ask, asking } from "../../../ask/ask.ts";
import { askingTheService } from "../../../ask/ask-the-service.ts";
import { exchangeText, machineAgent } from "../../../ask/exchange.ts";
import { health } from "../../../ask/health.ts";
import { askingIdle, idleness } from "../../../ask/idle.ts";
import { MachineWatch } from "../../../ask/machine-watch.ts";
import { measuring, metrics } from "../../../ask/metric.ts";
import { programProblems, stackCommands, whyNoSsh } from "../../../ask/programs.ts";
import { readiness } from "../../../ask/ready.ts";
import { setup, setupRunner } from "../../../ask/setup.ts";
import type { FleetDeclaration } from "../../../fleet/declare/fleets.ts";
import { type FleetFile, parseFleetFile } from "../../../fleet/file/fleet-file.ts";
import { ofService } from "../../../fleet/file/of-service.ts";
import { checkDoubts, doubtText } from "../../../fleet/phase/check-doubts.ts";
import { OidcTokens } from "../../../orders/oidc.ts";
import { type Holder, heldKeeper, whileHeld } from "../../../reconcile/holder.ts";
import { type LoopOptions, runLoop } from "../../../reconcile/loop.ts";
import { MarketSampler } from "../../../reconcile/market-sampler.ts";
import type { AllAccounts } from "../../../reconcile/move-portions.ts";
import { Reloader } from "../../../reconcile/reload.ts";
import { WakeSignal } from "../../../reconcile/wake-signal.ts";
import { type Watch, watch } from "../../../tell/http/index.ts";
import type { Level, Log } from "../../../tell/log/entry.ts";
import { jsonLog } from "../../../tell/log/json-log.ts";
import { eventTeller, troubleTeller, waitTeller } from "../../../tell/log/news.ts";
import { learningSecrets, Secrets } from "../../../tell/log/secrets.ts";
import { textLog } from "../../../tell/log/text-log.ts";
import { shortText } from "../../../tell/notify/message.ts";
import type { Notifier, NotifierOptions } from "../../../tell/notify/notifier.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import {
  type AgentFlags,
  configurationOf,
  fleetFileContent,
  fleetFilePath,
  isSourceDeleted,
} from "../shared/flags.ts";
import { notifierOf, outsideAgent, targetsOf } from "../shared/notifying.ts";
import { restartNeeded } from "../shared/restart-needed.ts";
import { saving } from "../shared/saving.ts";
import { fileComparison, refuseOtherFile } from "./other-file.ts";
import { round } from "./round.ts";
import { stackCallsOf } from "./stack-calls.ts";
import { standingBy } from "./standby.ts";

/** What one account's agent is given beside its keeper. */
export interface Surroundings {
  /** With the service's name, where the file has several. */
  readonly flags: AgentFlags;
  readonly configuration: Configuration;
  readonly file: FleetFile | undefined;
  /** Undefined: the ledger is of one host, and its account's row names the agent. */
  readonly holder: Holder<OpenKeeper["ledger"]> | undefined;
  readonly asJson: boolean;
  /** The status page's. */
  readonly token: string | undefined;
  /** Shows the account on the status page. */
  readonly serve: (
    watched: Watch<OpenKeeper>,
    say: (text: string, level?: Level) => void,
  ) => Promise<void> | void;
  readonly onHangup: (listener: () => void) => void;
  /** See `NotifierOptions`. */
  readonly mayPing?: NotifierOptions["mayPing"];
  /** What a change of the file's services means, for people. */
  readonly servicesChanged?: (file: FleetFile | undefined) => string | undefined;
}

/** An issuer of tokens answers its keys within this time, or its tokens are not taken. */
const KEYS_WITHIN_MS = 5_000;

/** What the parts of one agent share. */
interface Work {
  readonly keeper: OpenKeeper;
  /** The same, also while another agent keeps the account: people may order something of any of them. */
  readonly orders: OpenKeeper;
  readonly oidc: OidcTokens;
  readonly allAccounts: AllAccounts;
  readonly around: Surroundings;
  readonly log: Log;
  /** Logs something about the agent itself. */
  readonly say: (text: string, level?: Level) => void;
  readonly reloader: Reloader;
  readonly notifier: Notifier;
  readonly machineWatch: MachineWatch;
  readonly secrets: Secrets;
  readonly ask: Ask;
  /** Shows on the page what is wrong with the settings, once there is a page. */
  readonly shown: { problem: (problem: string | undefined) => void };
}

/** Keeps one account until it is stopped, or for one round. Gives the exit code. */
export async function keepAccount(
  opened: OpenKeeper,
  around: Surroundings,
  cli: CliContext,
): Promise<number> {
  const { flags, configuration, file, holder, asJson, token } = around;
  const readable = keyFileWarning(cli.environment, file?.apiKeyFrom);
  const secrets = new Secrets([...heldSecrets(configuration), token]);
  const learning = { ...opened, service: learningSecrets(opened.service, secrets) };
  const keeper = holder ? heldKeeper(learning, holder) : learning;
  const log = asJson
    ? jsonLog(
        cli.print,
        { account: keeper.account, ...(flags.service && { service: flags.service }) },
        secrets,
      )
    : textLog(cli, secrets);
  const sayAs =
    (kind: string) =>
    (text: string, level: Level = "info"): void =>
      log({ level, kind, text, at: keeper.clock.now().wall });
  const say = sayAs("agent");
  const shown: Work["shown"] = { problem: () => undefined };
  const [outside, machines] = [outsideAgent(cli), machineAgent()];
  const { mayPing } = around;
  const notifier = notifierOf(
    keeper,
    flags,
    { outside, secrets, say: sayAs("notify"), ...(mayPing && { mayPing }) },
    cli,
  );
  const ask = asking({ agent: machines, environment: cli.environment });
  const askOrLook = askingTheService(ask, keeper);
  const show = (text: string): string => shortText(secrets.hide(text));
  const saves = saving(keeper, cli);
  // A single round asks nothing that takes several looks.
  const kinds = flags.once
    ? [saves]
    : [
        setup(keeper, setupRunner(cli.environment), show),
        readiness(askOrLook),
        health(askOrLook),
        idleness(askingIdle(ask, machines)),
        metrics(measuring({ agent: outside, environment: cli.environment }), keeper.clock, show),
        saves,
      ];
  const oidc = new OidcTokens({
    fetchText: (url) => exchangeText(outside, url, { method: "GET" }, KEYS_WITHIN_MS, cli.signal),
    now: () => keeper.clock.now().wall,
  });
  oidc.trusted = file?.trusted ?? [];
  const machineWatch = new MachineWatch(keeper, kinds, show);
  const restart = restartNeeded(configuration, (now) => configurationOf(flags, now, cli));
  const reloader = new Reloader({
    keeper,
    content: () => fleetFileContent(flags),
    parse: (content) => {
      const found = ofService(parseFleetFile(content, fleetFilePath(flags)), flags.service);
      targetsOf(found, secrets, cli);
      return found;
    },
    isGone: isSourceDeleted(opened.ledger),
    onFile: (found) => {
      notifier.targets = targetsOf(found, secrets, cli);
      oidc.trusted = found.trusted;
      tellPrograms(found.fleets, cli.environment, say);
      for (const { name, wish } of found.fleets)
        for (const doubt of checkDoubts(wish, contextOf(keeper)))
          say(`fleet ${name}: ${doubtText(doubt)}`, "warn");
    },
    needsRestart: (now) => restart(now) ?? around.servicesChanged?.(now),
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
  const work = {
    keeper,
    orders: learning,
    oidc,
    allAccounts: holder ? whileHeld(opened.ledger, opened.account, holder) : opened.ledger,
    around,
    log,
    say,
    reloader,
    notifier,
    machineWatch,
    secrets,
    shown,
    ask,
  };
  try {
    if (!flags.once) return await keep(work, cli);
    await refuseOtherFile(keeper, reloader);
    return await round(keeper, { log, reloader, notifier, saves: machineWatch }, cli);
  } finally {
    await Promise.all([notifier.close(), machineWatch.close()]);
    await Promise.all([outside.destroy(), machines.destroy()]);
  }
}

function tellPrograms(
  fleets: readonly FleetDeclaration[],
  environment: CliContext["environment"],
  say: Work["say"],
): void {
  for (const { fleet, key, why, remedy } of programProblems(fleets, environment))
    say(`fleet ${fleet.name}: its ${key}.command cannot be run here: ${why}. ${remedy}`, "warn");
  const why = whyNoSsh(fleets, environment, userName());
  if (why !== undefined)
    say(`${why}: commands of fleets that reach machines by it say nothing of them`, "warn");
}

async function keep(work: Work, cli: CliContext): Promise<number> {
  const { keeper, orders, oidc, around, say, secrets, ask } = work;
  const hide = (text: string): string => secrets.hide(text);
  const stacks = stackCallsOf({ keeper: orders, ask, hide, profile: around.configuration.profile }, cli);
  const watched = watch({
    keeper,
    history: keeper.ledger,
    orders,
    oidc,
    stacks,
    version: cli.version ?? "unknown",
    hide,
  });
  // What stacks wait for is cut once the server takes no more of it.
  return closing(stacks, () =>
    closing(watched, async () => {
      await around.serve(watched, say);
      return keepWatched(work, watched, cli);
    }),
  );
}

async function keepWatched(
  { allAccounts, around, log, say, reloader, notifier, machineWatch, shown }: Work,
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
  around.onHangup(() => {
    say("SIGHUP: the fleet file is read again");
    reloader.again();
    wakeSignal.ring();
  });
  await keeper.ledger.onWake(keeper.account, () => wakeSignal.ring(), cli.signal);
  const onError = (error: FleetkeeperError, retryMs: number): void => {
    watched.onError(error, retryMs);
    news(() => trouble.failed(error.message, retryMs));
  };
  const newComparison = () =>
    fileComparison(keeper, reloader, (problem) => {
      watched.onProblem(problem);
      if (problem === undefined) say("standby: this agent's fleet file would change nothing any more");
      else say(`standby: ${problem}`, "warn");
    });
  let compare = newComparison();
  const market = new MarketSampler(keeper, keeper.ledger);
  const options: LoopOptions = {
    keeper,
    allAccounts,
    host: hostname(),
    commands: stackCommands(cli.environment),
    wakeSignal: wakeSignal,
    // Only now: whoever keeps the account launches what is declared. So an agent that may not keep it, or
    // whose port is taken, must declare nothing.
    onTaken: async () => {
      // What another agent did before is in its log.
      tellEvents = await eventTeller(keeper, log);
      watched.onProblem(undefined);
      compare = newComparison();
      await reloader.begin();
      await notifier.prepare();
    },
    beforeTick: () => reloader.look(cli.signal),
    onTick: (report) => {
      watched.onTick(report);
      if (report.believed) notifier.alive();
      machineWatch.pump();
      market.pump(cli.signal);
      news(() => {
        trouble.answered();
        tellWaits(report.plans);
      });
    },
    onOffers: (offers) => market.saw(offers),
    onError,
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    await runLoop(options, signal);
    await market.settled();
    await telling;
    await tellEvents();
  };
  const { holder } = around;
  if (holder) {
    const onStandby = (): void => {
      watched.onStandby();
      compare();
    };
    await holder.keep(standingBy({ keeper, say, onStandby, onError, work }), cli.signal);
  } else {
    await work(cli.signal);
  }
  say("fleetkeeper agent: stopped. What runs goes on running, and is kept again when an agent starts.");
  return 0;
}
