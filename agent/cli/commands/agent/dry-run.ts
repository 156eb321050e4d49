import type { OpenKeeper } from "../../../../account/open.ts";
import { isPassing } from "../../../../service/contract/errors.ts";
import { cleanFor, timeOfDay } from "../../../fleet/text/text.ts";
import { planFacts } from "../../../planning/told/fleet-plan.ts";
import { planText } from "../../../planning/told/plan-text.ts";
import { preview } from "../../../reconcile/preview.ts";
import { NOT_BELIEVED } from "../../../status/outage.ts";
import { withoutCountdown } from "../../../tell/log/repetition.ts";
import { asPlanned } from "../fleets/plan.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { printingEnds } from "../shared/cli-context.ts";
import type { CommonFlags } from "../shared/flags.ts";
import { configurationOf, readFleetFile } from "../shared/flags.ts";
import { keepOpen, withKeeper } from "../shared/opening.ts";

/**
 * `fleetkeeper agent --dry-run`: looks as often as the agent, and prints what it would do when that changes.
 * It only reads, and reads the fleet file again each time. The account stays free for an agent.
 */
export async function dryRun(
  flags: CommonFlags & { readonly once?: boolean },
  cli: CliContext,
): Promise<number> {
  const configuration = configurationOf(flags, await readFleetFile(flags), cli);
  const watch = async (keeper: OpenKeeper): Promise<number> => {
    const { clock, settings } = keeper;
    const clean = cleanFor(cli);
    const signal = flags.once ? cli.signal : printingEnds(cli);
    cli.print("Dry run: nothing is launched or stopped.");
    let said = "";
    const say = (text: string): void => {
      const gist = withoutCountdown(text).replace(/[\d.]+ \S+ from now until/g, "");
      if (gist !== said) cli.print(`${timeOfDay(clock.now().wall)}\n${text}`);
      said = gist;
    };
    while (!signal.aborted) {
      try {
        const file = await readFleetFile(flags);
        const { believed, plans } = await preview(
          keeper,
          file && (await asPlanned(keeper, file, cli)),
          signal,
        );
        say(planText(plans.map(planFacts), clean));
        if (flags.once && !believed) cli.tell(NOT_BELIEVED);
        if (flags.once) return believed ? 0 : 1;
      } catch (error) {
        if (signal.aborted) break;
        if (flags.once || !isPassing(error)) throw error;
        say(`${clean(error.message, 1000)} Tried again until it works.`);
      }
      await clock.sleep(settings.poll, signal).catch(() => undefined);
    }
    return 0;
  };
  return flags.once ? withKeeper(configuration, cli, watch) : keepOpen(configuration, cli, watch);
}
