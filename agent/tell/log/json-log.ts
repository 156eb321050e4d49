import { pino } from "pino";
import { type OwnerParts, ownerParts } from "../../../ledger/owner.ts";
import { clean, LONGEST_WHOLE_TEXT } from "../../fleet/text/text.ts";
import type { Log } from "./entry.ts";
import type { Secrets } from "./secrets.ts";

/** If a setting or a request is logged whole, these fields are censored. */
const SECRET_PLACES = [
  "apiKey",
  "*.apiKey",
  "*.token",
  "*.secret",
  "*.authorization",
  "*.headers",
  "*.secretConnection",
];

/**
 * The log for programs: one JSON object a line, with `level`, `time`, `kind`, `account` (and `service`, where an agent keeps several), `fleet` or `slot`,
 * `deployment`, `intent`, `msg`. Secrets are hidden by their field, and by their value wherever it stands.
 */
export function jsonLog(
  print: (line: string) => void,
  base: { readonly account?: string; readonly service?: string },
  secrets: Secrets,
): Log {
  const logger = pino(
    {
      base,
      timestamp: false,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: SECRET_PLACES, censor: "[secret]" },
      hooks: { streamWrite: (line) => secrets.hide(line) },
    },
    { write: (line) => print(line.trimEnd()) },
  );
  const shown = (text: string): string => clean(secrets.hide(text), LONGEST_WHOLE_TEXT);
  const ofOwner = ({ kind, name }: OwnerParts) => ({ [kind]: shown(name) });
  return ({ level, kind, text, at, owner, deployment, intent, facts }) => {
    logger[level](
      {
        time: new Date(at).toISOString(),
        kind,
        ...(owner && ofOwner(ownerParts(owner))),
        ...(deployment ? { deployment: shown(deployment) } : {}),
        ...(intent ? { intent } : {}),
        ...facts,
      },
      shown(text),
    );
  };
}
