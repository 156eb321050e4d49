import { declareBudgets } from "../../agent/fleet/declare/budgets.ts";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { momentsIn } from "../../agent/fleet/text/format.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import type { OidcTokens } from "../../agent/orders/oidc.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { watch } from "../../agent/tell/http/index.ts";
import type { HttpServer } from "../../agent/tell/http/reach/listening.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { History } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import type { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Simulator } from "../../simulator/index.ts";
import { createSimulator, VirtualClock } from "../../simulator/index.ts";
import type { StageOptions } from "../support/stage.ts";
import { H100, H100_SINGLE, H100_SOUTH, keeperOn, spokenBy } from "../support/stage.ts";

export const MINUTE = 60_000;

/** The agent with its page: simulator, ledger and loop under one virtual clock, and a real server on the loopback. */
export interface Scene {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly keeper: Keeper;
  readonly ledger: Ledger & History;
  readonly server: HttpServer;
  declare(fleets: Readonly<Record<string, WishInput>>): Promise<void>;
  /** Limits over a label or the whole account. */
  limit(...budgets: Parameters<typeof declareBudgets>[2]): Promise<void>;
  start(): void;
  /** As if the newest round had failed so. */
  readonly fail: (error: FleetkeeperError, retryMs: number) => void;
  /** As if this were wrong with the settings. */
  readonly problem: (text: string) => void;
  /** As if another agent kept the account. */
  readonly standBy: () => void;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  text(path: string): Promise<string>;
  close(): Promise<void>;
}

export interface SceneOptions extends Omit<StageOptions, "ledger"> {
  readonly token?: string;
  /** Tokens of issuers that are trusted. */
  readonly oidc?: OidcTokens;
  /** Takes secrets out of what is shown. */
  readonly hide?: (text: string) => string;
}

export async function scene(options: SceneOptions = {}): Promise<Scene> {
  const {
    dialect = "plain",
    account = "exclusive",
    protocol,
    settings,
    alter,
    token,
    oidc,
    hide,
    ...rest
  } = options;
  const clock = new VirtualClock();
  const simulator = createSimulator({
    clock,
    dialect: spokenBy(dialect),
    offers: [H100, H100_SOUTH, H100_SINGLE],
    seed: 1,
    ...(settings ? { settings } : {}),
    ...rest,
  });
  const ledger = openSqliteLedger({ path: ":memory:", newId: "testledger00", now: clock.now() });
  const keeper = await keeperOn(simulator, clock, dialect, account, ledger, protocol, alter);
  const watched = watch({
    keeper,
    history: ledger,
    version: "1.2.3",
    moments: momentsIn("UTC"),
    ...(hide && { hide }),
    ...(oidc && { oidc }),
  });
  const server = await watched.serve({ host: "127.0.0.1", port: 0 }, token);
  const aborting = new AbortController();
  let loop: Promise<void> | undefined;
  const source = "file:fleet.yaml";
  const get: Scene["get"] = (path, headers = {}) => fetch(server.url.slice(0, -1) + path, { headers });
  return {
    clock,
    simulator,
    keeper,
    ledger,
    server,
    declare: async (fleets) => {
      await declareFleets(keeper, source, () =>
        Object.entries(fleets).map(([name, wish]) => ({ name, source, wish: wishSchema.parse(wish) })),
      );
    },
    limit: async (...budgets) => {
      await keeper.ledger.decide(keeper.account, (draft) =>
        declareBudgets(draft, source, budgets, () => false),
      );
    },
    start: () => {
      loop = runLoop(
        { keeper: watched.keeper, host: "test", onTick: watched.onTick, onError: watched.onError },
        aborting.signal,
      );
    },
    fail: watched.onError,
    problem: watched.onProblem,
    standBy: watched.onStandby,
    get,
    text: async (path) => (await get(path)).text(),
    close: async () => {
      if (aborting.signal.aborted) return;
      aborting.abort();
      // A request that hangs in virtual time still has to come to its end.
      if (loop) await clock.run(loop).catch(() => undefined);
      await watched.close();
      ledger.close();
    },
  };
}

const { offer, provider, location, gpus } = H100;
export const NORTH: NonNullable<WishInput["candidates"]>[number] = { offer, provider, location, gpus };
export const SOUTH: typeof NORTH = { ...NORTH, provider: H100_SOUTH.provider, location: H100_SOUTH.location };

/** A day on which much goes wrong: an interruption, a failed launch, a cooldown, a stranger's machine, little money. */
export async function badDay(
  account: "exclusive" | "shared" = "exclusive",
  quietMinutes = 20,
): Promise<Scene> {
  const on = await scene({ balance: "900.0000", account });
  await on.declare({
    training: { gpus: 32, candidates: [NORTH, SOUTH], budget: { floor: "20" } },
    notebooks: {
      ...{ gpus: 2, match: "none", labels: { team: "vision" } },
      select: { gpuModel: "H100", maxPricePerGpuHour: "3" },
    },
  });
  await on.limit({ label: { team: "vision" }, perDay: "200" }, { total: "4000" });
  on.start();
  await on.clock.advance(quietMinutes * MINUTE);
  on.simulator.control.failNext({ provider: "south" }, { code: "UNKNOWN" });
  on.simulator.control.cooldown(NORTH, 110);
  const [first] = on.simulator.truth().machines.filter((each) => each.endedAt === null && each.gpus === 8);
  if (first) on.simulator.control.interrupt(first.id, { now: true });
  await on.clock.advance(4 * MINUTE);
  on.simulator.control.setBalance("140.0000");
  // It fits no fleet that lacks machines: it would be taken.
  on.simulator.control.launchByHand(H100_SINGLE);
  const [, second] = on.simulator.truth().machines.filter((each) => each.endedAt === null && each.gpus === 8);
  on.simulator.control.cooldown(NORTH, 400);
  on.simulator.control.cooldown(SOUTH, 300);
  if (second) on.simulator.control.interrupt(second.id, { now: true });
  await on.clock.advance(1.5 * MINUTE);
  return on;
}
