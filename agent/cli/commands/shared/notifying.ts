import { dirname, resolve } from "node:path";
import type { Dispatcher } from "undici";
import { heldSecrets } from "../../../../account/configuration.ts";
import { openKnownKeeper } from "../../../../account/known-keeper.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { settingsFromEnvironment } from "../../../../launch/facts/settings-environment.ts";
import { proxiedAgent } from "../../../../service/http/proxied-agent.ts";
import { OUTSIDE } from "../../../ask/exchange.ts";
import type { FleetFile } from "../../../fleet/file/fleet-file.ts";
import { resolveTargets, secretsOf, type Target } from "../../../fleet/file/notify-settings.ts";
import { cleanFor } from "../../../fleet/text/text.ts";
import { type Failure, writeOutage } from "../../../status/outage.ts";
import { Secrets } from "../../../tell/log/secrets.ts";
import { delivering, ping } from "../../../tell/notify/deliver.ts";
import { shortText } from "../../../tell/notify/message.ts";
import { Notifier, type NotifierOptions } from "../../../tell/notify/notifier.ts";
import type { CliContext } from "./cli-context.ts";
import { type CommonFlags, configurationOf, fleetFilePath, readFleetFile } from "./flags.ts";

/**
 * Notifies people of an outage from an agent that ends because of it. A service manager starts such an agent
 * again and again. People are told once it has lasted long enough, as by an agent that goes on.
 */
export async function tellFailure(
  failure: Failure,
  flags: CommonFlags,
  cli: CliContext,
  shared?: OpenKeeper["ledger"],
): Promise<void> {
  const file = await readFleetFile(flags);
  const configuration = configurationOf(flags, file, cli);
  const keeper = await openKnownKeeper(
    configuration,
    cli.environment,
    settingsFromEnvironment(cli.environment),
    shared,
  );
  if (!keeper) return;
  const secrets = new Secrets(heldSecrets(configuration));
  const outside = outsideAgent(cli);
  const tell = (text: string): void => cli.tell(cleanFor(cli)(secrets.hide(text), 1000));
  const notifier = notifierOf(keeper, flags, { outside, secrets, say: tell }, cli);
  try {
    notifier.targets = targetsOf(file, secrets, cli);
    await notifier.prepare();
    await writeOutage(keeper, failure);
    notifier.pump();
    await notifier.settled();
  } finally {
    await notifier.close();
    await outside.destroy();
    await keeper.close();
  }
}

export function targetsOf(file: FleetFile | undefined, secrets: Secrets, cli: CliContext): readonly Target[] {
  const targets = resolveTargets(file?.notify ?? [], cli.environment);
  for (const target of targets) secrets.addAll(secretsOf(target));
  return targets;
}

/** For notifications. */
export function outsideAgent({ environment }: Pick<CliContext, "environment">): Dispatcher {
  return proxiedAgent(OUTSIDE, environment);
}

export function notifierOf(
  keeper: OpenKeeper,
  flags: CommonFlags,
  by: {
    readonly outside: Dispatcher;
    readonly secrets: Secrets;
    readonly say: (text: string, level: "info" | "warn") => void;
    readonly mayPing?: NotifierOptions["mayPing"];
  },
  cli: CliContext,
): Notifier {
  const { outside, secrets, say, mayPing } = by;
  return new Notifier({
    ...{ keeper, ...(mayPing && { mayPing }) },
    deliver: delivering({
      agent: outside,
      folder: dirname(resolve(fleetFilePath(flags))),
      environment: cli.environment,
      now: () => new Date(keeper.clock.now().wall),
    }),
    ping: (url, signal) => ping(outside, url, signal),
    show: (text) => shortText(secrets.hide(text)),
    say,
  });
}
