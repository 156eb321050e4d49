import type { Draft } from "../../ledger/draft.ts";
import { type Instant, isAhead } from "../../ledger/instant.ts";
import type { AccountRow, DeploymentRow, FleetRow } from "../../ledger/rows.ts";
import type { Table } from "../../ledger/table.ts";
import type { Context } from "../facts/context.ts";

/** Which moments of a row: `true`, or those inside. */
type Moments<Row> = {
  readonly [K in keyof Row]?: NonNullable<Row[K]> extends Instant ? true : Moments<NonNullable<Row[K]>>;
};

const OF_ACCOUNT: Moments<AccountRow> = { watched: true, restored: { first: true }, forgiven: true };
const OF_FLEET: Moments<FleetRow> = {
  ...{ birth: { begun: true }, attempt: { since: true }, forgiven: true, resumed: true, lacking: true },
  metric: { known: { run: { since: true } } },
};
const OF_DEPLOYMENT: Moments<DeploymentRow> = {
  ...{ firstSeen: true, statusSince: true, claimed: true, ended: true, setup: { since: true } },
  ...{ missing: { since: true }, ready: { since: true }, returned: { ending: { since: true }, at: true } },
  stop: { asked: true, first: { at: true }, calls: { since: true }, hook: { since: true } },
};

/**
 * Moves stored moments to now if an earlier boot's clock put them into the future. A clock that is set back
 * across a reboot would otherwise keep a reservation, a cooldown or a wait for hours, or for years.
 */
export function bringToNow(draft: Draft, { now }: Context): void {
  const each = <Row extends object>(
    rows: Iterable<Row>,
    moments: Moments<Row>,
    put: (row: Row) => void,
  ): void => {
    for (const row of rows) {
      const brought = broughtTo(now, row, moments);
      if (brought !== row) put(brought);
    }
  };
  each([draft.account], OF_ACCOUNT, (row) => draft.putAccount(row));
  each(draft.fleets.values(), OF_FLEET, (row) => draft.putFleet(row));
  each(mayBeAhead(draft.intents, now), { resolved: true }, (row) => draft.putIntent(row));
  each(draft.cooldowns.values(), { since: true }, (row) => draft.putCooldown(row));
  each(mayBeAhead(draft.deployments, now), OF_DEPLOYMENT, (row) => draft.putDeployment(row));
}

function broughtTo<Row extends object>(now: Instant, row: Row, moments: Moments<Row>): Row {
  let brought = row;
  for (const key in moments) {
    const value = row[key] as (Instant & Row[typeof key]) | null | undefined;
    if (!value) continue;
    const inner = moments[key] as true | Moments<typeof value>;
    const next = inner === true ? (isAhead(value, now) ? now : value) : broughtTo(now, value, inner);
    if (next !== value) brought = { ...brought, [key]: next };
  }
  return brought;
}

/** When all rows of a table were looked at, and its version before that. */
const looks = new WeakMap<object, { readonly at: Instant; readonly version: number }>();

/** The rows that were put since the last look. All of them after a reboot, or if the clock was set back. */
function mayBeAhead<Row, Index extends string>(table: Table<Row, Index>, now: Instant): readonly Row[] {
  const last = looks.get(table);
  looks.set(table, { at: now, version: table.version });
  const isSure = last?.at.boot === now.boot && last.at.wall <= now.wall;
  const put = isSure ? table.changedSince(last.version) : undefined;
  return put ? put.flatMap((key) => table.get(key) ?? []) : [...table.values()];
}
