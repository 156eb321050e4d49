import { Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import { unservingOf } from "../../../../launch/ends/unserving.ts";
import type { Context } from "../../../../launch/facts/context.ts";
import { coolingFor } from "../../../../launch/facts/cooling.ts";
import { livingOf } from "../../../../launch/facts/occupancy.ts";
import { priceOf } from "../../../../launch/money/price.ts";
import { whoseBudget } from "../../../../launch/money/shared-budget.ts";
import { haltsOf } from "../../../../launch/people/operator.ts";
import { toBeJudged } from "../../../../launch/people/slot.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { age, elapsed } from "../../../../ledger/instant.ts";
import { fleetOwner } from "../../../../ledger/owner.ts";
import { USD } from "../../../../service/contract/money.ts";
import { isOver } from "../../../fleet/declare/fleets.ts";
import { budgetFacts } from "../../../fleet/money/budget-facts.ts";
import { hourly, moneyOf } from "../../../fleet/money/money.ts";
import { spentBy } from "../../../fleet/money/spend.ts";
import { asWhole, scheduleOf } from "../../../fleet/size/asked-size.ts";
import { clean } from "../../../fleet/text/text.ts";
import { askedAt } from "../../../fleet/wish/schedule.ts";
import { parseWish } from "../../../fleet/wish/wish.ts";
import type { WholeStatus } from "../../../json/whole.ts";
import { count } from "../../../planning/count/count.ts";
import { wishInForce } from "../../../planning/count/wish-in-force.ts";
import { unhealthyOf, watchedFleets } from "../../../planning/machines/health.ts";
import { idleGpus } from "../../../planning/machines/idle.ts";
import { readyGpus } from "../../../planning/machines/readiness.ts";
import { setupOf } from "../../../planning/machines/setup.ts";
import type { Recovery } from "./chart-sampler.ts";
import { labelsOf, lossesOf } from "./losses.ts";
import type { Pulse } from "./pulse.ts";
import type { Operation } from "./timed-service.ts";

/** The forms of the metrics, by the media type that asks for each. */
export const METRICS_TYPES: Readonly<Record<string, string>> = {
  "text/plain": Registry.PROMETHEUS_CONTENT_TYPE,
  "application/openmetrics-text": Registry.OPENMETRICS_CONTENT_TYPE,
};

/**
 * Metrics in the older text format. The library itself would call counters `fleetkeeper_losses` there: rules and
 * dashboards have one name for each series.
 */
export function asPlainText(openMetrics: string): string {
  return openMetrics
    .replace(/^# HELP (\S+) (.*)\n# TYPE \1 counter$/gm, "# HELP $1_total $2\n# TYPE $1_total counter")
    .replace(/# EOF\n$/, "");
}

/** What a scrape shows, beside the counters since the start. */
interface Scraped {
  readonly draft: Draft;
  readonly context: Context;
  readonly pulse: Pulse;
  /** Since when each short fleet is below its count, wall time in ms. */
  readonly short: ReadonlyMap<string, number>;
  /** The fleets that this account keeps with others, as one. */
  readonly wholes: readonly WholeStatus[];
}

/** An unknown value is absent: 0 would be wrong. */
function setKnown(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

export interface Metrics {
  request(operation: Operation, outcome: string, seconds: number): void;
  recovered(recovery: Recovery): void;
  /** All metrics in OpenMetrics text. */
  scrape(now: Scraped): Promise<string>;
}

/**
 * All that /metrics shows. Labels are bounded: this ledger's fleets, the operations and outcomes of our code,
 * and a fixed number of failure codes. No label is an id, a place or a text of the service.
 */
export function createMetrics(version: string, currency: string = USD): Metrics {
  // The unit is part of a name, so another currency has names of its own.
  const unit = currency.toLowerCase();
  const registry = new Registry(Registry.OPENMETRICS_CONTENT_TYPE);
  const called = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) => ({
    registers: [registry],
    name: `fleetkeeper_${name}`,
    help,
    labelNames,
  });
  const gauge = (name: string, help: string): Gauge => new Gauge(called(name, help));
  const fleetGauge = (name: string, help: string) => new Gauge(called(`fleet_${name}`, help, "fleet"));

  new Gauge(called("build_info", "Always 1; the version is the label.", "version")).set({ version }, 1);

  const perFleet = {
    desired: fleetGauge("desired_gpus", "GPUs that are asked for."),
    next: fleetGauge("next_gpus", "GPUs that its schedule asks for next; absent without a change to come."),
    nextAt: fleetGauge("next_gpus_timestamp_seconds", "When it does."),
    metric: fleetGauge("metric_value", "What the metric that its size follows said last."),
    metricAge: fleetGauge("metric_age_seconds", "How long ago that was asked for."),
    metricUnknown: fleetGauge(
      "metric_unknown",
      "1 while no answer of the metric is believed and the size stays; absent without a metric.",
    ),
    live: fleetGauge("live_gpus", "GPUs that run or are on their way."),
    running: fleetGauge("running_gpus", "GPUs that run."),
    starting: fleetGauge(
      "starting_gpus",
      "GPUs on their way, those of launches with an unknown outcome among them.",
    ),
    stopping: fleetGauge("stopping_gpus", "GPUs that are being stopped and are still paid for."),
    unknown: fleetGauge("unknown_launches", "Launches whose outcome is not known yet."),
    perHour: fleetGauge(
      `${unit}_per_hour`,
      `${currency} an hour of its machines; absent where a price is not known.`,
    ),
    ready: fleetGauge(
      "ready_gpus",
      "GPUs of machines that are ready by the fleet's own check; absent without one.",
    ),
    unhealthy: fleetGauge(
      "unhealthy_machines",
      "Machines that are bad by the fleet's health check for as long as it says; absent without one.",
    ),
    idle: fleetGauge(
      "idle_gpus",
      "GPUs of machines that have been idle for as long as the fleet says; absent without such a check.",
    ),
    spent: fleetGauge(
      `spent_${unit}`,
      `${currency} that it has cost so far: an estimate, without machines of unknown price.`,
    ),
    setup: new Gauge(
      called("setup", "Running machines by the state of the fleet's setup.", "fleet", "state"),
    ),
    held: new Gauge(called("held", "1 for each kind of hold on its launches.", "fleet", "kind")),
    short: fleetGauge("short_seconds", "How long it has been below its count after a loss; 0: it is not."),
  };
  const wholeGauge = (name: string, help: string) => new Gauge(called(`whole_${name}`, help, "fleet"));
  const perWhole = {
    desired: wholeGauge("desired_gpus", "GPUs that are asked for over all of its services."),
    running: wholeGauge("running_gpus", "GPUs that run in any of its services."),
    starting: wholeGauge("starting_gpus", "GPUs that are on their way in any of its services."),
    perHour: wholeGauge(
      `${unit}_per_hour`,
      `${currency} an hour over its services; absent where a price is not known or they count in several currencies.`,
    ),
    spent: wholeGauge(`spent_${unit}`, `${currency} that it has cost over its services: an estimate.`),
    runway: wholeGauge(
      "runway_seconds",
      "How long until its total, its deadline or a balance ends something of it; absent where nothing is known to.",
    ),
  };
  const budgetGauge = (name: string, help: string) => new Gauge(called(name, help, "budget", "period"));
  const perBudget = {
    limit: budgetGauge(
      `budget_${unit}`,
      `${currency} of a limit over a label or the account; a day or in all.`,
    ),
    spent: budgetGauge(`budget_spent_${unit}`, `${currency} of it that are spent: an estimate.`),
  };
  const part = new Gauge(
    called(
      "fleet_part",
      "1 for each fleet that is a part of one over several services; whole is that one's name.",
      "fleet",
      "whole",
    ),
  );
  const gauges = {
    unaccounted: gauge("unaccounted_machines", "Machines that live and that nobody here answers for."),
    unaccountedPerHour: gauge(
      `unaccounted_${unit}_per_hour`,
      `${currency} an hour of those of them whose price is known: at least so much.`,
    ),
    unaccountedUnpriced: gauge("unaccounted_unpriced_machines", "Those of them whose price is not known."),
    notServing: gauge(
      "not_serving_machines",
      "Machines that are billed and do not serve, by a state that the profile says to replace.",
    ),
    perHour: gauge(
      `${unit}_per_hour`,
      `${currency} an hour of everything in the account whose price is known.`,
    ),
    unpriced: gauge("unpriced_machines", "Machines that live and whose price is not known."),
    balance: gauge(`balance_${unit}`, "Credit balance as last read; absent until then."),
    balanceAge: gauge("balance_age_seconds", "How long ago the balance was read."),
    runway: gauge(
      "runway_seconds",
      "How long the balance lasts at this rate; +Inf where nothing is spent, absent where it is not known.",
    ),
    cooldowns: gauge("cooldowns", "Combinations that the service suppresses now."),
    cooldownLongest: gauge("cooldown_longest_seconds", "When the last of them clears."),
    halted: gauge("halted_profiles", "Wire profiles in use under which no launch may be sent."),
    listAge: gauge("list_age_seconds", "How long ago the newest list that was believed was taken."),
    tickAge: gauge("tick_age_seconds", "How long ago the loop last came round."),
  };
  const losses = new Counter(
    called(
      "losses",
      "Machines that failed, were interrupted or went missing, as the ledger knows them.",
      "kind",
      "code",
    ),
  );
  const ticks = new Counter(
    called(
      "ticks",
      "Rounds of the loop since it started. distrusted: the list was not believed. failed: there was none.",
      "outcome",
    ),
  );
  const requests = new Histogram({
    ...called(
      "request_duration_seconds",
      "How long the service took to answer, all pages of a list and waits for a turn included.",
      "operation",
      "outcome",
    ),
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  });
  const recoveries = new Histogram({
    ...called(
      "fleet_recovery_seconds",
      "How long fleets took from a loss until as many GPUs ran again as were asked for.",
      "fleet",
    ),
    buckets: [30, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 24 * 3600],
  });

  /** Sets all values without an await: two scrapes at once must not mix. */
  function setAll({ draft, context, pulse, short, wholes }: Scraped): void {
    const all = [...Object.values(perFleet), ...Object.values(perWhole), ...Object.values(gauges)];
    for (const each of [...all, part, losses, ticks]) each.reset();
    setFleets(draft, context, short);
    for (const each of wholes) setWhole(each);
    setMoney(draft, context);
    const { account } = draft;
    const cooling = [...draft.cooldowns.values()].map((row) => coolingFor(row, context));
    gauges.cooldowns.set(cooling.filter((ms) => ms > 0).length);
    gauges.cooldownLongest.set(Math.max(0, ...cooling) / 1000);
    gauges.halted.set(haltsOf(account).length > 0 ? 1 : 0);
    setKnown(gauges.listAge, account.list ? elapsed(account.list, context.now) / 1000 : undefined);
    gauges.tickAge.set(pulse.age() / 1000);
    ticks.inc({ outcome: "ok" }, pulse.ticks - pulse.distrusted);
    ticks.inc({ outcome: "distrusted" }, pulse.distrusted);
    ticks.inc({ outcome: "failed" }, pulse.failed);
    const lost = lossesOf(draft);
    const archived = draft.archive.losses();
    const labelOf = labelsOf([...archived, ...lost]);
    for (const { kind, code, count } of archived) losses.inc({ kind, code: labelOf(code) }, count);
    for (const { kind, code } of lost) losses.inc({ kind, code: labelOf(code) });
  }

  function setFleets(draft: Draft, context: Context, short: ReadonlyMap<string, number>): void {
    for (const row of draft.fleets.values()) {
      if (isOver(draft, row)) continue;
      const fleet = clean(row.name, 80);
      if (row.part) part.set({ fleet, whole: clean(row.part.of, 80) }, 1);
      const owner = fleetOwner(row.name);
      const counted = count(draft, row, context);
      perFleet.desired.set({ fleet }, wishInForce(draft, row, context).gpus);
      const schedule = scheduleOf(asWhole(row), context);
      const { known, problem } = row.metric ?? {};
      const next = schedule && askedAt(schedule, context.now.wall).next;
      if (next) {
        perFleet.next.set({ fleet }, next.gpus);
        perFleet.nextAt.set({ fleet }, next.at / 1000);
      }
      if (known) {
        perFleet.metric.set({ fleet }, Number(known.value));
        perFleet.metricAge.set({ fleet }, age(known.at, context.now) / 1000);
      }
      if (parseWish(asWhole(row).wish).metric) perFleet.metricUnknown.set({ fleet }, problem ? 1 : 0);
      for (const what of ["running", "starting", "stopping", "live"] as const)
        perFleet[what].set({ fleet }, counted[what]);
      const launches = [...draft.intents.of("owner", owner)];
      perFleet.unknown.set({ fleet }, launches.filter(({ state }) => state === "open").length);
      const prices = livingOf(draft, owner).map((each) => priceOf(draft, each));
      const perHour = prices.reduce((sum, price) => sum + Number(price), 0);
      if (prices.every((price) => price !== undefined)) perFleet.perHour.set({ fleet }, perHour);
      const ready = readyGpus(draft, row, context);
      if (ready !== undefined) perFleet.ready.set({ fleet }, ready);
      for (const { state } of livingOf(draft, owner).flatMap((each) => setupOf(draft, each) ?? []))
        perFleet.setup.inc({ fleet, state });
      const idle = idleGpus(draft, row, context);
      if (idle !== undefined) perFleet.idle.set({ fleet }, idle);
      const watched = watchedFleets(draft, context).find(({ name }) => name === row.name);
      if (watched) perFleet.unhealthy.set({ fleet }, unhealthyOf(draft, watched).length);
      perFleet.spent.set({ fleet }, Number(spentBy(draft, row.name, context).ever));
      for (const { kind } of row.holds ?? []) perFleet.held.set({ fleet, kind: clean(kind, 80) }, 1);
      const since = short.get(row.name);
      perFleet.short.set({ fleet }, since === undefined ? 0 : Math.max(0, context.now.wall - since) / 1000);
    }
  }

  function setWhole({ name, currency: its, pricePerHour, spent, runway, ...whole }: WholeStatus): void {
    const fleet = clean(name, 80);
    perWhole.desired.set({ fleet }, whole.desiredGpus);
    perWhole.running.set({ fleet }, whole.runningGpus);
    perWhole.starting.set({ fleet }, whole.startingGpus);
    if (its === currency && pricePerHour !== null) perWhole.perHour.set({ fleet }, Number(pricePerHour));
    if (its === currency && spent) perWhole.spent.set({ fleet }, Number(spent.ever));
    if (runway) perWhole.runway.set({ fleet }, runway.seconds);
  }

  function setBudgets(draft: Draft, context: Context): void {
    for (const gauge of Object.values(perBudget)) gauge.reset();
    for (const { label, perDay, total } of budgetFacts(draft, context)) {
      const budget = whoseBudget({ label });
      for (const [period, of] of Object.entries({ day: perDay, all: total })) {
        if (of) perBudget.limit.set({ budget, period }, Number(of.limit));
        if (of) perBudget.spent.set({ budget, period }, Number(of.spent));
      }
    }
  }

  function setMoney(draft: Draft, context: Context): void {
    setBudgets(draft, context);
    const { balance, perHour, unpriced, runway } = moneyOf(draft);
    gauges.perHour.set(Number(perHour));
    gauges.unpriced.set(unpriced);
    const strangers = toBeJudged(draft, context.now);
    gauges.unaccounted.set(strangers.length);
    const theirs = hourly(draft, strangers);
    gauges.unaccountedPerHour.set(Number(theirs.perHour));
    gauges.unaccountedUnpriced.set(theirs.unpriced);
    gauges.notServing.set(unservingOf(draft, context).length);
    setKnown(gauges.balance, balance === undefined ? undefined : Number(balance));
    const { balance: read } = draft.account;
    setKnown(gauges.balanceAge, read ? elapsed(read.begun, context.now) / 1000 : undefined);
    const known = balance !== undefined && unpriced === 0;
    const seconds = runway === undefined ? Number.POSITIVE_INFINITY : runway / 1000;
    setKnown(gauges.runway, known ? seconds : undefined);
  }

  return {
    request: (operation, outcome, seconds) => requests.observe({ operation, outcome }, seconds),
    recovered: ({ fleet, ms }) => recoveries.observe({ fleet: clean(fleet, 80) }, ms / 1000),
    scrape: async (now) => {
      setAll(now);
      return registry.metrics();
    },
  };
}
