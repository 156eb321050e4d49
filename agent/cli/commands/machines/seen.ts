import { clean } from "../../../fleet/text/text.ts";
import { seenSchema } from "../../../json/answers.ts";
import type { CliContext } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { type Target, withEach, withMachine } from "../shared/ordering.ts";

/** `fleetkeeper seen [ID]`: puts away one failure for the service's support, or all. */
export async function seenCommand(
  id: string | undefined,
  flags: LedgerFlags,
  cli: CliContext,
): Promise<number> {
  const putAway = async (targets: readonly Target[]): Promise<number> => {
    const put: string[] = [];
    for (const each of targets) put.push(...(await each.give("seen", {}, seenSchema)).seen);
    cli.print(
      put.length > 0
        ? `Put away: ${put.map((each) => clean(each)).join(", ")}. It stays in fleetkeeper history.`
        : "There was nothing to put away.",
    );
    return 0;
  };
  return id === undefined
    ? withEach(flags, cli, putAway)
    : withMachine(id, flags, cli, (machine) => putAway([machine]));
}
