import { z } from "zod";
import type { Context } from "../../../../launch/facts/context.ts";
import { disownNameless } from "../../../../launch/machine/unread.ts";
import { waking } from "../../../../launch/mark-wake.ts";
import { disown, resume } from "../../../../launch/people/operator.ts";
import { takeList } from "../../../../launch/protocol.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { scratchDraft } from "../../../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { UNREADABLE } from "../../../../service/contract/unread.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../../service/profile/requirement.ts";
import { clean, cleanFor } from "../../../fleet/text/text.ts";
import { adoptedSchema, doneSchema, resumedSchema } from "../../../json/answers.ts";
import type { Whose } from "../../../json/parts.ts";
import { type Adopter, takeIn, whatFollows } from "../../../orders/adopting.ts";
import { slotIn } from "../../../orders/slot-named.ts";
import { refuseOtherMachine, versionOfMachine } from "../../../orders/version.ts";
import type { AgentAddress } from "../../../remote/agent-address.ts";
import { PATHS } from "../../../remote/paths.ts";
import { nameOf } from "../../../status/owner-names.ts";
import { resumeFleetCommand } from "../fleets/fleet-orders.ts";
import { type RemoteAccount, withAccount, withAccounts } from "../shared/by-agent.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import { type CommonFlags, configurationFrom } from "../shared/flags.ts";
import { withKeeper } from "../shared/opening.ts";
import { accountOfMachine, withMachine } from "../shared/ordering.ts";
import { personContext } from "../shared/person.ts";
import { stopMachine } from "./deployments-stop.ts";
import { type DisownFlags, disownSlot, inThisAccount } from "./slots.ts";
import { machineOf, untilEnded } from "./stop-there.ts";

export interface AdoptFlags extends CommonFlags, Adopter {
  readonly yes?: boolean;
}

/**
 * `fleetkeeper adopt ID --fleet NAME | --deployment NAME`: makes a machine certainly ours. What is stopped because of
 * it is said first, and asked about.
 */
export async function adoptCommand(id: string, flags: AdoptFlags, cli: CliContext): Promise<number> {
  if (cli.agent) return adoptThere(id, cli.agent, flags, cli);
  const configuration = await configurationFrom(flags, cli);
  return withKeeper(configuration, cli, async (keeper) => {
    await takeList(keeper, cli.signal);
    if (flags.deployment !== undefined) await inThisAccount(keeper, flags.deployment);
    // The slot of a lost ledger is entered by this only to look at it.
    const draft = await scratchDraft(keeper);
    const seen = versionOfMachine(draft, id);
    const ordering = () => ({ ...personContext(keeper, cli), can: keeper.service.abilities });
    const ahead = whatFollows(draft, id, flags, ordering(), cleanFor(cli));
    if (ahead?.purpose === "stop") requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop);
    if (ahead) cli.tell(ahead.says);
    if (ahead?.question !== undefined && !(await confirmed(ahead.question, flags.yes, cli)))
      return STOPPED_BY_PERSON;
    const owner = await keeper.ledger.decide(
      keeper.account,
      waking((now) => {
        refuseOtherMachine(now, id, seen);
        return takeIn(now, id, flags, ahead, ordering());
      }),
    );
    cli.print(adoptedText(id, owner));
    return ahead?.purpose === "stop" ? stopMachine(keeper, id, {}, cli) : 0;
  });
}

function adoptedText(id: string, whose: Whose): string {
  return `${clean(id)} belongs to ${clean(nameOf(whose))} now, and is counted, billed and stopped with it.`;
}

/** `adopt` by the agent. A dry run says what is stopped because of it, and the order names that. */
async function adoptThere(
  id: string,
  agent: AgentAddress,
  { fleet, deployment, gpus, yes, service }: AdoptFlags,
  cli: CliContext,
): Promise<number> {
  return withAccounts(agent, service, cli, async (accounts) => {
    const account = await accountOfMachine(id, accounts);
    const version = await versionThere(account, id);
    const order = {
      path: PATHS.order("deployment", id, "adopt"),
      body: { fleet, deployment: deployment && (slotIn(deployment) ?? deployment), gpus, version },
    };
    const { answer, warning } = await account.order(
      { ...order, dryRun: true },
      z.object({ answer: adoptedSchema, warning: z.string().nullable() }),
    );
    if (warning !== null) cli.tell(warning);
    if (answer.question !== null && !(await confirmed(answer.question, yes, cli))) return STOPPED_BY_PERSON;
    const body = { ...order.body, stops: [...answer.stops] };
    const { whose, purpose } = await account.order({ ...order, body }, adoptedSchema);
    cli.print(adoptedText(id, whose));
    return purpose === "stop" ? untilEnded(account, id, cli) : 0;
  });
}

