import type { WireProfile } from "../service/profile/profile.ts";
import type { AccountInput } from "./account.ts";
import { type CatalogueOffer, catalogueOfferSchema, DEFAULT_OFFERS } from "./catalogue.ts";
import { realClock, type SimulatorClock } from "./clock.ts";
import { createControl } from "./control.ts";
import type { Dialect } from "./dialect.ts";
import { type DialectName, dialectOf } from "./dialect-files.ts";
import { Faults } from "./faults.ts";
import { createHandler } from "./handler.ts";
import { createJournal } from "./journal.ts";
import { hasEnded, type Machine, stateOf } from "./machine.ts";
import { Model } from "./model.ts";
import { type HttpEndpoint, listen } from "./server.ts";
import { type SettingsInput, settingsSchema } from "./settings.ts";
import { speak } from "./speak/speak.ts";
import { createTransport } from "./transport.ts";
import { type Truth, truthOf } from "./truth.ts";

/** Unless options say otherwise. */
export const DEFAULT_API_KEY = "simulator-key";
export const DEFAULT_BALANCE = "1000.0000";
/** The base URL of the in-process transport. */
export const SIMULATOR_URL = "https://simulator.invalid";

export interface SimulatorOptions {
  /** The real clock unless given. Tests give a VirtualClock. */
  readonly clock?: SimulatorClock;
  readonly seed?: string | number;
  /** A dialect of the simulator by its name, any wire profile, or your own dialect. */
  readonly dialect?: DialectName | WireProfile | Dialect;
  readonly offers?: readonly CatalogueOffer[];
  /** USD of the first account. */
  readonly balance?: string;
  /** The credential of the first account. */
  readonly apiKey?: string;
  readonly email?: string;
  /** Further accounts on the same service. */
  readonly accounts?: readonly AccountInput[];
  readonly settings?: SettingsInput;
  /** Latency of the in-process transport, each way, in the service's time. */
  readonly latencyMs?: number;
}

export type Simulator = ReturnType<typeof createSimulator>;

/**
 * The service itself, embedded.
 *
 * @example
 * const clock = new VirtualClock();
 * const simulator = createSimulator({ clock, seed: 7, dialect: "plain", balance: "50.0000" });
 * simulator.control.faults.next("launch", { kind: "dropAfter" });
 */
export function createSimulator(options: SimulatorOptions = {}) {
  const { clock = realClock(), seed = 1, apiKey = DEFAULT_API_KEY, balance = DEFAULT_BALANCE } = options;
  const settings = Object.freeze(settingsSchema.parse(options.settings ?? {}));
  const offers = (options.offers ?? DEFAULT_OFFERS).map((offer) => catalogueOfferSchema.parse(offer));
  const dialect = chooseDialect(options.dialect ?? "plain");
  const model = new Model(clock, String(seed), settings, offers, dialect.terms);
  model.addAccount({ email: options.email ?? "you@example.com", displayName: "You", apiKey, balance });
  for (const account of options.accounts ?? []) model.addAccount(account);
  const faults = new Faults(model.world.random.fork("faults"));
  const journal = createJournal();
  const handle = createHandler({ model, dialect, faults, journal, speed: clock.speed ?? 1 });
  const endpoints: HttpEndpoint[] = [];
  return {
    clock,
    settings,
    apiKey,
    dialect,
    control: createControl(model, faults),
    /** Handles one request at once. The server and the transport both use it. */
    handle,
    /** The service without a network. It answers at {@link SIMULATOR_URL}, or any base URL without a path. */
    transport: createTransport(handle, clock, options.latencyMs),
    /** Serves HTTP on the loopback, until `close`. */
    async listen(port?: number): Promise<HttpEndpoint> {
      const endpoint = await listen(handle, clock, port);
      endpoints.push(endpoint);
      return endpoint;
    },
    truth(): Truth {
      model.advance();
      return truthOf(model.world, journal);
    },
    /** The machines that are not over, for whoever looks often: the whole truth is long. */
    living(): readonly Pick<Machine, "id" | "combination" | "gpus" | "lostAt">[] {
      model.advance();
      return model.world.machines.filter((machine) => !hasEnded(stateOf(machine)));
    },
    async close(): Promise<void> {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    },
  };
}

function chooseDialect(dialect: DialectName | WireProfile | Dialect): Dialect {
  if (typeof dialect === "string") return dialectOf(dialect);
  return "profile" in dialect ? speak(dialect) : dialect;
}
