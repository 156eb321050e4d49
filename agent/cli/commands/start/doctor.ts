import { keyFileWarning } from "../../../../account/key-file.ts";
import { systemClock } from "../../../../ledger/system-clock.ts";
import { createUndiciTransport } from "../../../../service/http/undici-transport.ts";
import { programProblems } from "../../../ask/programs.ts";
import { runDoctor } from "../../../doctor/doctor.ts";
import { formatDoctor } from "../../../doctor/format.ts";
import { takenNames } from "../../../fleet/declare/taken-names.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import { type AskFlags, configurationOf, readFleetFile } from "../shared/flags.ts";
import { ifLedgerAt } from "../shared/ledger.ts";
import { measuredOf } from "../shared/measured.ts";

/** `fleetkeeper doctor`: only reads the service, shows what the profile covers, proposes what is missing. */
export async function doctorCommand(flags: AskFlags, cli: CliContext): Promise<number> {
  const file = await readFleetFile(flags);
  const configuration = configurationOf(flags, file, cli);
  return closing(createUndiciTransport({ environment: cli.environment }), async ({ transport }) => {
    const clock = systemClock();
    const known = await ifLedgerAt(configuration.ledger, async (ledger) => ({
      accounts: await ledger.accounts(),
      taken: file
        ? await takenNames(ledger, file.fleets, { source: file.source, baseUrl: configuration.baseUrl })
        : [],
    }));
    const report = await runDoctor({
      configuration,
      keyFileWarning: keyFileWarning(cli.environment, file?.apiKeyFrom),
      fleets: file?.fleets ?? [],
      programs: programProblems(file?.fleets ?? [], cli.environment),
      measured: await measuredOf(file?.fleets ?? [], cli),
      ...known,
      transport,
      clock: { now: () => clock.now().wall, sleep: clock.sleep },
      signal: cli.signal,
    });
    cli.print(flags.json ? JSON.stringify(report, null, 2) : formatDoctor(report, { color: cli.color }));
    return report.exitCode;
  });
}
