import { z } from "zod";
import { declareFleets } from "../agent/fleet/declare/declare-fleets.ts";
import { parseFleetFile } from "../agent/fleet/file/fleet-file.ts";
import { AGENT_TOKEN } from "../agent/orders/actor.ts";
import { carryOut } from "../agent/orders/carry-out.ts";
import { ORDERS } from "../agent/orders/orders.ts";
import { addApi } from "../agent/tell/http/api/index.ts";
import { orderId } from "../agent/tell/http/api/paths.ts";
import { ownApi } from "../agent/tell/http/mcp/own-api.ts";
import { newPart } from "../agent/tell/http/reach/listening.ts";
import { Rate } from "../agent/tell/http/reach/rate.ts";
import { openStage } from "../agent/whatif/stage.ts";
import type { History } from "../ledger/chart-history.ts";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Json } from "../service/contract/service.ts";
import { type LoadedProfile, loadProfile } from "../service/profile/profile-file.ts";
import { createSimulator, type DialectName, dialectProfilePath, VirtualClock } from "../simulator/index.ts";

const MINUTE = 60_000;

export type World = Awaited<ReturnType<typeof openWorld>>;

interface WorldOptions {
  readonly dialect?: DialectName;
  /** The client's. Default: that of the dialect. */
  readonly profile?: LoadedProfile;
  readonly tenure?: "exclusive" | "shared";
  readonly balance?: string;
}

/** A service, a ledger and an agent, under a clock that only the task moves. */
export async function openWorld({
  dialect = "plain",
  tenure = "exclusive",
  balance = "5000.0000",
  profile,
}: WorldOptions = {}) {
  const clock = new VirtualClock();
  const simulator = createSimulator({ clock, dialect, seed: "tasks", balance });
  const ledger = openSqliteLedger({ path: ":memory:", newId: "tasksledger0", now: clock.now() });
  const on = await openStage({
    ...{ simulator, clock, tenure, ledger },
    profile: profile ?? loadProfile(dialectProfilePath(dialect)),
  });
  const { keeper } = on;
  const app = newPart("");
  addApi(app, { keeper, history: ledger as History, orders: keeper, version: "tasks" }, new Rate());
  const env = { reader: "owner", actor: AGENT_TOKEN } as unknown as Parameters<typeof ownApi>[1];
  const api = ownApi(app, env, { url: "http://localhost" }, new AbortController().signal);
  on.start({ onTick: () => undefined });
  return {
    simulator,
    truth: () => simulator.truth(),
    alive: () => simulator.truth().machines.filter(({ endedAt }) => endedAt === null),
    running: () =>
      simulator
        .truth()
        .machines.filter(({ endedAt, states }) => endedAt === null && states.at(-1)?.state === "running"),
    errors: on.errors,
    advance: (minutes: number) => clock.advance(minutes * MINUTE),
    /** What the agent's API answers, as `getStatus` of MCP has it. */
    see: (path: string): Promise<unknown> => clock.run(api.read(path, z.unknown())),
    /** As a fleet file says it. */
    declare: async (file: string): Promise<void> => {
      const { fleets, budgets } = parseFleetFile(file, "/fleet.yaml");
      await declareFleets(keeper, "file:/fleet.yaml", () => fleets, { budgets });
    },
    /** Carries out orders as a program would write them. Gives why one of them cannot be. */
    order: async (orders: unknown): Promise<string | undefined> => {
      if (!Array.isArray(orders)) return "orders: expected a list";
      for (const each of orders as readonly Readonly<Record<string, unknown>>[]) {
        const order = ORDERS.find((one) => orderId(one) === each?.order);
        if (!order) return `${JSON.stringify(each)}: there is no such order`;
        const input = order.input.safeParse(each.body ?? {});
        if (!input.success) return `${orderId(order)}: its body does not fit`;
        const target = String(each.fleet ?? each.id ?? "");
        const given = { order, target, input: input.data as Json, actor: AGENT_TOKEN };
        try {
          const outcome = await carryOut(keeper, given);
          if ("refused" in outcome) return outcome.text;
        } catch (error) {
          if (error instanceof FleetkeeperError) return error.message;
          throw error;
        }
      }
      return undefined;
    },
    end: async () => {
      await clock.run(on.stop().catch(() => undefined));
      ledger.close();
    },
  };
}
