import { setTimeout as sleep } from "node:timers/promises";
import { type Configuration, configuredLedger, heldSecrets } from "../../../../account/configuration.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { newId, openLedger } from "../../../../account/open-ledger.ts";
import { DEFAULT_SETTINGS } from "../../../../launch/facts/context.ts";
import { settingsFromEnvironment } from "../../../../launch/facts/settings-environment.ts";
import { systemClock } from "../../../../ledger/system-clock.ts";
import { CAUSES, FleetkeeperError } from "../../../../service/contract/errors.ts";
import { checkBaseUrl } from "../../../../service/http/base-url.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../../service/profile/requirement.ts";
import type { FleetFile } from "../../../fleet/file/fleet-file.ts";
import { ofService } from "../../../fleet/file/of-service.ts";
import { duration } from "../../../fleet/text/format.ts";
import { cleanFor } from "../../../fleet/text/text.ts";
import { Holder } from "../../../reconcile/holder.ts";
import { askedWait, retryWait } from "../../../reconcile/retry-wait.ts";
import { failureOf, isOutage } from "../../../status/outage.ts";
import { baseOf, type Shown, startServicesServer } from "../../../tell/http/services.ts";
import type { Level } from "../../../tell/log/entry.ts";
import { jsonLog } from "../../../tell/log/json-log.ts";
import { Secrets } from "../../../tell/log/secrets.ts";
import { textLog } from "../../../tell/log/text-log.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import {
  type AgentFlags,
  configurationOf,
  ledgerFlag,
  nothingForAll,
  readFleetFile,
} from "../shared/flags.ts";
import { tellFailure } from "../shared/notifying.ts";
import { keepOpen, whileAway, withKeeper } from "../shared/opening.ts";
import { keepAccount, type Surroundings } from "./account-agent.ts";
import { type HttpChoice, serveWaiting, serving } from "./status-page.ts";

export interface ServicesAgent {
  readonly flags: AgentFlags;
  /** As a whole, with all of its services. */
  readonly file: FleetFile;
  readonly http: HttpChoice | undefined;
  readonly asJson: boolean;
}

/** What the accounts of one agent share. */
interface Common extends ServicesAgent {
  readonly ledger: OpenKeeper["ledger"];
  readonly holder: Surroundings["holder"];
  readonly shown: ReadonlyMap<string, Shown>;
  /** Accounts that are open, and the service of each. */
  readonly open: Map<string, string>;
  readonly hangups: Set<() => void>;
  readonly mayPing: Surroundings["mayPing"];
}

/**
 * `fleetkeeper agent` for a fleet file with several services: one agent for each account, side by side on one
 * ledger. What goes wrong with one is said, and tried again; it neither ends nor delays the others.
 */
export async function keepServices(given: ServicesAgent, cli: CliContext): Promise<number> {
  const { flags, file, http } = given;
  nothingForAll(flags, cli);
  const place = configuredLedger({ ledger: ledgerFlag(flags) }, cli.environment, file.configuration);
  const once = () => openLedger(place, Date.now());
  const opened = flags.once ? once() : whileAway(place, cli, once, () => serveWaiting(http));
  return closing(await opened, async (ledger) => {
    const { leases } = ledger;
    const shown = new Map(file.services.map(({ name }) => [name, { parts: partsIn(file, name) }]));
    const hangups = new Set<() => void>();
    const common: Common = {
      ...{ ...given, ledger, shown, hangups, open: new Map(), mayPing: pings(shown) },
      holder: leases && !flags.once ? new Holder({ leases, id: newId(), clock: systemClock() }) : undefined,
    };
    cli.onHangup?.(() => {
      for (const listener of hangups) listener();
    });
    const names = file.services.map(({ name }) => name);
    if (flags.once) return Math.max(...(await Promise.all(names.map((name) => roundOf(name, common, cli)))));
    const begin = ({ address, token }: HttpChoice) =>
      startServicesServer({ address, token, services: shown });
    const server = http && (await serving(http, begin, sayFor(given, cli)));
    try {
      await Promise.all(names.map((name) => keepOn(name, common, cli)));
      return 0;
    } finally {
      await server?.close();
    }
  });
}

