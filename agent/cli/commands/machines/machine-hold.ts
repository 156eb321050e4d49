import { machineHoldText } from "../../../../launch/facts/machine-hold.ts";
import { LONGEST_HOLD_MS } from "../../../../launch/people/machine-hold.ts";
import { milliseconds } from "../../../../service/text/duration.ts";
import { clean } from "../../../fleet/text/text.ts";
import { heldSchema, releasedSchema } from "../../../json/answers.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { withMachine } from "../shared/ordering.ts";

export interface HoldFlags extends LedgerFlags {
  readonly for: string;
  readonly why?: string;
}

const LONGEST_WHY = 200;

/** `fleetkeeper hold ID`: until then no stop that we choose takes the machine. It works without the service. */
export async function holdCommand(id: string, flags: HoldFlags, cli: CliContext): Promise<number> {
  const lasts = milliseconds(flags.for);
  if (!(lasts > 0 && lasts <= LONGEST_HOLD_MS))
    throw mistake(`--for ${clean(flags.for)}: expected a duration such as 30m, 2h or 3d, at most 30d.`);
  if ((flags.why ?? "").length > LONGEST_WHY)
    throw mistake(`--why: expected at most ${LONGEST_WHY} characters.`);
  return withMachine(id, flags, cli, async (machine) => {
    const hold = await machine.give("hold", { for: flags.for, why: flags.why }, heldSchema);
    const { until } = hold;
    const text = machineHoldText({ hold: until === null ? null : { ...hold, until } }, { wall: Date.now() });
    cli.print(
      `${clean(id)} is ${clean(text ?? "")}. Until then only a deadline, a spent total and fleetkeeper stop --all end it, or fleetkeeper release ${clean(id)}.`,
    );
    return 0;
  });
}

/** `fleetkeeper release ID`: it is stopped as any other again. */
export async function releaseCommand(id: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return withMachine(id, flags, cli, async (machine) => {
    const { released } = await machine.give("release", {}, releasedSchema);
    cli.print(released ? `${clean(id)} is held no more.` : `Nobody held ${clean(id)}. Nothing was done.`);
    return 0;
  });
}
