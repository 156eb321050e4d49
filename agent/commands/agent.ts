import { hostname } from "node:os";
import type { OpenKeeper } from "../../launch/open.ts";
import { declareFleets, runLoop } from "../loop.ts";
import type { FleetPlan } from "../plan.ts";
import { clean, timeOfDay } from "../text.ts";
import { tick } from "../tick.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import { configurationOf, readFleetFile, withKeeper } from "./edge.ts";
import { printPlans } from "./plan.ts";

export interface AgentFlags extends CommonFlags {
  readonly once?: boolean;
}

/** `fleetkeeper agent`: keeps what the fleet file and the stacks on this ledger ask for, until it is stopped. */
export async function agentCommand(flags: AgentFlags, edge: Edge): Promise<number> {
  const file = readFleetFile(flags);
  const configuration = configurationOf(flags, file, edge);
  return withKeeper(configuration, edge, async (keeper) => {
    const [first] = file?.fleets ?? [];
    if (file && first) await declareFleets(keeper, first.source, file.fleets);
    const { email } = keeper.accountInfo;
    edge.print(
      `fleetkeeper agent: account ${clean(email)} at ${keeper.service.baseUrl}, ledger ${keeper.ledger.location}`,
    );
    const printNews = await newsPrinter(keeper, edge);
    const sayWaits = waitPrinter(edge);
    if (flags.once) {
      const report = await tick(keeper, edge.signal);
      await printNews();
      printPlans(report.plans, edge);
      return report.believed ? 0 : 1;
    }
    await runLoop(
      {
        keeper,
        host: hostname(),
        onTick: (report) => {
          sayWaits(report.plans);
          void printNews();
        },
        onError: (error, retryMs) =>
          edge.tell(
            `${timeOfDay(Date.now())} ${clean(error.message)} Tried again in ${Math.ceil(retryMs / 1000)} s.`,
          ),
      },
      edge.signal,
    );
    await printNews();
    edge.print(
      "fleetkeeper agent: stopped. What runs goes on running, and is kept again when an agent starts.",
    );
    return 0;
  });
}

/** Prints what each fleet waits for, when that changes (a countdown alone is no change). */
function waitPrinter(edge: Edge): (plans: readonly FleetPlan[]) => void {
  const said = new Map<string, string>();
  return (plans) => {
    for (const { fleet, reasons } of plans) {
      const gist = reasons.join("\n").replace(/\d+ s more/g, "");
      if (gist === (said.get(fleet) ?? "")) continue;
      said.set(fleet, gist);
      for (const reason of reasons)
        edge.print(`${timeOfDay(Date.now())} ${clean(fleet, 40)} waits: ${clean(reason)}`);
    }
  };
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
