import { unhandled } from "../../../../service/contract/errors.ts";
import { clean } from "../../../fleet/text/text.ts";
import { type FleetSaid, fleetSaidSchema, wokenSchema } from "../../../json/answers.ts";
import type { FleetPhase } from "../../../json/status.ts";
import { costText } from "../../../status/machine-table.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import type { CommonFlags, LedgerFlags } from "../shared/flags.ts";
import { type FleetTarget, withFleet } from "../shared/ordering.ts";

/** `fleetkeeper pause NAME`: keeps what runs, launches and stops nothing. */
export async function pauseCommand(name: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return order(name, flags, cli, "pause");
}

/** `fleetkeeper resume NAME`: ends a pause or a drain. */
export async function resumeFleetCommand(name: string, flags: CommonFlags, cli: CliContext): Promise<number> {
  const inVain = [flags.baseUrl, flags.profile, flags.account].some((given) => given !== undefined);
  if (inVain)
    throw mistake(
      `resume ${name} goes by the ledger alone: --base-url, --profile and --account are for resume without a name.`,
    );
  return order(name, flags, cli, "resume");
}

/** `fleetkeeper drain NAME`: stops all of a fleet. Nothing is launched for it until it is resumed. */
export async function drainCommand(
  name: string,
  flags: LedgerFlags & { readonly yes?: boolean },
  cli: CliContext,
): Promise<number> {
  return order(name, flags, cli, "drain", async ({ name: part, machines }) => {
    if (!machines)
      return confirmed(
        `Drain ${clean(part)} (this agent does not keep it now, and does not know its machines)?`,
        flags.yes,
        cli,
      );
    const mine = (await machines()).filter(
      ({ claim, owner }) => claim === "certain" && owner && "fleet" in owner && owner.fleet === part,
    );
    const what =
      mine.length === 0 ? "nothing of it lives" : `${mine.length} of its machines live, ${costText(mine)}`;
    return confirmed(`Drain ${clean(part)} (${what})?`, flags.yes, cli);
  });
}

/** `fleetkeeper wake NAME`: what was given back of a fleet is wanted again. */
export async function wakeCommand(name: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return withFleet(name, flags, cli, async (fleet) => {
    const woken = await fleet.give("wake", wokenSchema);
    cli.print(
      woken.some(({ answer }) => answer.raised)
        ? `${clean(name)} wants all that it declares again.`
        : `Nothing of ${clean(name)} was given back. Nothing was done.`,
    );
    return 0;
  });
}

/**
 * Gives an order that asks no service: so it works while the service is down. An order for a fleet of several services is one for
 * all of its parts.
 */
async function order(
  name: string,
  flags: LedgerFlags,
  cli: CliContext,
  what: "pause" | "resume" | "drain",
  may: (part: FleetTarget["parts"][number]) => Promise<boolean> = async () => true,
): Promise<number> {
  return withFleet(name, flags, cli, async (fleet) => {
    for (const part of fleet.parts) if (!(await may(part))) return STOPPED_BY_PERSON;
    for (const { fleet: part, answer, hasAgent } of await fleet.give(what, fleetSaidSchema)) {
      cli.print(standingText(part, answer));
      if (!hasAgent) cli.print(WITHOUT_AGENT[answer.phase]);
    }
    return 0;
  });
}

export function standingText(name: string, { phase, why, by }: FleetSaid): string {
  switch (phase) {
    case "kept":
      return `${clean(name)} is kept: machines are launched and stopped until its count is met.`;
    case "paused":
      return `${clean(name)} is paused (${why}): what runs is kept and bills, nothing is launched or stopped.`;
    case "drained":
      return `${clean(name)} drains (${why}): what certainly is its own is stopped, nothing is launched.${DECLARED[by ?? "operator"] ?? ""}`;
    default:
      return unhandled(phase);
  }
}

/** What ends a drain that no command can end. */
const DECLARED: Readonly<Partial<Record<NonNullable<FleetSaid["by"]>, string>>> = {
  deadline: " No command takes a deadline back: a later until or a longer life, or none, does.",
  total: " A higher budget.total ends that.",
};

export const WITHOUT_AGENT: Readonly<Record<FleetPhase["kind"], string>> = {
  kept: "No agent runs that does it: fleetkeeper agent",
  paused: "No agent runs now; the next one keeps to it.",
  drained: "No agent runs that stops them: fleetkeeper agent, or all of the account: fleetkeeper stop --all",
};
