import { isIP } from "node:net";
import type { DeploymentRow } from "../../../ledger/rows.ts";

/** The host name or IP address of a machine, or why there is none. The service sends this text, and it becomes part of a URL or an argument. */
export function addressOf(
  { connection }: Pick<DeploymentRow, "connection">,
  detail: string,
): { readonly host: string } | { readonly problem: string } {
  const host = connection?.[detail];
  if (host === undefined)
    return {
      problem:
        `it shows no connection detail "${detail}". Map it in the wire profile as ` +
        `deployments.fields.connection.${detail} (not as a secret one), or correct the check's address`,
    };
  return isAddress(host)
    ? { host }
    : { problem: `its connection detail "${detail}" is no host name or IP address` };
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0 || (text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text));
}
