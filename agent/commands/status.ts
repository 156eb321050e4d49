import type { AccountStatus, ShortRow } from "../account-status.ts";
import { ledgerStatus } from "../account-status.ts";
import { clean, gpus, indent, jsonText, table, timeOfDay } from "../text.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import { contextHere, openLedger } from "./ledger.ts";

export interface StatusFlags extends CommonFlags {
  readonly json?: boolean;
}

/** `fleetkeeper status`: what the ledger knows, without asking the service. */
export async function statusCommand(flags: StatusFlags, edge: Edge): Promise<number> {
  const ledger = openLedger(flags, edge);
  try {
    const status = await ledgerStatus(ledger, contextHere(edge));
    if (flags.json) edge.print(jsonText(status));
    else if (status.accounts.length === 0)
      edge.print(`${ledger.location}: this ledger has seen no account yet. Start: fleetkeeper agent`);
    else edge.print(status.accounts.map(format).join("\n\n"));
    return 0;
  } finally {
    ledger.close();
  }
}

/** `fleetkeeper history`: what happened, the newest last. */
export async function historyCommand(
  flags: StatusFlags & { readonly limit: number },
  edge: Edge,
): Promise<number> {
  const ledger = openLedger(flags, edge);
  try {
    for (const { key, email } of await ledger.accounts()) {
      const events = [...(await ledger.events(key, flags.limit))].reverse();
      if (flags.json) {
        for (const event of events) edge.print(jsonText({ account: email, ...event }, 0));
        continue;
      }
      edge.print(`account ${clean(email)}`);
      for (const { at, kind, text } of events)
        edge.print(`  ${new Date(at).toISOString()} ${kind}: ${clean(text)}`);
    }
    return 0;
  } finally {
    ledger.close();
  }
}

function format(status: AccountStatus): string {
  const { balance, agent, list } = status;
  const lines = [
    `account ${clean(status.account)} at ${status.baseUrl} (${status.tenure})`,
    `  agent    ${agent ? `process ${agent.pid} on ${clean(agent.host ?? "?")}` : "none: start one with fleetkeeper agent"}`,
    `  list     ${list === null ? "never taken" : `taken at ${timeOfDay(list)}`}`,
    ...(balance ? [`  balance  ${balance.amount} USD at ${timeOfDay(balance.at)}`] : []),
    ...status.halted.map((reason) => `  HALTED   ${clean(reason)}`),
  ];
  for (const fleet of status.fleets) {
    const price = fleet.pricePerHour === null ? "price not known" : `${fleet.pricePerHour} USD an hour`;
    const { kind } = fleet.standing;
    const until = fleet.until === null || kind === "drained" ? "" : `, until ${fleet.until}`;
    const state = fleet.removed ? ", removed: it drains" : (kind === "kept" ? "" : `, ${kind}`) + until;
    lines.push(
      "",
      `  fleet ${clean(fleet.name)}: ${fleet.runningGpus} of ${gpus(fleet.desiredGpus)} running, ${fleet.startingGpus} starting, ${price}${state}`,
    );
    if (fleet.deployments.length > 0) lines.push(indent(machines(fleet.deployments), "    "));
    const { today, ever, unpriced } = fleet.spent;
    if (Number(ever) > 0)
      lines.push(
        `    about ${today} USD today and ${ever} in all${unpriced > 0 ? ", at least" : ""}: an estimate`,
      );
    for (const reason of fleet.reasons) lines.push(`    ${clean(reason)}`);
  }
  for (const slot of status.deployments) {
    lines.push("", `  deployment ${clean(slot.name)}`, indent(machines(slot.deployments), "    "));
  }
  if (status.launches.length > 0) {
    lines.push("", "  launches that are not resolved (each counts as a machine until it is)");
    for (const launch of status.launches)
      lines.push(`    ${clean(launch.place)} for ${clean(launch.owner)}: ${clean(launch.detail)}`);
  }
  if (status.unaccounted.length > 0) {
    lines.push(
      "",
      "  machines that nobody here answers for: adopt, disown or stop them",
      indent(machines(status.unaccounted), "    "),
    );
  }
  if (status.cooldowns.length > 0) {
    lines.push(
      "",
      `  cooling  ${status.cooldowns.map(({ place, seconds }) => `${clean(place)} (${seconds} s)`).join(", ")}`,
    );
  }
  if (status.events.length > 0) {
    lines.push("", "  lately");
    for (const { at, kind, text } of status.events)
      lines.push(`    ${timeOfDay(at)} ${kind}: ${clean(text, 160)}`);
  }
  return lines.join("\n");
}

function machines(rows: readonly ShortRow[]): string {
  return table(
    ["DEPLOYMENT", "STATUS", "OFFER", "PROVIDER", "LOCATION", "GPUS", "USD/H"],
    rows.map(({ id, status, offer, provider, location, gpus: count, pricePerHour }) => [
      id,
      status,
      offer ?? "?",
      provider ?? "?",
      location ?? "?",
      String(count ?? "?"),
      pricePerHour ?? "?",
    ]),
  );
}
