import { hostname } from "node:os";
import type { TickReport } from "../../agent/index.ts";
import { tick } from "../../agent/index.ts";
import type { Configuration, Keeper, PartialConfiguration } from "../../launch/index.ts";
import { configure, newId, openKeeper, takeBalance } from "../../launch/index.ts";
import { settingsFromEnvironment } from "../../launch/settings-environment.ts";
import type { Ledger } from "../../ledger/index.ts";
import { openSqliteLedger } from "../../ledger/index.ts";
import { loadProfile } from "../../service/profile-file.ts";
import type { Offer } from "../../service/service.ts";
import type { Environment, Session } from "./environment.ts";
import { Rounds } from "./rounds.ts";
import { Shared } from "./shared.ts";

/** What a host hands over: where values come from, and where lines go. */
export interface Surroundings {
  /** What the stack's configuration says. */
  readonly given: PartialConfiguration;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The real environment: the configured service, the ledger file, the system's clock. Opened once, kept for the process. */
export function openEnvironment({ given, variables, say, signal }: Surroundings): Environment {
  const configuration = once((): Configuration => configure(given, variables));
  const ledger = once((): Ledger => {
    const { ledger: path } = configuration();
    return openSqliteLedger({ path, newId: newId(), now: Date.now() });
  });
  let session: Promise<Session> | undefined;

  async function open(): Promise<Session> {
    const keeper = await openKeeper(configuration(), signal, settingsFromEnvironment(variables));
    return sessionOf(keeper, signal);
  }

  return {
    problem() {
      try {
        settingsFromEnvironment(variables);
        loadProfile(configuration().profile);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    session() {
      session ??= open().catch((error: unknown) => {
        // The next caller may have more luck, and must not be told of an old trouble.
        session = undefined;
        throw error;
      });
      return session;
    },
    ledger: async () => ledger(),
    newId,
    host: hostname(),
    say,
    hide(text) {
      const secret = secretOf(configuration);
      return secret ? text.replaceAll(secret, "[secret]") : text;
    },
    signal,
  };
}

/** What the resources of one process share beside the account itself. */
export function sessionOf(keeper: Keeper, signal: AbortSignal): Session {
  const { service } = keeper;
  const ticks = new Map<string, Shared<TickReport>>();
  let offers: Promise<readonly Offer[]> | undefined;
  return {
    keeper,
    rounds: new Rounds(keeper, signal),
    balances: new Shared(() => takeBalance(keeper, signal)),
    async offers() {
      if (!service.abilities.offers) return undefined;
      offers ??= service.offers(signal).catch((error: unknown) => {
        offers = undefined;
        throw error;
      });
      return offers;
    },
    ticks(fleet) {
      const ticking =
        ticks.get(fleet) ?? new Shared(() => tick(keeper, signal, { mine: (name) => name === fleet }));
      ticks.set(fleet, ticking);
      return ticking;
    },
  };
}

function secretOf(configuration: () => Configuration): string | undefined {
  try {
    return configuration().apiKey;
  } catch {
    return undefined;
  }
}

/** Remembers a value, but not an error. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
