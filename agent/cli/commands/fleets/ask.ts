import { milliseconds } from "../../../../service/text/duration.ts";
import { askText } from "../../../fleet/size/person-ask.ts";
import { clean, gpusText } from "../../../fleet/text/text.ts";
import { askSaidSchema } from "../../../json/answers.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { withFleet } from "../shared/ordering.ts";
import { standingText, WITHOUT_AGENT } from "./fleet-orders.ts";

export interface AskFlags extends LedgerFlags {
  readonly for?: string;
  readonly why?: string;
  readonly end?: true;
}

const LONGEST_WHY = 200;

/** `fleetkeeper ask NAME GPUS`: so many are asked for, within the fleet's range. It works without the service. */
export async function askCommand(
  name: string,
  gpus: number | undefined,
  flags: AskFlags,
  cli: CliContext,
): Promise<number> {
  const { end, why } = flags;
  if (end ? gpus !== undefined : gpus === undefined)
    throw mistake(
      `ask ${clean(name)}: expected either a number of GPUs, as in fleetkeeper ask ${clean(name)} 16, or --end, which takes back what was asked for.`,
    );
  if (end && (flags.for ?? why) !== undefined)
    throw mistake("--end takes back what was asked for: --for and --why are for a number of GPUs.");
  const lasts = flags.for === undefined ? undefined : milliseconds(flags.for);
  if (lasts !== undefined && !(lasts > 0))
    throw mistake(`--for ${clean(flags.for ?? "")}: expected a duration such as 30m, 4h or 3d.`);
  if ((why ?? "").length > LONGEST_WHY) throw mistake(`--why: expected at most ${LONGEST_WHY} characters.`);
  return withFleet(name, flags, cli, async (fleet) => {
    // A fleet with parts has one size, and refuses it.
    const [part] = await (gpus === undefined
      ? fleet.give("end-ask", askSaidSchema)
      : fleet.give("ask", askSaidSchema, { gpus, for: flags.for, why }));
    const said = part?.answer;
    if (!part || !said?.phase || said.gpus === null) {
      cli.print(`Nobody asks for a number of ${clean(name)}'s GPUs. Nothing was done.`);
      return 0;
    }
    const { gpus: now, asks, phase, ...more } = said;
    if (asks) cli.print(`${clean(name)}: ${clean(askText(name, asks), 500)}.`);
    // All that asks may ask for more than this person, and a pause or a drain wins over it.
    cli.print(
      phase === "kept"
        ? `By all that its size follows, ${gpusText(now)} of ${clean(name)} ${now === 1 ? "is" : "are"} asked for now.`
        : standingText(name, { phase, ...more }),
    );
    if (!part.hasAgent) cli.print(WITHOUT_AGENT[phase]);
    return 0;
  });
}
