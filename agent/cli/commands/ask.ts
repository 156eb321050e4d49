import { waking } from "../../../launch/waking.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { agentAlive, leaseOf } from "../../fleet/agent-alive.ts";
import { type Answered, askForCount, endAsk } from "../../fleet/ask-for-count.ts";
import { askFacts, askText } from "../../fleet/person-ask.ts";
import { clean, gpusText } from "../../fleet/text.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import type { LedgerFlags } from "./flags.ts";
import { accountOf, standingText, WITHOUT_AGENT } from "./fleet-orders.ts";
import { contextHere, withLedger } from "./ledger.ts";

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
  return withLedger(flags, cli, async (ledger) => {
    const account = await accountOf(ledger, name);
    const lease = await leaseOf(ledger, account);
    const { answered, asks, hasAgent } = await ledger.decide(
      account,
      waking((draft) => {
        const context = contextHere(cli, ledger);
        const until = lasts === undefined ? undefined : context.now.wall + lasts;
        const answered =
          gpus === undefined
            ? endAsk(draft, name, context)
            : askForCount(draft, name, { gpus, until, why }, context);
        const fleet = draft.fleets.get(name);
        return {
          answered,
          asks: (fleet && askFacts(fleet, context)) ?? null,
          hasAgent: agentAlive(draft, context, lease),
        };
      }),
    );
    if (!answered) {
      cli.print(`Nobody asks for a number of ${clean(name)}'s GPUs. Nothing was done.`);
      return 0;
    }
    if (asks) cli.print(`${clean(name)}: ${clean(askText(name, asks), 500)}.`);
    cli.print(answerText(name, answered));
    if (!hasAgent) cli.print(WITHOUT_AGENT[answered.stands.kind]);
    return 0;
  });
}

/** All that asks may ask for more than this person, and a pause or a drain wins over it. */
function answerText(name: string, { gpus, stands }: Answered): string {
  if (stands.kind !== "kept") return standingText(name, stands);
  return `By all that its size follows, ${gpusText(gpus)} of ${clean(name)} ${gpus === 1 ? "is" : "are"} asked for now.`;
}
