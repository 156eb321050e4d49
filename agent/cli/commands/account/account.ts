import type { z } from "zod";
import { accountInLedger } from "../../../../account/account-of-key.ts";
import { openLedger } from "../../../../account/open-ledger.ts";
import { changeTenure } from "../../../../launch/people/operator.ts";
import { usdText } from "../../../../service/contract/money.ts";
import type { Service } from "../../../../service/contract/service.ts";
import { clean, jsonText } from "../../../fleet/text/text.ts";
import { accountKnownSchema } from "../../../json/agent.ts";
import { JSON_SCHEMAS } from "../../../json/index.ts";
import { PATHS } from "../../../remote/paths.ts";
import { accountKnown, balanceKnown } from "../../../status/account-known.ts";
import { withAccount } from "../shared/by-agent.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import { type AskFlags, configurationFrom } from "../shared/flags.ts";
import { withKeeper, withService } from "../shared/opening.ts";
import { personContext } from "../shared/person.ts";

export interface AccountFlags extends AskFlags {
  readonly changeTo?: "exclusive" | "shared";
  readonly same?: boolean;
  readonly yes?: boolean;
}

/** `fleetkeeper account`: whose account the credential opens, and its credit balance. */
export async function accountCommand(flags: AccountFlags, cli: CliContext): Promise<number> {
  if (cli.agent && (flags.changeTo ?? flags.same) !== undefined)
    throw mistake(
      "--change-to and --same change what the ledger was told of its account: run this where the agent runs.",
    );
  if (flags.changeTo !== undefined) return changeAccount(flags.changeTo, flags, cli);
  if (flags.same) return sameAccount(flags, cli);
  const account = await knownOfService(PATHS.account, accountKnownSchema, flags, cli, accountKnown);
  if (flags.json) cli.print(jsonText(account));
  else {
    const { display_name, email, id, balance, currency } = account;
    cli.print(`${clean(display_name)}${email === display_name ? "" : ` <${clean(email)}>`}, ${id}`);
    if (balance !== undefined) cli.print(`balance ${usdText(balance)} ${currency}`);
  }
  return 0;
}

/** What the service says now, here or to the agent. */
async function knownOfService<A>(
  path: string,
  answers: z.ZodType<A>,
  flags: AskFlags,
  cli: CliContext,
  here: (service: Service, signal: AbortSignal) => Promise<A>,
): Promise<A> {
  const { agent } = cli;
  if (agent) return withAccount(agent, flags.service, cli, (account) => account.read(path, answers));
  return withService(await configurationFrom(flags, cli), cli, (service) => here(service, cli.signal));
}

/** `fleetkeeper account --same`: where no call shows the account, a person says that this credential opens the known one. */
async function sameAccount(flags: AccountFlags, cli: CliContext): Promise<number> {
  const question =
    "Does this credential open the account that the ledger knows? With another account's, all machines would seem gone.";
  if (!(await confirmed(question, flags.yes, cli))) return STOPPED_BY_PERSON;
  const configuration = await configurationFrom(flags, cli);
  return withService(configuration, cli, async (service) => {
    const ledger = await openLedger(configuration.ledger, Date.now());
    return closing(ledger, async () => {
      const shown = await service.account(cli.signal);
      const { id } = await accountInLedger(service, ledger, shown, cli.signal, true);
      cli.print(`This credential opens ${id} from now on.`);
      return 0;
    });
  });
}

const MEANING = {
  exclusive: "a new fleet takes what runs there and fits it, and stops what is too much then",
  shared: "what is not certainly ours is only reported then",
} as const;

/** `fleetkeeper account --change-to TENURE`: the only way to change what the ledger was told before. */
async function changeAccount(
  tenure: "exclusive" | "shared",
  flags: AccountFlags,
  cli: CliContext,
): Promise<number> {
  // The configuration's own value is left out: the ledger is now changed to agree with it.
  const configuration = { ...(await configurationFrom(flags, cli)), account: undefined };
  return withKeeper(configuration, cli, async (keeper) => {
    const { ledger, account, accountInfo } = keeper;
    const email = clean(accountInfo.email);
    const before = (await ledger.read(account)).account.tenure;
    if (before === tenure) {
      cli.print(`${email} is ${tenure} already.`);
      return 0;
    }
    const question = `Change ${email} from ${before} to ${tenure} (${MEANING[tenure]})?`;
    if (!(await confirmed(question, flags.yes, cli))) return STOPPED_BY_PERSON;
    await ledger.decide(account, (draft) => changeTenure(draft, tenure, personContext(keeper, cli)));
    cli.print(
      `${email} is ${tenure} now. Fleet files, environments and stacks that say ${before} have to be corrected.`,
    );
    return 0;
  });
}

/** `fleetkeeper balance`: the credit balance, as the service shows it now. */
export async function balanceCommand(flags: AskFlags, cli: CliContext): Promise<number> {
  const said = await knownOfService(PATHS.balance, JSON_SCHEMAS.balance, flags, cli, balanceKnown);
  cli.print(flags.json ? jsonText(said) : `${usdText(said.balance)} ${said.currency}`);
  return 0;
}
