import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Deployment, Service } from "../../../../service/contract/service.ts";
import { readable } from "../../../../service/contract/unread.ts";
import { hasSecret, isSecret } from "../../../../service/profile/connection.ts";
import type { LoadedProfile } from "../../../../service/profile/profile-file.ts";

/** The connection details that the profile maps, by its author's names. True for a secret one. */
export function connectionFields({ profile, file, locate }: LoadedProfile): ReadonlyMap<string, boolean> {
  const fields = Object.entries(profile.deployments?.fields.connection ?? {});
  if (fields.length > 0) return new Map(fields.map(([name, field]) => [name, isSecret(field)]));
  const has = profile.deployments !== undefined;
  throw new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `To say where machines are reached, the profile needs the part "deployments.fields.connection", which it does not have: the specification does not show it, so only you can say it. ${
      has ? `${locate(["deployments"])}: add under "deployments:"` : `${file}: add at the end`
    }, with your values in place of <...>:
${has ? "" : "deployments:\n"}  fields:
    connection:
      <a name of your choice, such as host>: <JSON Pointer in one deployment to it>`,
  );
}

/** Secret connection details by deployment, from the service: no ledger holds them. */
export async function secretsOf(
  service: Service,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  if (!hasSecret(service.abilities) || ids.length === 0) return new Map();
  const shown: (Deployment | undefined)[] = [];
  if (service.abilities.get) for (const id of ids) shown.push(await service.deployment(id, signal));
  else for (const each of readable(await service.deployments(signal))) shown.push(each);
  return new Map(shown.flatMap((each) => (each?.secretConnection ? [[each.id, each.secretConnection]] : [])));
}
