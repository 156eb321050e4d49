import type { OpenKeeper } from "../../../account/open.ts";
import { look } from "../../../launch/keeper.ts";
import { takeList } from "../../../launch/protocol.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { loadProfile } from "../../../service/profile/profile-file.ts";
import { clean, cleanFor, jsonText, table } from "../../fleet/text.ts";
import type { RunningHost } from "../../json/deployments.ts";
import { setupOf, setupText } from "../../planning/setup.ts";
import { nameOf, whoOwns } from "../../status/owner-names.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { connectionFields, secretsOf } from "./connection.ts";
import { NOT_BELIEVED } from "./deployments.ts";
import type { AskFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { withKeeper } from "./opening.ts";
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
  const configuration = await configurationFrom(flags, cli);
  const mapped = connectionFields(loadProfile(configuration.profile));
  const fields = flags.sshConfig ? sshFields(mapped, flags.showSecrets === true) : chosen(mapped, flags);
  return withKeeper(configuration, cli, async (keeper) => {
    const believed = await takeList(keeper, cli.signal);
    const hosts = await runningHosts(keeper, flags, fields, cli);
    for (const { deployment, setup } of hosts) {
      const text = setupText(setup);
      if (text !== undefined) cli.tell(`${clean(deployment)} runs and is not ready: ${text}.`);
    }
    if (flags.sshConfig) {
      const isWhole = printSshConfig(hosts, cli);
      if (!believed) cli.tell(NOT_BELIEVED);
      return isWhole && believed ? 0 : 1;
    }
    const { json, field } = flags;
    const values = field === undefined ? [] : hosts.flatMap(({ connection }) => connection[field] ?? []);
    if (json) cli.print(jsonText(hosts));
    else if (field === undefined) printTable(hosts, fields, cli);
    else for (const value of values) cli.print(cleanFor(cli)(value, 1000));
    const lacking = hosts.filter(({ connection }) => fields.some((name) => connection[name] === undefined));
    for (const { deployment } of lacking)
      cli.tell(`${clean(deployment)} runs, and the service does not show all of ${fields.join(", ")}.`);
    if (!believed) cli.tell(NOT_BELIEVED);
    return lacking.length > 0 || !believed ? 1 : 0;
  });
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

async function runningHosts(
  keeper: OpenKeeper,
  flags: HostsFlags,
  fields: readonly string[],
  cli: CliContext,
): Promise<readonly RunningHost[]> {
  const before = runningOf(await readDraft(keeper), flags.fleet);
  const ids = before.map(({ id }) => id);
  const secrets = flags.showSecrets ? await secretsOf(keeper.service, ids, cli.signal) : undefined;
  const shown = ({ id, connection }: DeploymentRow): RunningHost["connection"] => ({
    ...connection,
    ...secrets?.get(id),
  });
  // A list may show less than the record itself.
  const lacking = before.filter((row) => fields.some((name) => shown(row)[name] === undefined));
  if (keeper.service.abilities.get) for (const { id } of lacking) await look(keeper, id, cli.signal);
  const draft = await readDraft(keeper);
  return runningOf(draft, flags.fleet).flatMap((row) => {
    const connection = Object.fromEntries(
      Object.entries(shown(row)).filter(([name]) => fields.includes(name)),
    );
    const setup = setupOf(draft, row) ?? null;
    const { id: deployment, owner } = row;
    return owner === null ? [] : [{ deployment, owner: whoOwns(draft, owner), setup, connection }];
  });
}

/** Our running machines, by owner and age. Throws CONFIG if there is no such fleet. */
function runningOf(draft: Draft, fleet: string | undefined): readonly DeploymentRow[] {
  if (fleet !== undefined && !draft.fleets.has(fleet)) {
    const there = [...draft.fleets.keys()].join(", ") || "none";
    throw mistake(`--fleet ${fleet}: no such fleet here; there are: ${there}.`);
  }
  const isOurs = ({ claim }: DeploymentRow): boolean => claim === "certain" || claim === "inferred";
  return [...draft.deployments.values()]
    .filter((row) => isOurs(row) && row.end === null && row.status === "running")
    .filter((row) => fleet === undefined || row.owner === fleetOwner(fleet))
    .sort(
      (one, other) => (one.owner ?? "").localeCompare(other.owner ?? "") || one.sequence - other.sequence,
    );
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
