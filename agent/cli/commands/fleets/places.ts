import { combinationText } from "../../../../service/contract/contract.ts";
import { type Clean, cleanFor, columns, indent, jsonText } from "../../../fleet/text/text.ts";
import type { AccountPlaces } from "../../../json/places.ts";
import { lossesSay, lostText, pricesOf, toRunText } from "../../../status/places-text.ts";
import { asking } from "../shared/asked.ts";
import type { CliContext } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { noAccount } from "../shared/ledger.ts";

export interface PlacesFlags extends LedgerFlags {
  readonly json?: boolean;
  readonly days: "7" | "30";
}

/** `fleetkeeper places`: how each combination did, from the ledger. */
export async function placesCommand(flags: PlacesFlags, cli: CliContext): Promise<number> {
  return asking("places", { days: Number(flags.days) }, flags, cli, async (ask) => {
    const places = await ask();
    const { ledger, days, accounts } = places;
    if (flags.json) cli.print(jsonText(places));
    else if (accounts.length === 0) cli.print(noAccount(ledger));
    else cli.print(accounts.map((each) => format(each, days, cleanFor(cli))).join("\n\n"));
    return 0;
  });
}

function format(
  { account, baseUrl, currency, since, read, places }: AccountPlaces,
  days: number,
  clean: Clean,
): string {
  const head = `account ${clean(account)} at ${baseUrl}, ${days} days, ${currency}`;
  const sampled =
    read === null
      ? "  No agent has sampled the offers of these days yet: it does so where the profile has offers."
      : `  Offers were sampled since ${since}, the last time at ${read}. A mean is by the time in which a price was known.`;
  if (places.length === 0) return [head, sampled, "  Nothing was launched in these days."].join("\n");
  const table = columns(
    [
      [
        "PLACE",
        "GPUS",
        "LAUNCHED",
        "REFUSED",
        "FAILED",
        "LOST",
        "MACHINE DAYS",
        "LOST A DAY",
        "TO RUN",
        "COOLED H",
        "ROOM",
        "NOW/H",
        "7 DAYS",
        "30 DAYS",
      ],
      ...places.map((place) => [
        clean(combinationText(place), 200),
        String(place.gpus || "?"),
        ...[place.launches, place.refused, place.failures, place.losses].map(String),
        place.machineDays.toFixed(2),
        lostText(place),
        toRunText(place),
        place.hoursCooling.toFixed(2),
        String(place.room ?? "?"),
        ...pricesOf(place),
      ]),
    ],
    1,
  );
  return [head, sampled, "", indent(table), "", indent(lossesSay("LOST A DAY"))].join("\n");
}
