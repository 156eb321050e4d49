import type { Context } from "../../../launch/facts/context.ts";
import { machineHoldText } from "../../../launch/facts/machine-hold.ts";
import { holdMachine, LONGEST_HOLD_MS, releaseMachine } from "../../../launch/people/machine-hold.ts";
import { waking } from "../../../launch/waking.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { clean } from "../../fleet/text.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import type { LedgerFlags } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";
import { accountKnowing } from "./seen.ts";

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
  return decided(id, flags, cli, (draft, context) => {
    const row = holdMachine(draft, id, context.now.wall + lasts, flags.why, context);
    return `${clean(id)} is ${clean(machineHoldText(row, context.now) ?? "")}. Until then only a deadline, a spent total and fleetkeeper stop --all end it, or fleetkeeper release ${clean(id)}.`;
  });
}

/** `fleetkeeper release ID`: it is stopped as any other again. */
export async function releaseCommand(id: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return decided(id, flags, cli, (draft, context) =>
    releaseMachine(draft, id, context) === "free"
      ? `${clean(id)} is held no more.`
      : `Nobody held ${clean(id)}. Nothing was done.`,
  );
}

async function decided(
  id: string,
  flags: LedgerFlags,
  cli: CliContext,
  decide: (draft: Draft, context: Context) => string,
): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    const account = await accountKnowing(ledger, id);
    cli.print(
      await ledger.decide(
        account,
        waking((draft) => decide(draft, contextHere(cli, ledger))),
      ),
    );
    return 0;
  });
}
