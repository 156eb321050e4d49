import { machineHoldText } from "../../launch/facts/machine-hold.ts";
import { amountText, usdText } from "../../service/contract/money.ts";
import { budgetTexts } from "../fleet/money/budget-facts.ts";
import { askText } from "../fleet/size/person-ask.ts";
import { ago, duration } from "../fleet/text/format.ts";
import { savingText } from "../fleet/text/saving-text.ts";
import {
  type Clean,
  gpusText,
  indent,
  LONGEST_WHOLE_TEXT,
  type Paint,
  table,
  timeOfDay,
} from "../fleet/text/text.ts";
import type { ShortRow } from "../json/parts.ts";
import type { AccountStatus } from "../json/status.ts";
import { setupText } from "../planning/machines/setup.ts";
import { leftBehindText, matchingText, reusedText } from "./owner-names.ts";
import { returnedByOwner } from "./returned-text.ts";

/** Nobody but an agent ends what runs at its deadline or total. */
function unkeptText(names: readonly string[]): string {
  return `${names.join(", ")}: no agent stops at until or total, and it bills on until the next pulumi up or destroy. Start fleetkeeper agent`;
}

/** One account's status, for people. `now`: wall time in ms. `clean` cuts what a screen has no room for. */
export function statusText(status: AccountStatus, now: number, paint: Paint, clean: Clean): string {
  const { balance, agent, list, outage, slowSince } = status;
  const lines = [
    `account ${clean(status.account)} at ${status.baseUrl} (${status.tenure})`,
    `  agent    ${agent ? agentText(agent, now, clean) : paint("yellow", "none: start one with fleetkeeper agent")}`,
    `  list     ${list === null ? "never taken" : listText(status, list, now)}`,
    ...(status.unkept.length === 0
      ? []
      : [paint("red", `  UNKEPT   ${clean(unkeptText(status.unkept), 1_000)}`)]),
    ...(slowSince === null ? [] : [paint("yellow", `  SLOW     ${slowText(slowSince, now)}`)]),
    ...(outage ? [paint("red", `  OUTAGE   ${outageText(outage, now, clean)}`)] : []),
    ...(balance
      ? [`  balance  ${amountText(balance.amount, status.currency)}, read ${moment(balance.at, now)}`]
      : []),
    ...runwayLine(status, paint),
    ...budgetTexts(status.budgets, status.currency, clean).map((text) => `  limit    ${text}`),
    ...status.halted.map((reason) => paint("red", `  HALTED   ${clean(reason, 1_000)}`)),
    ...returnedByOwner(status.returned).map(({ text }) => paint("red", `  HELD     ${clean(text, 1_000)}`)),
    ...status.notServing.map(({ text }) => paint("red", `  IDLE     ${clean(text, 1_000)}`)),
    ...status.notStopping.map(({ text }) => paint("red", `  STUCK    ${clean(text, 1_000)}`)),
  ];
  for (const fleet of status.fleets) {
    const old = status.fresh || list === null ? "" : ` (as of ${shortTime(list, now)}, ${ago(list, now)})`;
    const price =
      fleet.pricePerHour === null
        ? "price not known"
        : `${amountText(fleet.pricePerHour, status.currency)} an hour`;
    const { kind } = fleet.standing;
    const until = fleet.until === null || kind === "drained" ? "" : `, until ${fleet.until}`;
    const state = fleet.removed ? ", removed: it drains" : (kind === "kept" ? "" : `, ${kind}`) + until;
    lines.push(
      "",
      paint(
        fleet.met && kind === "kept" && status.fresh ? "green" : "yellow",
        `  fleet ${clean(fleet.name)}: ${fleet.runningGpus} of ${gpusText(kind === "drained" ? fleet.wishedGpus : fleet.desiredGpus)} running${readyText(fleet)}, ${fleet.startingGpus} starting, ${price}${state}${old}`,
      ),
    );
    if (fleet.deployments.length > 0)
      lines.push(indent(machines(fleet.deployments, status.currency, clean, now), "    "));
    const { today, refundedToday, ever, unpriced } = fleet.spent;
    const refund = Number(refundedToday) > 0 ? ` (after ${usdText(refundedToday)} that were refunded)` : "";
    if (Number(ever) > 0 || refund !== "")
      lines.push(
        `    about ${amountText(today, status.currency)} today${refund} and ${usdText(ever)} in all${unpriced > 0 ? ", at least" : ""}: an estimate, ${status.billing}`,
      );
    for (const { id, setup } of fleet.deployments)
      if (setup && setup.state !== "done" && setup.said !== null)
        lines.push(`    ${clean(id)}, ${setupText(setup)}: ${clean(setup.said)}`);
    if (fleet.metric && fleet.metric.value !== null)
      lines.push(`    metric ${fleet.metric.value}, read ${moment(fleet.metric.at ?? now, now)}`);
    if (fleet.ask) lines.push(`    ${clean(askText(fleet.name, fleet.ask))}`);
    for (const reason of fleet.reasons) lines.push(`    ${clean(reason)}`);
  }
  for (const slot of status.deployments) {
    lines.push(
      "",
      `  deployment ${clean(slot.name)}`,
      indent(machines(slot.deployments, status.currency, clean, now), "    "),
    );
  }
  if (status.launches.length > 0) {
    lines.push("", "  launches that are not resolved (each counts as a machine until it is)");
    for (const launch of status.launches)
      lines.push(`    ${clean(launch.place)} for ${clean(launch.owner)}: ${clean(launch.detail)}`);
  }
  if (status.unaccounted.length > 0) {
    lines.push(
      "",
      status.matching.length > 0
        ? paint(
            "yellow",
            `  machines that nobody here answers for yet: ${clean(matchingText(status.matching), LONGEST_WHOLE_TEXT)}`,
          )
        : paint(
            "red",
            "  machines that nobody here answers for: adopt or disown each, or stop it in the service's dashboard",
          ),
      indent(machines(status.unaccounted, status.currency, clean, now), "    "),
    );
    for (const { id, unheld, reused } of status.unaccounted) {
      if (unheld !== null) lines.push(`    ${clean(leftBehindText(id, unheld), LONGEST_WHOLE_TEXT)}`);
      if (reused !== null) lines.push(`    ${clean(reusedText(id, reused), LONGEST_WHOLE_TEXT)}`);
    }
  }
  if (status.badRecords.length > 0) {
    lines.push("", paint("red", "  records of the service that cannot be read"));
    for (const { deployment, text } of status.badRecords.slice(0, MOST_RECORDS))
      lines.push(`    ${deployment === null ? "" : `${clean(deployment, 80)}: `}${clean(text, 600)}`);
    const more = status.badRecords.length - MOST_RECORDS;
    if (more > 0) lines.push(`    and ${more} more: fleetkeeper status --json`);
  }
  if (status.cooldowns.length > 0) {
    lines.push(
      "",
      `  cooling  ${status.cooldowns.map(({ place, seconds }) => `${clean(place)} (${seconds} s)`).join(", ")}`,
    );
  }
  if (status.events.length > 0) {
    lines.push("", "  lately");
    for (const { at, kind, name, text } of status.events)
      lines.push(
        `    ${timeOn(at, now)} ${name === null ? "" : `${clean(name, 40)} `}${kind}: ${clean(text, 160)}`,
      );
  }
  return lines.join("\n");
}

