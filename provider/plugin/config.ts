import { readSettings, STACK_KEYS } from "../../account/configuration.ts";
import type { PartialConfiguration } from "../../account/index.ts";
import { problemOf } from "../../agent/fleet/text/problem.ts";
import { isPostgresUrl } from "../../ledger/postgres/address.ts";
import type { CheckFailure, Properties } from "../runtime/inputs/resource-kind.ts";
import { isUnknown } from "../runtime/inputs/unknown.ts";
import { stackLabels, whyNoSetting } from "../stack/settings.ts";
import { marked } from "./values.ts";

/** Keys that engines and SDKs add to a provider's configuration. */
const OF_PULUMI = /^(version|pluginDownloadURL|pluginChecksums|__.*)$/;

/** Names each mistake in a provider's configuration. Unknown values, as in a preview, are accepted. */
export function checkConfig(given: Properties, project: string): readonly CheckFailure[] {
  return Object.entries(given).flatMap(([key, value]) => {
    if (OF_PULUMI.test(key) || isUnknown(value)) return [];
    const reason =
      whyNoSetting(key, project) ??
      (key === "settings"
        ? problemOf(() => readSettings(value))
        : key === "labels"
          ? problemOf(() => stackLabels(value))
          : typeof value === "string"
            ? undefined
            : `fleetkeeper:${key}: expected a text`);
    return reason === undefined ? [] : [{ property: "", reason }];
  });
}

/** The configuration as the state keeps it: the key, a token, and a ledger's URL with its password, are encrypted. */
export function keptConfig(given: Properties): Properties {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const secret =
        key === "apiKey" || key === "token" || (key === "ledger" && isPostgresUrl(String(value)));
      return [key, marked({ value, secret })];
    }),
  );
}

/** One provider's own settings. What it does not say comes from the environment of the process. */
export function givenBy(args: Properties): PartialConfiguration {
  return Object.fromEntries(STACK_KEYS.map((key) => [key, args[key]]));
}
