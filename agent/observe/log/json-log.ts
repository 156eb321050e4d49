import { pino } from "pino";
import type { OwnerParts } from "../../../ledger/owner.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import { clean, LONGEST_WHOLE_TEXT } from "../../fleet/text.ts";
import type { Log } from "./entry.ts";
import type { Secrets } from "./secrets.ts";

/** Wherever a setting or a request is written down whole, these places of it are not. */
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
 * One JSON object a line, for programs: `level`, `time`, `kind`, `account`, `fleet` or `slot`, `deployment`,
 * `intent`, `msg`. Secrets are taken out by their place, and by their value wherever that stands.
 */
export function jsonLog(print: (line: string) => void, account: string, secrets: Secrets): Log {
  const logger = pino(
    {
      base: { account },
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
