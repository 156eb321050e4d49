import { setTimeout as sleep } from "node:timers/promises";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { fleetDeclaredSchema } from "../json/agent.ts";
import { askSaidSchema, stoppedSchema } from "../json/answers.ts";
import type { DeploymentFacts } from "../json/deployments.ts";
import { JSON_SCHEMAS } from "../json/index.ts";
import type { AccountApi } from "../remote/agent-client.ts";
import { PATHS } from "../remote/paths.ts";
import type { Seen } from "./group-state.ts";

/** For that long one look serves all calls: the autoscaler asks for each node by itself. */
const LOOK_MS = 1_000;
const TRIES = 3;

/** What the calls read and order of an account. */
export function accountOf({ read, order }: AccountApi) {
  let newest: { readonly seen: Promise<Seen>; readonly at: number } | undefined;

  const readAll = async (): Promise<Seen> => {
    const [{ fleets }, machines] = await Promise.all([
      read(PATHS.status, JSON_SCHEMAS.status.shape.accounts.element),
      read(PATHS.deployments(false), JSON_SCHEMAS.deployments),
    ]);
    return { fleets, machines };
  };

  /** `anew`: what was seen before does not do. */
  const look = (anew = false): Promise<Seen> => {
    const now = performance.now();
    if (anew || !newest || now - newest.at > LOOK_MS) newest = { seen: readAll(), at: now };
    newest.seen.catch(() => {
      newest = undefined;
    });
    return newest.seen;
  };

  return {
    look,

    /** One machine, ended or not. Undefined: the account never had it. */
    machine: async (id: string): Promise<DeploymentFacts | undefined> =>
      read(PATHS.deployment(id), JSON_SCHEMAS.deployment).catch((error: unknown) => {
        if (error instanceof FleetkeeperError && error.status === 404) return undefined;
        throw error;
      }),

    /**
     * Asks for what `decide` says of how things stand; undefined: for nothing. Where somebody else has ordered something of the
     * fleet in between, it is decided anew.
     */
    async ask(
      fleet: string,
      decide: (seen: Seen) => Readonly<Record<string, number | boolean | string>> | undefined,
    ): Promise<void> {
      for (let tries = 1; ; tries++) {
        // Before the look: an order in between must not be passed over.
        const { version } = await read(PATHS.fleet(fleet), fleetDeclaredSchema);
        const body = decide(await look(true));
        if (body === undefined) return;
        try {
          await order(
            { path: PATHS.order("fleet", fleet, "ask"), body: { ...body, version } },
            askSaidSchema,
          );
          return;
        } catch (error) {
          const isConflict = error instanceof FleetkeeperError && error.status === 409;
          if (!isConflict || tries === TRIES) throw error;
          await sleep(100 * tries);
        } finally {
          newest = undefined;
        }
      }
    },

    /** Stops a machine, and its fleet wants so many GPUs less. */
    async giveBack(id: string): Promise<void> {
      try {
        await order({ path: PATHS.order("deployment", id, "stop"), body: { shrink: true } }, stoppedSchema);
      } finally {
        newest = undefined;
      }
    },
  };
}
