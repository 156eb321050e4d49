import type { Ledger } from "../../../ledger/ledger.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { FleetFile } from "./fleet-file.ts";

/**
 * Fleets in several services whose first part is another account's: it keeps the whole's count, and has its name. Throws CONFIG if
 * the file lacks that account's service: nobody would keep to what the file says of the whole from then on.
 */
export async function homesElsewhere(
  { ledger, account }: { readonly ledger: Ledger; readonly account: string },
  {
    source,
    fleets,
    leaving = [],
    services = [],
  }: Pick<FleetFile, "source" | "fleets"> &
    Partial<Pick<FleetFile, "leaving">> & { readonly services?: readonly { readonly name: string }[] },
): Promise<ReadonlySet<string>> {
  const homes = new Set<string>();
  const names = new Set(services.map(({ name }) => name));
  for (const of of new Set([...fleets, ...leaving].flatMap(({ part }) => (part ? [part.of] : [])))) {
    const home = await ledger.accountOfFleet(of);
    if (home === undefined || home === account) continue;
    homes.add(of);
    const { account: at, fleets: rows } = await ledger.read(home);
    const row = rows.find(({ name }) => name === of);
    if (row?.source !== source || !row.part || names.has(row.part.service ?? "")) continue;
    const service = row.part.service ?? "its first service";
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${of}: its count is kept with ${service} (${at.email} at ${at.baseUrl}), and the file has no such service. Write ${service} under ` +
        `services again, and leave it out of services of the fleet alone: its machines stop as others run in their place. To give that account ` +
        "up, take the fleet out, wait until it has drained, and declare it under another name.",
    );
  }
  return homes;
}
