import { takeList } from "../../../../launch/protocol.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { clean, cleanFor, jsonText, table } from "../../../fleet/text/text.ts";
import { hostsKnownSchema } from "../../../json/agent.ts";
import type { RunningHost } from "../../../json/deployments.ts";
import { setupText } from "../../../planning/machines/setup.ts";
import { PATHS } from "../../../remote/paths.ts";
import { hostsKnown } from "../../../status/hosts.ts";
import { nameOf } from "../../../status/owner-names.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import type { AskFlags } from "../shared/flags.ts";
import { known, refuseSecrets, trustIn } from "../shared/known.ts";
import { connectionFields, secretsOf } from "./connection.ts";
import { sshFields, sshHost, sshProblem } from "./ssh-config.ts";

export interface HostsFlags extends AskFlags {
  readonly fleet?: string;
  readonly field?: string;
  readonly sshConfig?: boolean;
  readonly showSecrets?: boolean;
}

/**
 * `fleetkeeper hosts`: how to reach the running machines. The fields are those that the profile maps, by its
 * names. `--field` prints only that field, one machine a line. `--ssh-config` prints what `ssh -F` reads.
 */
export async function hostsCommand(flags: HostsFlags, cli: CliContext): Promise<number> {
  const { fleet, json, field } = flags;
  refuseSecrets(flags.showSecrets, cli);
  const path = PATHS.hosts(fleet);
  const { said, distrusted } = await known(
    path,
    hostsKnownSchema,
    flags,
    cli,
    async (keeper, { profile }) => {
      connectionFields(loadProfile(profile));
      const believed = await takeList(keeper, cli.signal);
      const secrets = (ids: readonly string[]) => secretsOf(keeper.service, ids, cli.signal);
      const asked = flags.showSecrets ? secrets : undefined;
      return { said: await hostsKnown(keeper, fleet, cli.signal, asked), ...trustIn(believed) };
    },
  );
  const mapped = new Map(Object.entries(said.details).map(([name, kind]) => [name, kind === "secret"]));
  if (mapped.size === 0)
    throw mistake("the agent's profile maps no connection details: deployments.fields.connection.");
  const fields = flags.sshConfig ? sshFields(mapped, flags.showSecrets === true) : chosen(mapped, flags);
  const hosts = said.hosts.map((host) => ({
    ...host,
    connection: Object.fromEntries(Object.entries(host.connection).filter(([name]) => fields.includes(name))),
  }));
  for (const { deployment, setup } of hosts) {
    const text = setupText(setup);
    if (text !== undefined) cli.tell(`${clean(deployment)} runs and is not ready: ${text}.`);
  }
  if (distrusted !== null) cli.tell(distrusted);
  if (flags.sshConfig) return printSshConfig(hosts, cli) && distrusted === null ? 0 : 1;
  const values = field === undefined ? [] : hosts.flatMap(({ connection }) => connection[field] ?? []);
  if (json) cli.print(jsonText(hosts));
  else if (field === undefined) printTable(hosts, fields, cli);
  else for (const value of values) cli.print(cleanFor(cli)(value, 1000));
  const lacking = hosts.filter(({ connection }) => fields.some((name) => connection[name] === undefined));
  for (const { deployment } of lacking)
    cli.tell(`${clean(deployment)} runs, and the service does not show all of ${fields.join(", ")}.`);
  return lacking.length > 0 || distrusted !== null ? 1 : 0;
}

/** The fields to show. Throws CONFIG for one that is not mapped, or for a secret without --show-secrets. */
function chosen(mapped: ReadonlyMap<string, boolean>, { field, showSecrets }: HostsFlags): readonly string[] {
  if (field === undefined)
    return [...mapped].filter(([, secret]) => showSecrets || !secret).map(([name]) => name);
  const secret = mapped.get(field);
  if (secret === undefined) {
    throw mistake(
      `--field ${field}: the profile maps no such connection detail; it maps ${[...mapped.keys()].join(", ")}.`,
    );
  }
  if (secret && !showSecrets) {
    throw mistake(`--field ${field} is a secret by the profile: say --show-secrets to print it.`);
  }
  return [field];
}

function printTable(hosts: readonly RunningHost[], fields: readonly string[], cli: CliContext): void {
  const headings = fields.map((name) => clean(name, 40).toUpperCase());
  const rows = hosts.map(({ deployment, owner, connection }) => {
    return [deployment, nameOf(owner), ...fields.map((name) => connection[name] ?? "?")];
  });
  if (rows.length === 0) cli.tell("Nothing runs.");
  else cli.print(table(["DEPLOYMENT", "WHOSE", ...headings], rows, cleanFor(cli)));
}

/** Gives false if a machine had to be left out. */
function printSshConfig(hosts: readonly RunningHost[], cli: CliContext): boolean {
  let isWhole = true;
  for (const host of hosts) {
    const problem = sshProblem(host);
    if (problem === undefined) cli.print(sshHost(host));
    else cli.tell(`${clean(host.deployment)} runs, and is left out: ${problem}.`);
    isWhole &&= problem === undefined;
  }
  return isWhole;
}