const MOST_RECORDS = 10;

function runwayLine(
  { runway: { seconds, short, pricePerHour, unpriced }, currency }: AccountStatus,
  paint: Paint,
): readonly string[] {
  if (seconds === null) return [];
  const [lasts, costs] = unpriced > 0 ? ["at most ", " or more"] : ["", ""];
  const text = `${lasts}${duration(seconds * 1000)} more, at ${amountText(pricePerHour, currency)} an hour${costs}`;
  if (!short) return [`  runway   ${text}`];
  return [paint("yellow", `  RUNWAY   ${text}: credits can be bought in the service's dashboard only`)];
}

/** Who keeps the account, and since when. */
function agentText(
  { pid, host, since }: NonNullable<AccountStatus["agent"]>,
  now: number,
  clean: Clean,
): string {
  return `process ${pid} on ${clean(host ?? "?")}${since === null ? "" : `, since ${shortTime(since, now)}`}`;
}

/** All that follows comes from the list: says so where it is old, or where no agent takes new ones. */
function listText({ agent, fresh }: AccountStatus, list: number, now: number): string {
  const why = agent === null ? "no agent runs, and what" : "what";
  return `taken ${moment(list, now)}${agent !== null && fresh ? "" : `: ${why} follows may have changed since`}`;
}

function outageText(
  { kind, since, reason }: NonNullable<AccountStatus["outage"]>,
  now: number,
  clean: Clean,
): string {
  const what = kind === "refused" ? "the service refuses the key" : "the service cannot be read";
  return `${what} since ${shortTime(since, now)} (${duration(now - since)}): ${clean(reason, 1000)}`;
}

function slowText(since: number, now: number): string {
  return `lists take longer than one poll interval since ${shortTime(since, now)}: nothing new is decided before one has ended. See fleetkeeper history`;
}

function shortTime(wall: number, now: number): string {
  return timeOn(wall, now).replace(/:\d\d$/, "");
}

function moment(wall: number, now: number): string {
  return `at ${timeOn(wall, now)} (${ago(wall, now)})`;
}

/** With the day where it is not today's. */
function timeOn(wall: number, now: number): string {
  const day = (at: number): string => new Date(at).toLocaleDateString("sv");
  return day(wall) === day(now) ? timeOfDay(wall) : `${day(wall)} ${timeOfDay(wall)}`;
}

type Shown = ShortRow & { readonly idleSince?: number | null };

function machines(rows: readonly Shown[], currency: string, clean: Clean, wall: number): string {
  return table(
    ["DEPLOYMENT", "STATUS", "OFFER", "PROVIDER", "LOCATION", "GPUS", `${currency}/H`],
    rows.map(
      ({
        id,
        status,
        offer,
        provider,
        location,
        gpus: count,
        pricePerHour,
        setup,
        health,
        hold,
        idleSince,
        beforeStop,
      }) => [
        id,
        [
          status,
          setupText(setup),
          healthText(health),
          ...(typeof idleSince === "number" ? [`idle for ${duration(wall - idleSince)}`] : []),
          machineHoldText({ hold }, { wall }),
          savingText({ beforeStop }, wall),
        ]
          .filter((each) => each !== undefined)
          .join(", "),
        offer ?? "?",
        provider ?? "?",
        location ?? "?",
        String(count ?? "?"),
        usdText(pricePerHour),
      ],
    ),
    clean,
  );
}

/** Of a machine that is not as it should be. */
function healthText(health: ShortRow["health"]): string | undefined {
  return health?.good === false ? `bad for ${duration(health.badSeconds * 1000)}: ${health.why}` : undefined;
}

function readyText({ readyGpus }: AccountStatus["fleets"][number]): string {
  return readyGpus === null ? "" : ` (${readyGpus} ready)`;
}
