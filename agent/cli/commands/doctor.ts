import { keyFileWarning } from "../../../launch/key-file.ts";
import type { AccountRow } from "../../../ledger/rows.ts";
import { systemClock } from "../../../ledger/system-clock.ts";
import { createUndiciTransport } from "../../../service/undici-transport.ts";
import { runDoctor } from "../../doctor/doctor.ts";
import { formatDoctor } from "../../doctor/format.ts";
import type { CliContext, CommonFlags } from "./cli-context.ts";
import { configurationOf, readFleetFile } from "./cli-context.ts";
import { ledgerAt } from "./ledger.ts";

/** `fleetkeeper doctor`: only reads the service, shows what the profile covers, proposes what is missing. */
export async function doctorCommand(
  flags: CommonFlags & { readonly json?: boolean },
  cli: CliContext,
): Promise<number> {
  const file = readFleetFile(flags);
  const configuration = configurationOf(flags, file, cli);
  const { transport, close } = createUndiciTransport();
  try {
    const clock = systemClock();
    const report = await runDoctor({
      configuration,
      keyFileWarning: keyFileWarning(cli.environment),
      fleets: file?.fleets ?? [],
      accounts: await knownAccounts(configuration.ledger),
      transport,
      clock: { now: () => clock.now().wall, sleep: clock.sleep },
      signal: cli.signal,
    });
    cli.print(flags.json ? JSON.stringify(report, null, 2) : formatDoctor(report, { color: cli.color }));
    return report.exitCode;
  } finally {
    await close();
  }
}

/** What the ledger knows of accounts. Empty if there is no ledger. */
async function knownAccounts(path: string): Promise<readonly AccountRow[]> {
  const ledger = ledgerAt(path);
  if (!ledger) return [];
  try {
    return await ledger.accounts();
  } finally {
    ledger.close();
  }
}
