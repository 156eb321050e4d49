import type { RunningHost } from "../../../json/deployments.ts";
import { mistake } from "../shared/cli-context.ts";

/** The connection details that OpenSSH needs, by their names in the profile. */
const DETAILS = ["host", "port", "user"] as const;

/** The details to ask for. Throws CONFIG if no `host` is mapped, or for a secret without --show-secrets. */
export function sshFields(mapped: ReadonlyMap<string, boolean>, showSecrets: boolean): readonly string[] {
  if (!mapped.has("host")) {
    throw mistake(
      `--ssh-config needs a connection detail called "host" ("port" and "user" are used, too); the profile maps ${[...mapped.keys()].join(", ")}. Name it so under deployments.fields.connection.`,
    );
  }
  const fields = DETAILS.filter((name) => mapped.has(name));
  const secret = fields.find((name) => mapped.get(name));
  if (secret !== undefined && !showSecrets) {
    throw mistake(`--ssh-config: ${secret} is a secret by the profile: say --show-secrets to print it.`);
  }
  return fields;
}

// The service's texts go into a file that ssh obeys: no further line, option or command may pass.
const HOST = /^(?![-.])[A-Za-z0-9._:-]{1,253}$/;
const USER = /^(?!-)[A-Za-z0-9._-]{1,64}$/;

/** Why ssh may not be given these details; undefined if it may. */
export function sshProblem({ connection }: RunningHost): string | undefined {
  const { host, port, user } = connection;
  if (host === undefined) return "the service does not show its host";
  if (!HOST.test(host)) return "its host is no name or address that ssh may be given";
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return "its port is no number from 1 to 65535";
  if (user !== undefined && !USER.test(user)) return "its user is no name that ssh may be given";
  return undefined;
}

/** One `Host` of ssh_config(5). Addresses are given again: `HostKeyAlias` keeps each machine's key apart. */
export function sshHost({ deployment, owner, connection }: RunningHost): string {
  const { host, port, user } = connection;
  const id = word(deployment);
  return [
    `Host ${word("fleet" in owner ? owner.fleet : owner.deployment)}-${id.slice(0, 8)}`,
    `  HostName ${host}`,
    ...(port === undefined ? [] : [`  Port ${port}`]),
    ...(user === undefined ? [] : [`  User ${user}`]),
    `  HostKeyAlias ${id}`,
  ].join("\n");
}

/** The text as one word, without pattern characters. */
function word(text: string): string {
  return text
    .slice(0, 100)
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^-/, "_");
}
