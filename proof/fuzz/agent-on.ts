import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { openKeeper } from "../../agent/whatif/stage-keeper.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Tenure } from "../../ledger/rows.ts";
import type { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Transport } from "../../service/contract/transport.ts";
import type { Simulator, VirtualClock } from "../../simulator/index.ts";
import type { Wire } from "./wires.ts";

export const MACHINES = 2;
const SOURCE = "file:fleet.yaml";

interface On {
  readonly wire: Wire;
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly tenure?: Tenure;
  readonly transport?: Transport;
  readonly ledger?: Ledger;
}

/** A keeper of a service that speaks by a wire. */
export function keeperOn({
  wire,
  clock,
  simulator,
  tenure = "exclusive",
  transport,
  ledger,
}: On): Promise<Keeper> {
  const { profile, settings } = wire;
  const at = transport ? { ...simulator, transport } : simulator;
  return openKeeper({ simulator: at, ...{ clock, tenure, profile, settings, ledger } });
}

/** A fleet of two machines. */
export async function declareTwo(keeper: Keeper, { offer, parameters }: Wire, match?: "none"): Promise<void> {
  const { offer: name, provider, location, gpus } = offer;
  const wish = wishSchema.parse({
    gpus: MACHINES * gpus,
    candidates: [{ offer: name, provider, location, gpus }],
    parameters,
    ...(match && { match }),
  });
  await declareFleets(keeper, SOURCE, () => [{ name: "training", source: SOURCE, wish, part: undefined }]);
}

export interface RunningAgent {
  /** Why the fleet is not whole, by the newest plan. */
  readonly reasons: () => readonly string[];
  /** Ends it, and says what it ended with before. */
  readonly end: () => Promise<unknown>;
}

export function startAgent(
  keeper: Keeper,
  clock: VirtualClock,
  onError: (error: FleetkeeperError) => void,
): RunningAgent {
  const ending = new AbortController();
  let reasons: readonly string[] = [];
  const onTick = ({
    plans,
  }: {
    readonly plans: readonly { readonly reasons: readonly string[] }[];
  }): void => {
    reasons = plans.flatMap((plan) => plan.reasons);
  };
  const loop = runLoop({ keeper, host: "fuzz", onTick, onError }, ending.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    reasons: () => reasons,
    end: async () => {
      ending.abort();
      return clock.run(loop);
    },
  };
}
