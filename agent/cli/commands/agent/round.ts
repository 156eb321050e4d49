import type { OpenKeeper } from "../../../../account/open.ts";
import { tellingSlowLists } from "../../../../account/slow-watch.ts";
import { dueStops } from "../../../../launch/ends/stop.ts";
import { contextOf } from "../../../../launch/keeper.ts";
import { fleetOwner } from "../../../../ledger/owner.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import type { MachineWatch } from "../../../ask/machine-watch.ts";
import { isOver } from "../../../fleet/declare/fleets.ts";
import { storeBudgetAlerts } from "../../../fleet/money/budget-alerts.ts";
import { BALANCE_MS, readBalance } from "../../../fleet/money/read-balance.ts";
import { storeRunway } from "../../../fleet/money/runway.ts";
import { gpusText } from "../../../fleet/text/text.ts";
import { NO_FLEETS } from "../../../planning/told/plan-text.ts";
import { MarketSampler } from "../../../reconcile/market-sampler.ts";
import { MarketWatch } from "../../../reconcile/market-watch.ts";
import type { Reloader } from "../../../reconcile/reload.ts";
import { tick } from "../../../reconcile/tick.ts";
import { fleetReport } from "../../../status/fleet-report.ts";
import { DISTRUSTED, writeOutage } from "../../../status/outage.ts";
import type { Log } from "../../../tell/log/entry.ts";
import { eventTeller } from "../../../tell/log/news.ts";
import type { Notifier } from "../../../tell/notify/notifier.ts";
import type { CliContext } from "../shared/cli-context.ts";

/** A round is the ticks that follow at once, and the ticks that an initial adoption waits for. */
const MOST_TICKS_A_ROUND = 20;

interface RoundWork {
  readonly log: Log;
  readonly reloader: Reloader;
  readonly notifier: Notifier;
  /** Runs what fleets run before a stop. */
  readonly saves: MachineWatch;
}

/** `agent --once`: does what can be done now. Exit code 1 if the list was not believed. */
export async function round(
  given: OpenKeeper,
  { log, reloader, notifier, saves }: RoundWork,
  cli: CliContext,
): Promise<number> {
  const teller = await eventTeller(given, log);
  await reloader.begin();
  await notifier.prepare();
  let telling = Promise.resolve();
  // One after the other: each call tells what is new since the last one.
  const tellEvents = (): Promise<void> => {
    telling = telling.then(teller);
    return telling;
  };
  const keeper = tellingSlowLists(given, () => void tellEvents().catch(() => undefined));
  let report = await tick(keeper, cli.signal);
  await tellEvents();
  // Else a minute of silence looks like a hang.
  if (report.looking) await tellFleets(keeper, log);
  const goesOn = (): boolean => (report.wake === 0 || report.looking) && !cli.signal.aborted;
  for (let ticks = 1; goesOn() && ticks < MOST_TICKS_A_ROUND; ticks++) {
    await keeper.clock.sleep(report.wake, cli.signal).catch(() => undefined);
    report = await tick(keeper, cli.signal);
    await tellEvents();
  }
  // What runs before a stop is waited for: nobody else may come round before its time is up.
  saves.pump();
  await saves.settled();
  if (dueStops(await readDraft(keeper), contextOf(keeper)).length > 0)
    report = await tick(keeper, cli.signal);
  await writeOutage(keeper, report.believed ? undefined : DISTRUSTED);
  await readBalance(keeper, BALANCE_MS, cli.signal);
  const sampler = new MarketSampler(keeper, keeper.ledger);
  if (report.isOfSeveral) await new MarketWatch(keeper, (offers) => sampler.saw(offers)).look(cli.signal);
  sampler.pump(cli.signal);
  await sampler.settled();
  await keeper.ledger.decide(keeper.account, (draft) => {
    storeRunway(draft, contextOf(keeper));
    storeBudgetAlerts(draft, contextOf(keeper));
  });
  await tellEvents();
  await tellFleets(keeper, log);
  await notifier.prepare();
  notifier.pump();
  if (report.believed) notifier.alive();
  await notifier.settled();
  return report.believed ? 0 : 1;
}

/** Logs how each fleet stands now. */
async function tellFleets(keeper: OpenKeeper, log: Log): Promise<void> {
  const draft = await readDraft(keeper);
  const at = keeper.clock.now().wall;
  const fleets = [...draft.fleets.values()].filter((fleet) => !isOver(draft, fleet));
  if (fleets.length === 0) log({ level: "info", kind: "agent", text: NO_FLEETS, at });
  for (const { name } of fleets) {
    const owner = fleetOwner(name);
    const { desiredGpus, runningGpus, startingGpus, reasons } = fleetReport(draft, name, contextOf(keeper));
    const text = `${gpusText(desiredGpus)} asked for, ${runningGpus} running, ${startingGpus} starting`;
    const facts = { desiredGpus, runningGpus, startingGpus };
    log({ level: "info", kind: "agent", text, at, owner, facts });
    for (const reason of reasons) log({ level: "info", kind: "waits", text: reason, at, owner });
  }
}
