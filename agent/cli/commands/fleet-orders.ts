import type { Context } from "../../../launch/facts/context.ts";
import { waking } from "../../../launch/waking.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import { unhandled } from "../../../service/contract/errors.ts";
import { agentAlive, leaseOf } from "../../fleet/agent-alive.ts";
import { drainFleet, pauseFleet, resumeFleet } from "../../fleet/fleet-orders.ts";
import { wakeFleet } from "../../fleet/lowered-count.ts";
import { clean } from "../../fleet/text.ts";
import type { FleetPhase } from "../../json/status.ts";
import { emergencyStop } from "../../status/emergency-stop.ts";
import { costText } from "../../status/machine-table.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "./confirm.ts";
import type { CommonFlags, LedgerFlags } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";

/** `fleetkeeper pause NAME`: keeps what runs, launches and stops nothing. */
export async function pauseCommand(name: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return order(name, flags, cli, pauseFleet);
}

/** `fleetkeeper resume NAME`: ends a pause or a drain. */
export async function resumeFleetCommand(name: string, flags: CommonFlags, cli: CliContext): Promise<number> {
  const inVain = [flags.baseUrl, flags.profile, flags.account].some((given) => given !== undefined);
  if (inVain)
    throw mistake(
      `resume ${name} goes by the ledger alone: --base-url, --profile and --account are for resume without a name.`,
    );
  return order(name, flags, cli, resumeFleet);
}

/** `fleetkeeper drain NAME`: stops all of a fleet. Nothing is launched for it until it is resumed. */
export async function drainCommand(
  name: string,
  flags: LedgerFlags & { readonly yes?: boolean },
  cli: CliContext,
): Promise<number> {
  const mayDrain: May = async (draft, part, context) => {
    const { machines } = emergencyStop(draft, context);
    const mine = machines.filter(({ owner }) => owner === fleetOwner(part));
    const what =
      mine.length === 0
        ? "nothing of it lives"
        : `${mine.length} of its machines live, ${costText(draft, mine)}`;
    return confirmed(`Drain ${clean(part)} (${what})?`, flags.yes, cli);
  };
  return order(name, flags, cli, drainFleet, mayDrain);
}

/** `fleetkeeper wake NAME`: what was given back of a fleet is wanted again. */
export async function wakeCommand(name: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    const account = await accountOf(ledger, name);
    const woken = await ledger.decide(
      account,
      waking((draft) => wakeFleet(draft, name, contextHere(cli, ledger))),
    );
    cli.print(
      woken === "raised"
        ? `${clean(name)} wants all that it declares again.`
        : `Nothing of ${clean(name)} was given back. Nothing was done.`,
    );
    return 0;
  });
}

type May = (draft: Draft, part: string, context: Context) => Promise<boolean>;

/**
 * Writes an order into the ledger and asks no service: so it works while the service is down. An order for a fleet of several
 * services is one for each of its parts.
 */
async function order(
  name: string,
  flags: LedgerFlags,
  cli: CliContext,
  give: Give,
  may: May = async () => true,
): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    const parts = await partsOf(ledger, name);
    for (const [part, account] of parts)
      if (!(await may(await readDraft({ ledger, account }), part, contextHere(cli, ledger))))
        return STOPPED_BY_PERSON;
    for (const [part, account] of parts) {
      const { stands, hasAgent } = await giveOrder(ledger, account, part, give, cli);
      cli.print(standingText(part, stands));
      if (!hasAgent) cli.print(WITHOUT_AGENT[stands.kind]);
    }
    return 0;
  });
}

export type Give = (draft: Draft, name: string, context: Context) => FleetPhase;

/** Writes one order down, and says whether an agent keeps the account, and so obeys. */
export async function giveOrder(
  ledger: Ledger,
  account: string,
  name: string,
  give: Give,
  cli: CliContext,
): Promise<{ readonly stands: FleetPhase; readonly hasAgent: boolean }> {
  const lease = await leaseOf(ledger, account);
  return ledger.decide(
    account,
    waking((draft) => ({
      stands: give(draft, name, contextHere(cli, ledger)),
      hasAgent: agentAlive(draft, contextHere(cli, ledger), lease),
    })),
  );
}

/** The account of each part of a fleet, by the part's name; of one that has no parts, its own. */
async function partsOf(ledger: Ledger, name: string): Promise<ReadonlyMap<string, string>> {
  const parts = new Map([[name, await accountOf(ledger, name)]]);
  for (const { key } of await ledger.accounts())
    for (const fleet of (await ledger.read(key)).fleets)
      if (fleet.part?.of === name && !fleet.removed) parts.set(fleet.name, key);
  return parts;
}

export async function accountOf(ledger: Ledger, name: string): Promise<string> {
  const account = await ledger.accountOfFleet(name);
  if (account !== undefined) return account;
  const names: string[] = [];
  for (const { key } of await ledger.accounts())
    names.push(...(await ledger.read(key)).fleets.map((fleet) => fleet.name));
  throw mistake(
    `${name}: no such fleet in ${ledger.location}; there are: ${names.join(", ") || "none: an agent writes them down when it starts"}.`,
  );
}

export function standingText(name: string, stands: FleetPhase): string {
  switch (stands.kind) {
    case "kept":
      return `${clean(name)} is kept: machines are launched and stopped until its count is met.`;
    case "paused":
      return `${clean(name)} is paused (${stands.why}): what runs is kept and bills, nothing is launched or stopped.`;
    case "drained":
      return `${clean(name)} drains (${stands.why}): what certainly is its own is stopped, nothing is launched.${DECLARED[stands.by] ?? ""}`;
    default:
      return unhandled(stands);
  }
}

/** What ends a drain that no command can end. */
const DECLARED: Readonly<Partial<Record<(FleetPhase & { kind: "drained" })["by"], string>>> = {
  deadline: " No command takes a deadline back: a later until or a longer life, or none, does.",
  total: " A higher budget.total ends that.",
};

export const WITHOUT_AGENT: Readonly<Record<FleetPhase["kind"], string>> = {
  kept: "No agent runs that does it: fleetkeeper agent",
  paused: "No agent runs now; the next one keeps to it.",
  drained: "No agent runs that stops them: fleetkeeper agent, or all of the account: fleetkeeper stop --all",
};