/** What it has of fleets that several keep, by these fleets' names. */
function partsIn(file: FleetFile, service: string): ReadonlyMap<string, string> {
  const { fleets } = ofService(file, service);
  return new Map(fleets.flatMap(({ name, part }) => (part ? [[part.of, name] as const] : [])));
}

/** Says something about the agent as a whole, where its log goes. */
function sayFor({ asJson }: ServicesAgent, cli: CliContext): (text: string, level?: Level) => void {
  const log = asJson ? jsonLog(cli.print, {}, new Secrets()) : textLog(cli, new Secrets());
  return (text, level = "info") => log({ level, kind: "agent", text, at: Date.now() });
}

/** `agent --once` for one of the services. Gives its exit code. */
async function roundOf(name: string, common: Common, given: CliContext): Promise<number> {
  const cli = namedCli(name, common, given);
  try {
    return await keepOne(name, common, cli);
  } catch (error) {
    if (cli.signal.aborted || !(error instanceof FleetkeeperError)) throw error;
    cli.tell(await textOf(error, name, common, cli));
    return CAUSES[error.code].exitCode;
  }
}

/** Keeps the account of one service until the agent is stopped. */
async function keepOn(name: string, common: Common, given: CliContext): Promise<void> {
  const cli = namedCli(name, common, given);
  const { poll } = { ...DEFAULT_SETTINGS, ...settingsFromEnvironment(cli.environment) };
  const shown: Shown = common.shown.get(name) ?? {};
  let failures = 0;
  let said: string | undefined;
  while (!cli.signal.aborted) {
    const begun = performance.now();
    try {
      await keepOne(name, common, cli);
      return;
    } catch (error) {
      if (cli.signal.aborted) return;
      const text = await textOf(error, name, common, cli);
      // It was kept in between.
      if (performance.now() - begun > LONG_KEPT_MS) failures = 0;
      const wait = Math.max(
        retryWait(poll, failures),
        error instanceof FleetkeeperError ? askedWait(error) : 0,
      );
      failures += 1;
      shown.problem = text;
      shown.code = error instanceof FleetkeeperError ? error.code : undefined;
      if (text !== said || failures === 1) cli.tell(`${text} Tried again, now in ${duration(wait)}.`);
      said = text;
      await sleep(wait, undefined, { signal: cli.signal }).catch(() => undefined);
    }
  }
}

const LONG_KEPT_MS = 120_000;

async function keepOne(name: string, common: Common, cli: CliContext): Promise<number> {
  const { asJson, http, holder, ledger, open, hangups, mayPing } = common;
  const flags: AgentFlags = { ...common.flags, service: name };
  const shown: Shown = common.shown.get(name) ?? {};
  // Read anew at each attempt: what was wrong may have been corrected.
  const whole = (await readFleetFile(common.flags)) ?? common.file;
  const file = ofService(whole, name);
  let hangup: (() => void) | undefined;
  let key: string | undefined;
  const work = async (opened: OpenKeeper): Promise<number> => {
    const { id, email } = opened.accountInfo;
    // Not by its address: one service may have several.
    const account = `${id} ${email}`;
    const elsewhere = await keptElsewhere(opened, whole, name);
    const other = open.get(account) ?? elsewhere;
    if (other !== undefined)
      throw mistake(
        `services.${name}: its credential opens the same account as that of services.${other} (${email}). Keep one of the two.`,
      );
    key = account;
    open.set(key, name);
    return keepAccount(
      opened,
      {
        ...{ flags, configuration, file, holder, asJson, token: http?.token, mayPing },
        serve: (watched) => {
          shown.pages = watched.pages(baseOf(name));
          shown.problem = undefined;
        },
        onHangup: (listener) => {
          hangup = listener;
          hangups.add(listener);
        },
        servicesChanged: (now) => ([...open.values()][0] === name ? servicesChanged(common, now) : undefined),
      },
      cli,
    );
  };
  const configuration = configurationOf(flags, file, cli);
  requirePart(loadProfile(configuration.profile), REQUIREMENTS.list);
  try {
    if (flags.once) return await withKeeper(configuration, cli, work, { shared: ledger });
    return await keepOpen(configuration, cli, work, {
      shared: ledger,
      // Its address may be what is wrong, and be corrected.
      onOutage: "fail",
      // Which account of several at one address a credential opens, only the service can say.
      byLedger: !hasNeighbour(whole, name),
    });
  } catch (error) {
    if (isOutage(error) && !cli.signal.aborted && !hasNeighbour(whole, name))
      await tellFailure(failureOf(error), flags, cli, ledger);
    throw error;
  } finally {
    shown.pages = undefined;
    if (key !== undefined) open.delete(key);
    if (hangup) hangups.delete(hangup);
  }
}

