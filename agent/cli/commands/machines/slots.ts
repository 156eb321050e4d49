import type { Configuration } from "../../../../account/configuration.ts";
import { sameAccount } from "../../../../account/open.ts";
import { unaccounted } from "../../../../launch/facts/occupancy.ts";
import type { Keeper } from "../../../../launch/keeper.ts";
import { enterSlot } from "../../../../launch/people/slot.ts";
import { takeList } from "../../../../launch/protocol.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { clean, cleanFor, indent } from "../../../fleet/text/text.ts";
import { slotIn } from "../../../orders/slot-named.ts";
import { deploymentFacts } from "../../../status/deployment-facts.ts";
import { machineTable } from "../../../status/machine-table.ts";
import { NOT_BELIEVED } from "../../../status/outage.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import type { CommonFlags } from "../shared/flags.ts";
import { withKeeper } from "../shared/opening.ts";
import { personContext } from "../shared/person.ts";

/** The slots of Pulumi Deployments. A person names one by the resource's name, or by its id in the state. */

export interface DisownFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** Throws if the slot is another account's: it cannot take a machine of this one. */
export async function inThisAccount(keeper: Keeper, asked: string): Promise<void> {
  const id = slotIn(asked) ?? asked;
  sameAccount(keeper, await keeper.ledger.accountOfSlot(id), `slot ${id}`);
}

/**
 * Enters the slot of a lost ledger as empty: `pulumi up` may then launch into it, and `pulumi destroy` may
 * delete it. First it shows the machines that nobody answers for: one of them may be the slot's own, and a
 * second one would be paid for beside it.
 */
export async function disownSlot(
  id: string,
  configuration: Configuration,
  { yes }: DisownFlags,
  cli: CliContext,
): Promise<number> {
  return withKeeper(configuration, cli, async (keeper) => {
    const { ledger, account } = keeper;
    const refuseKnown = async (): Promise<void> => {
      if (id !== "" && (await ledger.accountOfSlot(id)) === undefined) return;
      throw mistake(
        `slot:${id} is known to this ledger, which knows what runs in it: disown that by its deployment id, ` +
          "or let pulumi destroy stop it.",
      );
    };
    await refuseKnown();
    if (!(await takeList(keeper, cli.signal))) throw new FleetkeeperError("REFUSED", NOT_BELIEVED);
    cli.tell(whatMayBeIn(await readDraft({ ledger, account }), id, cli));
    if (!(await confirmed(`Say that nothing of slot ${clean(id)} runs, nor is about to?`, yes, cli)))
      return STOPPED_BY_PERSON;
    await refuseKnown();
    await ledger.decide(account, (draft) => enterSlot(draft, id, id, personContext(keeper, cli)));
    cli.print(
      `${clean(id)} counts as empty now: pulumi up may launch into it, and pulumi destroy may delete it. ` +
        "If a machine of it turns up after all, fleetkeeper status shows it.",
    );
    return 0;
  });
}

function whatMayBeIn(draft: Draft, id: string, cli: CliContext): string {
  const rows = unaccounted(draft);
  if (rows.length === 0) return "This account's newest list shows no machine that nobody here answers for.";
  return (
    `Nobody here answers for ${rows.length === 1 ? "this machine" : "these machines"}:\n${indent(
      machineTable(
        rows.map((row) => deploymentFacts(draft, row)),
        cleanFor(cli),
      ),
    )}\n` +
    `${rows.length === 1 ? "If it is" : "If one of them is"} the slot's, another one would be paid for beside it. To keep it instead: ` +
    `fleetkeeper adopt ${rows.length === 1 ? clean(rows[0]?.id ?? "") : "ID"} --deployment ${clean(id)}`
  );
}
