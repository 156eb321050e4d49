import { FleetkeeperError } from "../../../service/errors.ts";
import type { Whose } from "../../status/owner-names.ts";

/** The connection details that OpenSSH needs, by the names that the profile's author gives them. */
const DETAILS = ["host", "port", "user"] as const;

export interface SshHost {
  readonly deployment: string;
  readonly owner: Whose;
  readonly connection: Readonly<Record<string, string>>;
}

/** The details to ask for. Throws CONFIG without a `host`, or for a secret that nobody asked to see. */
export function sshFields(mapped: ReadonlyMap<string, boolean>, showSecrets: boolean): readonly string[] {
  if (!mapped.has("host")) {
    throw new FleetkeeperError(
      "CONFIG",
      `--ssh-config needs a connection detail called "host" ("port" and "user" are used, too); the profile maps ${[...mapped.keys()].join(", ")}. Name it so under deployments.fields.connection.`,
    );
  }
  const fields = DETAILS.filter((name) => mapped.has(name));
  const secret = fields.find((name) => mapped.get(name));
  if (secret !== undefined && !showSecrets) {
    throw new FleetkeeperError(
      "CONFIG",
      `--ssh-config: ${secret} is a secret by the profile: say --show-secrets to print it.`,
    );
  }
  return fields;
}

// The service's words go into a file that ssh obeys. Nothing passes that could be a further line, an option
// or a command.
const HOST = /^(?![-.])[A-Za-z0-9._:-]{1,253}$/;
const USER = /^(?!-)[A-Za-z0-9._-]{1,64}$/;

/** What is wrong with these details for ssh; undefined: nothing. */
export function sshProblem({ connection }: SshHost): string | undefined {
  const { host, port, user } = connection;
  if (host === undefined) return "the service does not show its host";
  if (!HOST.test(host)) return "its host is no name or address that ssh may be given";
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return "its port is no number from 1 to 65535";
  if (user !== undefined && !USER.test(user)) return "its user is no name that ssh may be given";
  return undefined;
}

/**
 * One `Host` of ssh_config(5). An address is given to another machine sooner or later: `HostKeyAlias` keeps
 * the key of this one apart.
 */
export function sshHost({ deployment, owner, connection }: SshHost): string {
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

/** A text as one word without a pattern in it. */
function word(text: string): string {
  return text
    .slice(0, 100)
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^-/, "_");
}