/** The service of the file under whose address this ledger keeps fleets of the very same account. */
async function keptElsewhere(
  { ledger, account, accountInfo: { id, email } }: OpenKeeper,
  { services }: FleetFile,
  name: string,
): Promise<string | undefined> {
  for (const row of await ledger.accounts()) {
    if (row.key === account || row.accountId !== id || row.email !== email) continue;
    const other = services.find((each) => each.name !== name && checkBaseUrl(each.baseUrl) === row.baseUrl);
    if (other && (await ledger.read(row.key)).fleets.some(({ removed }) => !removed)) return other.name;
  }
  return undefined;
}

/** Whether another service of the file has the same address. */
function hasNeighbour({ services }: FleetFile, name: string): boolean {
  const mine = services.find((each) => each.name === name);
  return services.some(({ name: other, baseUrl }) => other !== name && baseUrl === mine?.baseUrl);
}

/** Of a service that is gone, its own agent says it. */
function servicesChanged({ file }: Common, now: FleetFile | undefined): string | undefined {
  const begun = new Set(file.services.map(({ name }) => name));
  const added = (now?.services ?? []).flatMap(({ name }) => (begun.has(name) ? [] : [name]));
  if (added.length === 0) return undefined;
  return `added since this agent began, and kept only after a restart: services ${added.join(", ")}`;
}

/** A line of one service among those of others. */
function namedCli(name: string, { asJson }: Common, cli: CliContext): CliContext {
  const tell = (text: string): void => cli.tell(`${name}: ${text}`);
  return { ...cli, tell, print: asJson ? cli.print : (text) => cli.print(`${name}: ${text}`) };
}

/** A mistake of this program is told with where it stands: one account ends of it, and not the others. */
async function textOf(error: unknown, name: string, { flags }: Common, cli: CliContext): Promise<string> {
  const configuration = await configurationIfAny(name, flags, cli);
  const secrets = new Secrets(configuration ? heldSecrets(configuration) : []);
  const text =
    error instanceof FleetkeeperError ? error.message : error instanceof Error ? error.stack : String(error);
  return cleanFor(cli)(secrets.hide(text ?? ""), 2000);
}

async function configurationIfAny(
  name: string,
  flags: AgentFlags,
  cli: CliContext,
): Promise<Configuration | undefined> {
  try {
    const own = { ...flags, service: name };
    return configurationOf(own, await readFleetFile(own), cli);
  } catch {
    return undefined;
  }
}

/**
 * Whether a ping may be sent: only if all accounts are well, and not by each of them. Else whoever waits for
 * pings would not miss one account among many.
 */
function pings(shown: ReadonlyMap<string, Shown>): NonNullable<Surroundings["mayPing"]> {
  const sent = new Map<string, number>();
  return async (id, everyMs) => {
    const now = performance.now();
    const last = sent.get(id);
    if (last !== undefined && now - last < everyMs) return false;
    const sites = [...shown.values()].map(({ pages }) => pages?.readiness());
    const all = await Promise.all(sites);
    if (!all.every((each) => each?.ok)) return false;
    sent.set(id, now);
    return true;
  };
}
