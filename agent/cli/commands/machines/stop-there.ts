import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { FleetkeeperError, isDown } from "../../../../service/contract/errors.ts";
import { savingText } from "../../../fleet/text/saving-text.ts";
import { clean } from "../../../fleet/text/text.ts";
import { stoppedSchema } from "../../../json/answers.ts";
import { type DeploymentFacts, deploymentShownSchema } from "../../../json/deployments.ts";
import type { AgentAddress } from "../../../remote/agent-address.ts";
import { PATHS } from "../../../remote/paths.ts";
import { costText } from "../../../status/machine-table.ts";
import { whoseText } from "../../../status/owner-names.ts";
import { type RemoteAccount, withAccounts } from "../shared/by-agent.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import type { CommonFlags } from "../shared/flags.ts";
import { accountOfMachine } from "../shared/ordering.ts";
import { teller, tellTrouble } from "./await-end.ts";

export interface StopFlags extends CommonFlags {
  readonly yes?: boolean;
  /** False: `--no-wait`. */
  readonly wait?: boolean;
}

export interface StopOneFlags extends StopFlags {
  /** Its fleet wants so many GPUs less from then on. */
  readonly shrink?: boolean;
  /** Nothing runs before it. */
  readonly now?: boolean;
}

export function stopQuestion(facts: DeploymentFacts): string {
  const { id, offer, provider, location } = facts;
  const where = `${offer ?? "?"} @ ${provider ?? "?"}/${location ?? "?"}`;
  return `Stop ${clean(id)} (${clean(where)}, ${costText([facts])}, ${clean(whoseText(facts))})?`;
}

/** The wait between two looks at a stop that the agent carries out. */
const LOOK_MS = 2_000;
/** An agent sends a stop at its next tick, which begins at once. */
const SENT_WITHIN_MS = 30_000;

export const GOES_ON = "The stop is written down, and the agent goes on with it.";

/** As a dry run says it. */
const foreseenSchema = z.object({ warning: z.string().nullable() });

/** `fleetkeeper deployments stop ID` by the agent, which carries the stop out. */
export async function stopThere(
  id: string,
  agent: AgentAddress,
  flags: StopOneFlags,
  cli: CliContext,
): Promise<number> {
  return withAccounts(agent, flags.service, cli, async (accounts) => {
    const account = await accountOfMachine(id, accounts);
    const before = await machineOf(account, id);
    if (before.end !== null) {
      cli.print(`${clean(id)} has ended already: ${clean(before.status)}.`);
      return 0;
    }
    const { shrink, now } = flags;
    const order = {
      path: PATHS.order("deployment", id, "stop"),
      body: { shrink, now, version: before.version },
    };
    const { warning } = await account.order({ ...order, dryRun: true }, foreseenSchema);
    if (warning !== null) cli.tell(warning);
    if (!(await confirmed(stopQuestion(before), flags.yes, cli))) return STOPPED_BY_PERSON;
    await account.order(order, stoppedSchema);
    if (flags.wait === false) return untilSent(account, id, cli);
    return untilEnded(account, id, cli);
  });
}

export function savingFirst(id: string, saves: string): string {
  return `${clean(id)} is ${saves}. It is stopped after that.`;
}

export function sentText(id: string): string {
  return `${clean(id)}: the stop was sent. It bills until fleetkeeper deployments show ${clean(id)} shows its end.`;
}

export function untilEnded(account: RemoteAccount, id: string, cli: CliContext): Promise<number> {
  return untilOver(async () => ({ machines: [await machineOf(account, id)], others: [] }), cli);
}

export function machineOf(
  account: RemoteAccount,
  id: string,
): Promise<z.output<typeof deploymentShownSchema>> {
  return account.read(PATHS.deployment(id), deploymentShownSchema);
}

async function untilSent(account: RemoteAccount, id: string, cli: CliContext): Promise<number> {
  const { signal } = cli;
  for (let waited = 0; ; waited += LOOK_MS) {
    const machine = await machineOf(account, id);
    const saves = savingText(machine, Date.now());
    if (saves !== undefined) {
      cli.print(savingFirst(id, saves));
      cli.tell(GOES_ON);
      return 0;
    }
    const { stop, end, status } = machine;
    if (stop?.error) throw new FleetkeeperError("REFUSED", `${id} is not stopped: ${stop.error}`);
    if (end !== null || stop?.accepted || status === "stopping") {
      cli.print(sentText(id));
      return 0;
    }
    if (waited >= SENT_WITHIN_MS) {
      cli.print(`${clean(id)}: the agent shows no answer to the stop yet.`);
      cli.tell(GOES_ON);
      return 1;
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** What is waited for, and one line for people about each other thing. */
interface Left {
  readonly machines: readonly DeploymentFacts[];
  readonly others: readonly string[];
}

/** Tells what changes, until nothing is left. An agent that is away, as one that is started anew, is asked again: machines bill on. */
export async function untilOver(left: () => Promise<Left>, cli: CliContext): Promise<number> {
  const { signal } = cli;
  const tell = teller(cli);
  try {
    for (let before: readonly DeploymentFacts[] = []; ; ) {
      const now = await tellTrouble(tell, left, signal, isDown);
      if (now) {
        const { machines, others } = now;
        for (const { id } of before)
          if (!machines.some((each) => each.id === id)) tell(id, `${id} has ended`);
        for (const machine of machines) tell(machine.id, stopSays(machine));
        for (const other of others) tell(other, other);
        before = machines.filter(({ end }) => end === null);
        if (before.length + others.length === 0) return 0;
      }
      await sleep(LOOK_MS, undefined, { signal });
    }
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    cli.tell(GOES_ON);
    return STOPPED_BY_PERSON;
  }
}

function stopSays(machine: DeploymentFacts): string {
  const { id, status, end, stop } = machine;
  if (end !== null) return `${id} ${end === "gone" ? "is gone" : end}`;
  const saves = savingText(machine, Date.now());
  const says = `${id} is ${[status, saves].filter((each) => each !== undefined).join(", ")}`;
  return stop?.error ? `${says}. ${stop.error}. Tried again until it has ended.` : says;
}
