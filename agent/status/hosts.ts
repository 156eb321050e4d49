import { type Keeper, look } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { HostsKnown } from "../json/agent.ts";
import type { RunningHost } from "../json/deployments.ts";
import { setupOf } from "../planning/machines/setup.ts";
import { whoOwns } from "./owner-names.ts";

type Secrets = ReadonlyMap<string, Readonly<Record<string, string>>>;

/**
 * How our running machines are reached. `secretsOf`: reads secret details of these deployments from the service. Throws CONFIG
 * if there is no such fleet.
 */
export async function hostsKnown(
  keeper: Keeper,
  fleet: string | undefined,
  signal: AbortSignal,
  secretsOf: (ids: readonly string[]) => Promise<Secrets> = async () => new Map(),
): Promise<HostsKnown> {
  const { details = {} } = keeper.service.abilities;
  const before = runningOf(await readDraft(keeper), fleet);
  const secrets = await secretsOf(before.map(({ id }) => id));
  const shown = ({ id, connection }: DeploymentRow): RunningHost["connection"] => ({
    ...connection,
    ...secrets.get(id),
  });
  // A list may show less than the record itself.
  const open = Object.keys(details).filter((name) => details[name] === "open");
  const lacking = before.filter((row) => open.some((name) => shown(row)[name] === undefined));
  if (keeper.service.abilities.get) for (const { id } of lacking) await look(keeper, id, signal);
  const draft = await readDraft(keeper);
  const hosts = runningOf(draft, fleet).flatMap((row) => {
    const setup = setupOf(draft, row) ?? null;
    const { id: deployment, owner } = row;
    return owner === null
      ? []
      : [{ deployment, owner: whoOwns(draft, owner), setup, connection: shown(row) }];
  });
  return { details, hosts };
}

/** By owner and age. */
function runningOf(draft: Draft, fleet: string | undefined): readonly DeploymentRow[] {
  if (fleet !== undefined && !draft.fleets.has(fleet)) {
    const there = [...draft.fleets.keys()].join(", ") || "none";
    throw new FleetkeeperError("CONFIG", `--fleet ${fleet}: no such fleet here; there are: ${there}.`);
  }
  const isOurs = ({ claim }: DeploymentRow): boolean => claim === "certain" || claim === "inferred";
  return [...draft.deployments.values()]
    .filter((row) => isOurs(row) && row.end === null && row.status === "running")
    .filter((row) => fleet === undefined || row.owner === fleetOwner(fleet))
    .sort(
      (one, other) => (one.owner ?? "").localeCompare(other.owner ?? "") || one.sequence - other.sequence,
    );
}
