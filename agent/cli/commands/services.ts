import { waking } from "../../../launch/waking.ts";
import { hasAgent } from "../../fleet/agent-alive.ts";
import { leavePart, pauseFleet, resumeFleet } from "../../fleet/fleet-orders.ts";
import { serviceOf } from "../../fleet/part.ts";
import { andMore, cleanFor, gpusText, indent, jsonText, table } from "../../fleet/text.ts";
import type { SeenPart } from "../../fleet/whole-parts.ts";
import { parseWish } from "../../fleet/wish.ts";
import type { ServicesFacts } from "../../json/services.ts";
import { serviceParts } from "../../status/services-report.ts";
import { asking } from "./asked.ts";
import { type CliContext, mistake } from "./cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "./confirm.ts";
import type { LedgerFlags } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";

/** `fleetkeeper services`: how each service of a fleet in several stands, from the ledger. */
export async function servicesCommand(
  flags: LedgerFlags & { readonly json?: boolean },
  cli: CliContext,
): Promise<number> {
  return asking("services", {}, flags, cli, async (ask) => {
    const services = await ask();
    cli.print(flags.json ? jsonText(services) : servicesText(services.fleets, cli));
    return 0;
  });
}

const NO_FLEET =
  "No fleet is kept by several services: name them in a fleet file, as in services: [north, south] of the fleet.";

function servicesText(fleets: readonly ServicesFacts[], cli: CliContext): string {
  const clean = cleanFor(cli);
  const headings = ["SERVICE", "STATE", "PORTION", "RUNNING", "COMING", "STOPPING", "UNKNOWN"];
  const texts = fleets.map(({ fleet, gpus, services }) => {
    const rows = services.map(({ service, state, portion, running, starting, stopping, unknown, ahead }) => [
      ...[service, state, ahead > 0 ? `${portion}+${ahead}` : `${portion}`],
      ...[running, starting, stopping, unknown].map(String),
    ]);
    const whys = services.flatMap(({ service, why }) =>
      why.map((text) => `${clean(service)}: ${clean(text, 500)}`),
    );
    return [
      `${clean(fleet)}: ${gpusText(gpus)}`,
      indent([table(headings, rows, clean), ...whys].join("\n")),
    ].join("\n");
  });
  return texts.join("\n\n") || NO_FLEET;
}

interface OrderFlags extends LedgerFlags {
  readonly fleet?: string;
}

/** `fleetkeeper services pause SERVICE`: what its fleets have there is kept, and nothing is launched or stopped there. */
export async function servicesPauseCommand(service: string, flags: OrderFlags, cli: CliContext) {
  return order(service, flags, cli, pauseFleet, "is kept as it is: nothing is launched or stopped there");
}

/** `fleetkeeper services resume SERVICE`: ends a pause or a drain. */
export async function servicesResumeCommand(service: string, flags: OrderFlags, cli: CliContext) {
  return order(service, flags, cli, resumeFleet, "takes its part again of what is missing");
}

/** `fleetkeeper services drain SERVICE`: the share of its fleets moves to their other services. */
export async function servicesDrainCommand(
  service: string,
  flags: OrderFlags & { readonly yes?: boolean },
  cli: CliContext,
): Promise<number> {
  return order(
    service,
    flags,
    cli,
    leavePart,
    "is left: its share moves to the other services",
    async (parts, all) => {
      for (const { fleet, part } of parts) {
        const others = all.filter(
          (each) =>
            each.part.of === part.of &&
            each.fleet.name !== fleet.name &&
            !each.fleet.removed &&
            !each.part.leaving,
        );
        if (others.length === 0)
          throw mistake(
            `${service}: it is the only service left that takes machines of ${part.of}. Resume another one first, or stop all of it: fleetkeeper drain ${part.of}`,
          );
      }
      const names = andMore(parts.map(({ part }) => `${part.of}${aheadText(part.whole)}`));
      return confirmed(`Move all of ${names} away from ${service}?`, flags.yes, cli);
    },
  );
}

function aheadText(whole: Parameters<typeof parseWish>[0]): string {
  const { surge } = parseWish(whole);
  return surge > 0
    ? ` (up to ${gpusText(surge)} more for a while, within its limits)`
    : " (old machines go first: it has no surge)";
}

/** An order for each part that is kept in a service. It asks no service, so it works while that is down. */
async function order(
  service: string,
  flags: OrderFlags,
  cli: CliContext,
  give: typeof pauseFleet,
  what: string,
  may: (parts: readonly SeenPart[], all: readonly SeenPart[]) => Promise<boolean> = async () => true,
): Promise<number> {
  const clean = cleanFor(cli);
  return withLedger(flags, cli, async (ledger) => {
    const all = (await serviceParts(ledger)).filter(({ fleet }) => !fleet.removed);
    const parts = partsIn(service, flags.fleet, all);
    if (!(await may(parts, all))) return STOPPED_BY_PERSON;
    for (const { account, fleet, part } of parts) {
      await ledger.decide(
        account,
        waking((draft) => give(draft, fleet.name, contextHere(cli, ledger))),
      );
      cli.print(`${clean(part.of)}: ${clean(service)} ${what}.`);
      if (!(await hasAgent({ ledger, account }, contextHere(cli, ledger))))
        cli.print("No agent keeps its account now; the next one keeps to it: fleetkeeper agent");
    }
    return 0;
  });
}

function partsIn(service: string, fleet: string | undefined, all: readonly SeenPart[]): readonly SeenPart[] {
  const wholes = [...new Set(all.map(({ part }) => part.of))];
  if (wholes.length === 0) throw mistake(`${service}: ${NO_FLEET}`);
  if (fleet !== undefined && !wholes.includes(fleet))
    throw mistake(
      `--fleet ${fleet}: no fleet of this name is kept by several services; there are: ${wholes.join(", ")}.`,
    );
  const its = all.filter(({ part }) => fleet === undefined || part.of === fleet);
  const parts = its.filter((each) => serviceOf(each.fleet) === service);
  if (parts.length > 0) return parts;
  const names = [...new Set(its.map((each) => serviceOf(each.fleet)))];
  throw mistake(
    `${service}: no fleet in several services has this one; there are: ${names.join(", ")}. A fleet in one service alone: fleetkeeper pause, drain or resume FLEET`,
  );
}
