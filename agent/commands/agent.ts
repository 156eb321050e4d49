import { hostname } from "node:os";
import { fromEnvironment } from "../../launch/configuration.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { OpenKeeper } from "../../launch/open.ts";
import { Draft } from "../../ledger/draft.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { isOver } from "../count.ts";
import type { FleetFile } from "../fleet-file.ts";
import { declareAll, fleetReport, inherit } from "../fleets.ts";
import type { HttpAddress } from "../http/address.ts";
import { checkToken, DEFAULT_HTTP_ADDRESS, parseAddress } from "../http/address.ts";
import type { Watch } from "../http/index.ts";
import { watch } from "../http/index.ts";
import { runLoop } from "../loop.ts";
import { clean, gpus, timeOfDay } from "../text.ts";
import type { TickReport } from "../tick.ts";
import { tick } from "../tick.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import { configurationOf, isGone, readFleetFile, withKeeper } from "./edge.ts";
import { NO_FLEETS } from "./plan.ts";

export interface AgentFlags extends CommonFlags {
  readonly once?: boolean;
  /** An address; false: `--no-http`; true or undefined: the default one. */
  readonly http?: string | boolean;
}

/** A round is as many ticks as follow each other at once: a birth takes two lists, a lost answer one list more. */
const MOST_TICKS_A_ROUND = 20;

/** `fleetkeeper agent`: keeps what the fleet file and the stacks on this ledger ask for, until it is stopped. */
export async function agentCommand(flags: AgentFlags, edge: Edge): Promise<number> {
  const file = readFleetFile(flags);
  const configuration = configurationOf(flags, file, edge);
  const http = flags.once ? undefined : httpOptions(flags.http, edge);
  return withKeeper(configuration, edge, async (keeper) => {
    if (file) await declareFile(keeper, file);
    const { email } = keeper.accountInfo;
    edge.print(
      `fleetkeeper agent: account ${clean(email)} at ${keeper.service.baseUrl}, ledger ${keeper.ledger.location}`,
    );
    return flags.once ? round(keeper, edge) : keep(keeper, http, edge);
  });
}

async function declareFile(keeper: OpenKeeper, { source, fleets }: FleetFile): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    inherit(draft, fleets, isGone);
    declareAll(draft, source, fleets, contextOf(keeper));
  });
}

async function round(keeper: OpenKeeper, edge: Edge): Promise<number> {
  const printNews = await newsPrinter(keeper, edge);
  let report = await tick(keeper, edge.signal);
  await printNews();
  for (let ticks = 1; report.wake === 0 && ticks < MOST_TICKS_A_ROUND && !edge.signal.aborted; ticks++) {
    report = await tick(keeper, edge.signal);
    await printNews();
  }
  await printFleets(keeper, edge);
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

async function serve(watched: Watch<OpenKeeper>, http: HttpChoice | undefined, edge: Edge): Promise<void> {
  if (!http) return;
  const { address, token, isDefault } = http;
  try {
    const { url } = await watched.serve(address, token);
    edge.print(`status page: ${url}${token === undefined ? "" : " (with the token as the password)"}`);
  } catch (error) {
    if (!isDefault || !(error instanceof FleetkeeperError)) throw error;
    edge.tell(`There is no status page: ${error.message}`);
  }
}

async function keep(given: OpenKeeper, http: HttpChoice | undefined, edge: Edge): Promise<number> {
  const watched = watch({ keeper: given, history: given.ledger, version: edge.version ?? "unknown" });
  try {
    await serve(watched, http, edge);
    return await keepWatched(watched, edge);
  } finally {
    await watched.close();
  }
}

async function keepWatched(watched: Watch<OpenKeeper>, edge: Edge): Promise<number> {
  const { keeper } = watched;
  const printNews = await newsPrinter(keeper, edge);
  const sayNews = newsSayer(edge);
  // One after the other, and each failure is the loop's: it would meet the same ledger.
  let printing = Promise.resolve();
  const news = (): void => {
    printing = printing.then(printNews).catch(() => undefined);
  };
  await runLoop(
    {
      keeper,
      host: hostname(),
      onTick: (report) => {
        watched.onTick(report);
        sayNews.tick(report);
        news();
      },
      onError: (error, retryMs) => {
        watched.onError(error, retryMs);
        sayNews.error(error.message, retryMs);
        news();
      },
    },
    edge.signal,
  );
  await printing;
  await printNews();
  edge.print(
    "fleetkeeper agent: stopped. What runs goes on running, and is kept again when an agent starts.",
  );
  return 0;
}

/** Says what fleets wait for, what nobody answers for and what fails: when it changes, not at each tick. */
function newsSayer(edge: Edge): {
  tick(report: TickReport): void;
  error(message: string, retryMs: number): void;
} {
  const waits = new Map<string, string>();
  const strangers = new Set<string>();
  let failure: string | undefined;
  const say = (text: string): void => edge.print(`${timeOfDay(Date.now())} ${text}`);
  return {
    tick({ plans, unaccounted }) {
      if (failure !== undefined) say("the service answers again");
      failure = undefined;
      for (const { fleet, reasons } of plans) {
        const gist = reasons.map(withoutCountdown).join("\n");
        if (gist === (waits.get(fleet) ?? "")) continue;
        waits.set(fleet, gist);
        for (const reason of reasons) say(`${clean(fleet, 40)} waits: ${clean(reason, 500)}`);
      }
      for (const { id, status, pricePerHour } of unaccounted) {
        if (strangers.has(id)) continue;
        strangers.add(id);
        const cost = pricePerHour === null ? "" : ` and costs ${pricePerHour} USD an hour`;
        say(
          `${clean(id)} is ${clean(status, 40)}${cost}, and nobody here answers for it: fleetkeeper adopt or disown`,
        );
      }
    },
    error(message, retryMs) {
      if (message === failure) return;
      failure = message;
      edge.tell(
        `${timeOfDay(Date.now())} ${clean(message, 1000)} Nothing is done meanwhile; tried again in ` +
          `${Math.ceil(retryMs / 1000)} s, and then until it works.`,
      );
    },
  };
}

/** A countdown alone is no change. */
function withoutCountdown(reason: string): string {
  return reason.replace(/\d+ s more/g, "");
}

/** Prints what happened since the last call: one line an event, one event a decision. */
async function newsPrinter(keeper: OpenKeeper, edge: Edge): Promise<() => Promise<void>> {
  const { ledger, account } = keeper;
  let after = (await ledger.events(account, 1))[0]?.sequence ?? 0;
  return async () => {
    const news = await ledger.events(account, 1000, after);
    after = news[0]?.sequence ?? after;
    for (const { at, kind, owner, text } of [...news].reverse()) {
      const who = owner?.replace(/^(fleet|slot):/, "") ?? "-";
      edge.print(`${timeOfDay(at)} ${clean(who, 40)} ${kind}: ${clean(text)}`);
    }
  };
}
