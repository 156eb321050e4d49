import { andMore, cleanFor, gpusText, indent, jsonText, table } from "../../../fleet/text/text.ts";
import { doneSchema, leftSchema } from "../../../json/answers.ts";
import type { ServicesFacts } from "../../../json/services.ts";
import { NO_FLEET } from "../../../orders/ledger-orders.ts";
import { asking } from "../shared/asked.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { type WholeTarget, withService } from "../shared/ordering.ts";

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
  return order(service, flags, cli, "pause", "is kept as it is: nothing is launched or stopped there");
}

/** `fleetkeeper services resume SERVICE`: ends a pause or a drain. */
export async function servicesResumeCommand(service: string, flags: OrderFlags, cli: CliContext) {
  return order(service, flags, cli, "resume", "takes its part again of what is missing");
}

/** `fleetkeeper services drain SERVICE`: the share of its fleets moves to their other services. */
export async function servicesDrainCommand(
  service: string,
  flags: OrderFlags & { readonly yes?: boolean },
  cli: CliContext,
): Promise<number> {
  const what = "is left: its share moves to the other services";
  return order(service, flags, cli, "drain", what, async (target) => {
    if (flags.yes) return true;
    const parts = await target.foresee("drain", leftSchema, inputOf(flags));
    const names = andMore(parts.map(({ of, answer }) => `${of}${aheadText(answer.surge)}`));
    return confirmed(`Move all of ${cleanFor(cli)(names)} away from ${service}?`, false, cli);
  });
}

function aheadText(surge: number): string {
  return surge > 0
    ? ` (up to ${gpusText(surge)} more for a while, within its limits)`
    : " (old machines go first: it has no surge)";
}

function inputOf({ fleet }: OrderFlags) {
  return fleet === undefined ? {} : { fleet };
}

/** An order for each part that is kept in a service. It asks no service, so it works while that is down. */
async function order(
  service: string,
  flags: OrderFlags,
  cli: CliContext,
  name: "pause" | "resume" | "drain",
  what: string,
  may: (target: WholeTarget) => Promise<boolean> = async () => true,
): Promise<number> {
  const clean = cleanFor(cli);
  return withService(service, flags, cli, async (target) => {
    if (!(await may(target))) return STOPPED_BY_PERSON;
    for (const { of, hasAgent } of await target.give(name, doneSchema, inputOf(flags))) {
      cli.print(`${clean(of)}: ${clean(service)} ${what}.`);
      if (!hasAgent) cli.print("No agent keeps its account now; the next one keeps to it: fleetkeeper agent");
    }
    return 0;
  });
}
