import type { OpenKeeper } from "../../../../account/open.ts";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import { waking } from "../../../../launch/mark-wake.ts";
import { carryOutStops } from "../../../../launch/protocol.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../../service/profile/requirement.ts";
import { MachineWatch } from "../../../ask/machine-watch.ts";
import { hasAgent } from "../../../fleet/phase/agent-alive.ts";
import { savingText } from "../../../fleet/text/saving-text.ts";
import { clean } from "../../../fleet/text/text.ts";
import { refuseStop, stopOne, whatFollowsStop } from "../../../orders/stopping.ts";
import { refuseOtherMachine, versionOfMachine } from "../../../orders/version.ts";
import { deploymentFacts } from "../../../status/deployment-facts.ts";
import { shortRow } from "../../../status/short-row.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import { configurationFrom } from "../shared/flags.ts";
import { withKeeper } from "../shared/opening.ts";
import { personContext } from "../shared/person.ts";
import { saving } from "../shared/saving.ts";
import { awaitEnd } from "./await-end.ts";
import { find } from "./deployments.ts";
import { GOES_ON, type StopOneFlags, savingFirst, sentText, stopQuestion, stopThere } from "./stop-there.ts";

/** `fleetkeeper deployments stop ID`: stops a machine that certainly is ours, and waits for its end. */
export async function deploymentsStopCommand(
  id: string,
  flags: StopOneFlags,
  cli: CliContext,
): Promise<number> {
  if (cli.agent) return stopThere(id, cli.agent, flags, cli);
  const configuration = await configurationFrom(flags, cli);
  requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop);
  return withKeeper(configuration, cli, async (keeper) => {
    const { row } = await find(keeper, id, cli);
    if (row.end !== null) {
      cli.print(`${clean(id)} has ended already: ${clean(row.status)}.`);
      return 0;
    }
    const draft = await readDraft(keeper);
    refuseStop(draft, row, keeper.ledger, contextOf(keeper));
    const warning = whatFollowsStop(draft, row, flags, contextOf(keeper));
    if (warning) cli.tell(warning);
    if (!(await confirmed(stopQuestion(deploymentFacts(draft, row)), flags.yes, cli)))
      return STOPPED_BY_PERSON;
    return stopMachine(keeper, id, flags, cli, (now) =>
      refuseOtherMachine(now, id, versionOfMachine(draft, id)),
    );
  });
}

/** Stops a machine that certainly is ours, and waits for its end. Gives the exit code. */
export async function stopMachine(
  keeper: OpenKeeper,
  id: string,
  { wait, shrink, now }: StopOneFlags,
  cli: CliContext,
  /** Throws where it is not what the person was asked about. */
  check: (draft: Draft) => void = () => undefined,
): Promise<number> {
  const { ledger, account } = keeper;
  await ledger.decide(
    account,
    waking((draft) => {
      check(draft);
      stopOne(draft, id, { shrink, now }, ledger, personContext(keeper, cli));
    }),
  );
  const saves = await savingOf(keeper, id);
  if (wait === false && saves !== undefined) {
    cli.print(savingFirst(id, saves));
    cli.tell(await whoGoesOn(keeper));
    return (await hasAgent(keeper, contextOf(keeper))) ? 0 : 1;
  }
  if (wait === false) {
    await carryOutStops(keeper, cli.signal);
    const row = (await readDraft(keeper)).deployments.ever(id);
    if (row?.end === null && row.status !== "stopping" && row.stop?.attempted === null) {
      cli.print(`${clean(id)}: the stop was not sent yet, since the newest list is not believed.`);
      cli.tell(await whoGoesOn(keeper));
      return 1;
    }
    if (row?.stop?.error) throw new FleetkeeperError("REFUSED", `${id} is not stopped: ${row.stop.error}`);
    cli.print(sentText(id));
    return 0;
  }
  // Where an agent lives, it runs what comes before the stop.
  const own = saves !== undefined && !(await hasAgent(keeper, contextOf(keeper)));
  const watch = new MachineWatch(keeper, own ? [saving(keeper, cli)] : [], clean);
  const left = async () => {
    watch.pump();
    const { deployments } = await ledger.read(account);
    return { machines: deployments.filter((row) => row.id === id && row.end === null), others: [] };
  };
  try {
    await awaitEnd(keeper, left, cli, "until over");
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    cli.tell(await whoGoesOn(keeper));
    return STOPPED_BY_PERSON;
  } finally {
    await watch.close();
  }
  return 0;
}

/** What its stop waits for now, in words. */
async function savingOf(keeper: Keeper, id: string): Promise<string | undefined> {
  const draft = await readDraft(keeper);
  const row = draft.deployments.ever(id);
  return row && savingText(shortRow(draft, row), keeper.clock.now().wall);
}

/** Who carries out the stop, for a person who does not wait for its end. */
export async function whoGoesOn(keeper: Keeper): Promise<string> {
  return (await hasAgent(keeper, contextOf(keeper)))
    ? GOES_ON
    : "The stop is written down, but no agent runs that goes on with it: run this again to wait for the end.";
}
