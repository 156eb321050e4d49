import { resolve } from "node:path";
import { loadProfile } from "../service/profile/profile-file.ts";
import { isShipped } from "../service/profile/shipped.ts";
import { DEFAULT_OFFERS } from "./catalogue.ts";
import { realClock } from "./clock.ts";
import { listenForControl } from "./control-server.ts";
import { type DialectName, dialectProfilePath } from "./dialect-files.ts";
import type { SettingsInput } from "./settings.ts";
import { createSimulator } from "./simulator.ts";
import { namedBy } from "./speak/named.ts";

export interface SimulationOptions {
  /** 0 or absent: a free port. */
  readonly port?: number;
  readonly controlPort?: number;
  readonly dialect?: DialectName;
  /** In place of a dialect: the file of any wire profile, or the name of one that ships. */
  readonly profile?: string;
  /** Seconds of the service in one real second. Clients are told waits in real seconds. */
  readonly speed?: number;
  readonly seed?: string | number;
  readonly balance?: string;
  readonly apiKey?: string;
  readonly settings?: SettingsInput;
}

export type Simulation = Awaited<ReturnType<typeof startSimulation>>;

/** The simulated service over HTTP, with its controls on a second port. `fleetkeeper simulate` runs it. */
export async function startSimulation(options: SimulationOptions = {}) {
  const { port, controlPort, dialect = "plain", profile, speed = 1, ...rest } = options;
  const spoken = profile === undefined ? undefined : loadProfile(profile).profile;
  const offers = spoken ? namedBy(spoken, DEFAULT_OFFERS) : DEFAULT_OFFERS;
  const simulator = createSimulator({ ...rest, dialect: spoken ?? dialect, offers, clock: realClock(speed) });
  const service = await simulator.listen(port);
  try {
    const control = await listenForControl(simulator, service, controlPort);
    return {
      url: service.url,
      controlUrl: control.url,
      apiKey: simulator.apiKey,
      /** The wire profile that a client needs: a file, or the name of one that ships. */
      profilePath:
        profile === undefined || isShipped(profile)
          ? (profile ?? dialectProfilePath(dialect))
          : resolve(profile),
      /** What can be rented, by the names that the service has for it. */
      offers,
      simulator,
      async close(): Promise<void> {
        await Promise.all([simulator.close(), control.close()]);
      },
    };
  } catch (error) {
    await simulator.close();
    throw error;
  }
}
