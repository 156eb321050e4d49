import { fromEnvironment } from "../../../../account/configuration.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { newId } from "../../../../account/open-ledger.ts";
import { systemClock } from "../../../../ledger/system-clock.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../../service/profile/requirement.ts";
import { resolveTargets } from "../../../fleet/file/notify-settings.ts";
import { severalOf } from "../../../fleet/file/of-service.ts";
import { Holder } from "../../../reconcile/holder.ts";
import { failureOf, isOutage } from "../../../status/outage.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { type AgentFlags, configurationOf, readFleetFile } from "../shared/flags.ts";
import { tellFailure } from "../shared/notifying.ts";
import { keepOpen, withKeeper } from "../shared/opening.ts";
import { keepAccount } from "./account-agent.ts";
import { dryRun } from "./dry-run.ts";
import { keepServices } from "./services-agent.ts";
import { httpOptions, serve, serveWaiting } from "./status-page.ts";

/** `fleetkeeper agent`: keeps what the fleet file and this ledger's stacks ask for, until it is stopped. */
export async function agentCommand(flags: AgentFlags, cli: CliContext): Promise<number> {
  if (flags.dryRun) return dryRun(flags, cli);
  if (!flags.once) cli.stay?.();
  const file = await readFleetFile(flags);
  const settings = () => {
    resolveTargets(file?.notify ?? [], cli.environment);
    const http = flags.once ? undefined : httpOptions(flags.http, cli);
    return { http, asJson: logFormat(flags, cli) === "json" };
  };
  if (file && severalOf(file)) return keepServices({ flags, file, ...settings() }, cli);
  const configuration = configurationOf(flags, file, cli);
  // A mistake in the configuration is reported before anything is asked or changed.
  requirePart(loadProfile(configuration.profile), REQUIREMENTS.list);
  const { http, asJson } = settings();
  const begin = (opened: OpenKeeper): Promise<number> => {
    const { leases } = opened.ledger;
    // One round needs no lease: it is what a person asks for, as `pulumi up` is.
    const holder =
      leases && !flags.once ? new Holder({ leases, id: newId(), clock: systemClock() }) : undefined;
    return keepAccount(
      opened,
      {
        ...{ flags, configuration, file, holder, asJson, token: http?.token },
        serve: (watched, say) => serve(watched, http, say),
        onHangup: (listener) => cli.onHangup?.(listener),
      },
      cli,
    );
  };
  try {
    return await (flags.once
      ? withKeeper(configuration, cli, begin)
      : keepOpen(configuration, cli, begin, { whileDown: () => serveWaiting(http) }));
  } catch (error) {
    if (isOutage(error) && !cli.signal.aborted) await tellFailure(failureOf(error), flags, cli);
    throw error;
  }
}

/** The flag, else the environment, else text for a terminal or `--once`, and JSON for all other readers. */
function logFormat({ logFormat: flag, once }: AgentFlags, cli: CliContext): "text" | "json" {
  const asked = flag ?? fromEnvironment("FLEETKEEPER_LOG_FORMAT", cli.environment);
  if (asked === undefined) return cli.terminal === false && !once ? "json" : "text";
  if (asked === "text" || asked === "json") return asked;
  throw mistake(`FLEETKEEPER_LOG_FORMAT: expected text or json, got ${JSON.stringify(asked)}.`);
}
