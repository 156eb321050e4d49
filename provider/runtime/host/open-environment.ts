import { hostname } from "node:os";
import { heldSecrets } from "../../../account/configuration.ts";
import {
  configure,
  ENVIRONMENT,
  newId,
  openKeeper,
  openLedger,
  openLedgerIfThere,
  type PartialConfiguration,
} from "../../../account/index.ts";
import { locationOf } from "../../../account/open-ledger.ts";
import { tellingSlowLists } from "../../../account/slow-watch.ts";
import { asking, runCommand } from "../../../agent/ask/ask.ts";
import { machineAgent } from "../../../agent/ask/exchange.ts";
import { whyNotRun } from "../../../agent/ask/programs.ts";
import { type TickReport, tick } from "../../../agent/index.ts";
import { shortText } from "../../../agent/tell/notify/message.ts";
import { settingsFromEnvironment } from "../../../launch/facts/settings-environment.ts";
import { type Keeper, takeBalance } from "../../../launch/index.ts";
import type { Ledger } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { Service } from "../../../service/contract/service.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { loadProfile } from "../../../service/profile/profile-file.ts";
import { parametersOf } from "../inputs/parameters.ts";
import { CoalescedRun } from "../session/coalesced-run.ts";
import type { Environment, Session } from "../session/environment.ts";
import { SharedLists } from "../session/shared-lists.ts";
import { openAgentLink } from "./agent-link.ts";
import { agentOf } from "./agent-settings.ts";

/** What a host gives: where values come from, and where lines go. */
export interface Surroundings {
  /** Values of the stack's configuration. */
  readonly given: PartialConfiguration;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly say: Environment["say"];
  readonly signal: AbortSignal;
}

/** The real environment: configured service, ledger file, system clock. Kept for the process. */
export function openEnvironment({ given, variables, say, signal }: Surroundings): Environment {
  const agent = once(() => agentOf(given, variables));
  const link = once(() => {
    const named = agent();
    return named && openAgentLink(named, variables);
  });
  const configuration = once(() => {
    // What is wrong with its settings is said first.
    agent();
    return configure(given, variables);
  });
  // Each slot asks for it several times.
  const profile = once(() => loadProfile(configuration().profile));
  let opened: Promise<Ledger | undefined> = Promise.resolve(undefined);
  /** One after the other: many resources ask at once. */
  function ledgerBy<L extends Ledger | undefined>(
    open: (place: string, now: number) => Promise<L>,
  ): Promise<Ledger | L> {
    const found = opened
      .catch(() => undefined)
      .then(async (ledger) => ledger ?? (await open(configuration().ledger, Date.now())));
    opened = found;
    return atLedger(() => found);
  }
  /** Names the setting, where the ledger is the stack's: people look for it in its configuration. */
  async function atLedger<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (given.ledger === undefined || !(error instanceof FleetkeeperError) || error.code !== "LEDGER")
        throw error;
      throw new FleetkeeperError("LEDGER", `fleetkeeper:ledger: ${error.message}`, { cause: error });
    }
  }

  async function open(ledger?: ":memory:"): Promise<Session> {
    const of = ledger === undefined ? configuration() : { ...configuration(), ledger };
    const keeper = await atLedger(() =>
      openKeeper(of, signal, variables, settingsFromEnvironment(variables)),
    );
    if (keeper.news !== undefined) say(keeper.news);
    return sessionOf(tellingSlowLists(keeper, say), signal, locationOf(configuration().ledger));
  }
  const session = onceItComes(() => open());
  const ledgerThere = () => ledgerBy(openLedgerIfThere);
  const hide = (text: string): string => {
    const { token } = ifPossible(agent) ?? {};
    const secrets = token === undefined ? (ifPossible(() => heldSecrets(configuration())) ?? []) : [token];
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  };
  const shown = (text: string): string => shortText(hide(text));
  const source = (): string => `program:${process.cwd()}`;
  const ask = once(() => asking({ agent: machineAgent(), environment: variables }));

  return {
    agent: () => ifPossible(link),
    problem() {
      try {
        if (agent()) return undefined;
        settingsFromEnvironment(variables);
        const { baseUrl } = configuration();
        named("baseUrl", () => checkBaseUrl(baseUrl));
        named("profile", profile);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    // `problem` names the mistake.
    usedParameters: () => ifPossible(() => parametersOf(profile().profile)),
    session,
    glimpse: onceItComes(async () => ((await ledgerThere()) ? session() : open(":memory:"))),
    ledger: () => ledgerBy<Ledger>(openLedger),
    held: new Set(),
    ledgerThere,
    whyNotRun(program) {
      const problem = whyNotRun(program, process.cwd(), variables.PATH);
      return problem && `${problem.why}. ${problem.remedy}`;
    },
    async ask(row, question, signal) {
      const answer = await ask()({ source: source(), row }, question, signal);
      return answer.kind === "good" ? answer : { ...answer, why: shown(answer.why) };
    },
    async run(row, command, signal) {
      await runCommand({ source: source(), row }, command, variables, signal).catch((error: Error) => {
        throw new Error(shown(error.message));
      });
    },
    newId,
    host: hostname(),
    say,
    now: () => performance.now(),
    hide,
    signal,
  };
}

/** Puts the setting's name before its error: people look in the stack's configuration first. */
function named(key: "baseUrl" | "profile", check: () => unknown): void {
  try {
    check();
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`fleetkeeper:${key} (or ${ENVIRONMENT[key]}): ${message}`, { cause: error });
  }
}

/** What the resources of one process share beside the account. @internal Exported for tests and the proof. */
export function sessionOf(
  keeper: Keeper,
  signal: AbortSignal,
  location: string = keeper.ledger.location,
): Session {
  const ticks = new Map<string, CoalescedRun<TickReport>>();
  return {
    keeper,
    location,
    lists: new SharedLists(keeper, signal),
    balances: new CoalescedRun(() => takeBalance(keeper, signal)),
    offers: onceItComes(() => offersOf(keeper.service, signal)),
    ticks(fleet, by) {
      const ticking =
        ticks.get(fleet) ??
        new CoalescedRun(() => tick(keeper, signal, { mine: (name) => name === fleet, by }));
      ticks.set(fleet, ticking);
      return ticking;
    },
  };
}

async function offersOf(service: Service, signal: AbortSignal) {
  return service.abilities.offers ? service.offers(signal) : undefined;
}

function ifPossible<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Asks once for the whole process. An error is not kept: the next caller asks again. */
function onceItComes<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().catch((error: unknown) => {
      asking = undefined;
      throw error;
    });
    return asking;
  };
}

/** Remembers a value, but not an error. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
