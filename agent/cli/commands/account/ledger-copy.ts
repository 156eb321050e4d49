import { configuredLedger } from "../../../../account/configuration.ts";
import { locationOf, openAllRows, openLedgerIfThere } from "../../../../account/open-ledger.ts";
import { isUnderWay } from "../../../../launch/claim/candidates.ts";
import type { Context } from "../../../../launch/facts/context.ts";
import { COPIED_TABLES, type Counts, copyLedger, SealedError } from "../../../../ledger/copy.ts";
import { elapsed, type Instant } from "../../../../ledger/instant.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { allowedDelay, isAgentAlive } from "../../../fleet/phase/agent-alive.ts";
import { duration } from "../../../fleet/text/format.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import { type LedgerFlags, ledgerFlag } from "../shared/flags.ts";
import { contextHere, ledgerOf } from "../shared/ledger.ts";

export interface CopyFlags extends LedgerFlags {
  readonly from?: string;
  readonly to?: string;
}

/** `fleetkeeper ledger copy`: moves a ledger. The old one refuses every use from then on. */
export async function ledgerCopyCommand(flags: CopyFlags, cli: CliContext): Promise<number> {
  if (flags.from === undefined && flags.to === undefined)
    throw mistake("Say where it goes, with --to, or where it comes from, with --from.");
  const [from, to] = [await placeOf(flags, "from", cli), await placeOf(flags, "to", cli)];
  if (locationOf(from) === locationOf(to)) throw mistake(`--from and --to are both ${locationOf(to)}.`);
  await refuseInUse(from, cli);
  const counts = await copyLedger(
    () => openAllRows(from, { purpose: "change" }),
    () => openAllRows(to, { make: Date.now(), purpose: "change" }),
  );
  cli.print(
    `Moved: ${locationOf(from)} is now at ${locationOf(to)}. Each row was read again, and is the same.\n${countsText(counts)}\n` +
      "The old one is used no more. Name the new one wherever the old one was named.",
  );
  return 0;
}

export function countsText(counts: Counts): string {
  return `rows: ${COPIED_TABLES.map((table) => `${table} ${counts[table]}`).join(", ")}`;
}

/** What is not said is the ledger of the settings. */
async function placeOf(flags: CopyFlags, name: "from" | "to", cli: CliContext): Promise<string> {
  const { [name]: ledger } = flags;
  if (ledger === undefined) return (await ledgerOf(flags, cli)).place;
  return configuredLedger({ ledger: ledgerFlag({ ledger }, `--${name}`) }, cli.environment);
}

/** Throws BUSY if something runs on the ledger, as far as it says so. */
async function refuseInUse(place: string, cli: CliContext): Promise<void> {
  let ledger: Ledger | undefined;
  try {
    ledger = await openLedgerIfThere(place, Date.now());
  } catch (error) {
    // A copy that was cut off is finished.
    if (error instanceof SealedError) return;
    throw error;
  }
  if (!ledger) throw mistake(`${locationOf(place)}: there is no ledger here.`);
  await closing(ledger, async (found) => {
    for (const { key, email } of await found.accounts()) {
      const [draft, context] = [await readDraft({ ledger: found, account: key }), contextHere(cli, found)];
      const { agent } = draft.account;
      // By its beat alone: one whose lease is over may still run.
      if (agent && isAgentAlive(draft, context))
        throw busy(
          `an agent keeps the account of ${email} (process ${agent.process.pid} on ${agent.host}). Stop it first.` +
            // A file's processes are this host's: one that has died is known at once.
            (found.leases
              ? ` If it has died, that is not known here: it counts as running for ${left(agent.beat, allowedDelay(context), context)} more.`
              : ""),
        );
      for (const intent of draft.intents.of("state", "open"))
        if (isUnderWay(intent, context))
          throw busy(
            `process ${intent.sender.pid} is sending launch ${intent.id}. Wait until it has ended, or stop it first: this takes ` +
              `${left(intent.stamped, intent.timeout, context)} at most.`,
          );
    }
  });
}

/** How much of this time is left since then, for people. */
function left(since: Instant, ms: number, { now }: Context): string {
  return duration(ms - elapsed(since, now));
}

function busy(text: string): FleetkeeperError {
  return new FleetkeeperError("BUSY", text);
}