/** Undefined: the agent does not know it yet. What the order itself says then is clearer. */
async function versionThere(account: RemoteAccount, id: string): Promise<string | undefined> {
  try {
    return (await machineOf(account, id)).version;
  } catch (error) {
    if (error instanceof FleetkeeperError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * `fleetkeeper disown ID`: the machine is not ours, for good; it runs on. `disown slot:ID`: nothing runs in
 * the slot of a Deployment whose ledger is lost. `disown unreadable`: records without an id are not ours.
 */
export async function disownCommand(id: string, flags: DisownFlags, cli: CliContext): Promise<number> {
  const slot = slotIn(id);
  if (cli.agent && (slot !== undefined || id === UNREADABLE))
    throw mistake(
      `disown ${id}: a person decides that where the agent runs, by the service's own list: run this there.`,
    );
  if (cli.agent)
    return withMachine(id, flags, cli, async (machine) => {
      await machine.give("disown", {}, doneSchema);
      cli.print(disownedText(id));
      return 0;
    });
  const configuration = await configurationFrom(flags, cli);
  if (slot !== undefined) return disownSlot(slot, configuration, flags, cli);
  return withKeeper(configuration, cli, async (keeper) => {
    await takeList(keeper, cli.signal);
    const says = await keeper.ledger.decide(
      keeper.account,
      waking((draft) => {
        if (id === UNREADABLE) return disownUnreadable(draft, personContext(keeper, cli));
        disown(draft, id, personContext(keeper, cli));
        return disownedText(id);
      }),
    );
    cli.print(says);
    return 0;
  });
}

function disownedText(id: string): string {
  return `${clean(id)} is nobody's here now. It keeps running and costs what it costs, until somebody stops it.`;
}

/** A person has looked: the records without an id are no machines of theirs, or are stopped by now. */
function disownUnreadable(draft: Draft, context: Context): string {
  const count = disownNameless(draft, context);
  if (count === 0)
    return "The list has no record without an id that can be read. One with an id is disowned by that.";
  const many = count === 1 ? "1 record counts" : `${count} records count`;
  return `${many} for no machine now. Whatever runs there goes on running, and costs what it costs.`;
}

/** `fleetkeeper resume`: ends halts of wire profiles. With a name: the fleet is kept again. */
export async function resumeCommand(
  fleet: string | undefined,
  flags: CommonFlags,
  cli: CliContext,
): Promise<number> {
  if (fleet !== undefined) return resumeFleetCommand(fleet, flags, cli);
  const resumed = cli.agent
    ? withAccount(cli.agent, flags.service, cli, (account) =>
        account.order({ path: PATHS.order("account", "", "resume") }, resumedSchema),
      )
    : withKeeper(await configurationFrom(flags, cli), cli, (keeper) =>
        keeper.ledger.decide(
          keeper.account,
          waking((draft) => resume(draft, personContext(keeper, cli))),
        ),
      );
  const { halted, unsound, vanished, returned, refusals, cooling } = await resumed;
  const were = halted === 1 ? "1 wire profile was" : `${halted} wire profiles were`;
  if (halted > 0) cli.print(`${were} halted: launches go on.`);
  if (unsound) cli.print("A decision was refused by a rule of money: launches go on.");
  if (returned)
    cli.print("A machine of a Deployment came back after it had ended: pulumi up launches again.");
  if (refusals > 0) cli.print("Refusals had made machines: launches go on in those combinations.");
  if (vanished)
    cli.print("What had vanished is gone, as you say: each machine is replaced where it is wanted.");
  if (halted === 0 && !unsound && !vanished && !returned && refusals === 0) cli.print("Nothing was halted.");
  const cooled = cooling === 1 ? "1 combination was" : `${cooling} combinations were`;
  if (cooling > 0)
    cli.print(`${cooled} cooling, as the service said: that is forgotten, and they may be tried now.`);
  return 0;
}
