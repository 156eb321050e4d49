import { dirname, resolve } from "node:path";
import { resolveTargets, secretsOf, type Target } from "../../../fleet/file/notify-settings.ts";
import { Secrets } from "../../../tell/log/secrets.ts";
import { delivering, ping } from "../../../tell/notify/deliver.ts";
import { type Message, shortText } from "../../../tell/notify/message.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { STOPPED_BY_PERSON } from "../shared/confirm.ts";
import { type CommonFlags, fleetFilePath, readFleetFile } from "../shared/flags.ts";
import { outsideAgent } from "../shared/notifying.ts";

/** `fleetkeeper notify test`: sends a test to every target of the fleet file, and says which took it. */
export async function notifyTestCommand(flags: CommonFlags, cli: CliContext): Promise<number> {
  const file = await readFleetFile(flags);
  const path = resolve(fleetFilePath(flags));
  const targets = file ? resolveTargets(file.notify, cli.environment) : [];
  if (targets.length === 0) {
    throw mistake(
      file
        ? `${path} names nobody to be told: add notify to it.`
        : `There is no ${path}, and --config names none.`,
    );
  }
  const agent = outsideAgent(cli);
  const now = (): Date => new Date();
  const deliver = delivering({ agent, folder: dirname(path), environment: cli.environment, now });
  const secrets = new Secrets(targets.flatMap(secretsOf));
  const tell = async (target: Target): Promise<boolean> => {
    try {
      if (target.way === "ping") await ping(agent, target.url, cli.signal);
      else await deliver(target, testMessage(now()), cli.signal);
      cli.print(`${shortText(target.id)}: told`);
      return true;
    } catch (error) {
      if (!cli.signal.aborted)
        cli.print(`${shortText(target.id)}: ${shortText(secrets.hide((error as Error).message))}`);
      return false;
    }
  };
  try {
    const told = await Promise.all(targets.map(tell));
    if (cli.signal.aborted) return STOPPED_BY_PERSON;
    return told.includes(false) ? 1 : 0;
  } finally {
    await agent.destroy();
  }
}

function testMessage(now: Date): Message {
  const text = "this is a test: nothing has happened";
  const ofNobody = { fleet: null, slot: null, name: null, deployment: null, connection: null };
  const alert = { id: "test", kind: "test", at: now.toISOString(), ...ofNobody, text };
  const at = now.getTime();
  return { id: `fk_test_${at}`, at, account: "test", alerts: [alert], more: 0, fleets: {} };
}
