import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { Table } from "../../ledger/table.ts";
import type { Context } from "../facts/context.ts";

/**
 * Moves stored moments to now if an earlier boot's clock put them into the future. A clock that is set back
 * across a reboot would otherwise keep a reservation, a cooldown or a wait for hours, or for years.
 */
export function bringToNow(draft: Draft, { now }: Context): void {
  const ahead = (at: Instant | null | undefined): boolean =>
    !!at && at.boot !== now.boot && at.wall > now.wall;
  const { account } = draft;
  if (ahead(account.watched)) draft.putAccount({ ...draft.account, watched: now });
  if (ahead(account.restored?.first)) draft.putAccount({ ...draft.account, restored: { first: now } });
  if (ahead(account.forgiven)) draft.putAccount({ ...draft.account, forgiven: now });
  for (const fleet of draft.fleets.values()) {
    const { birth, attempt, forgiven, resumed } = fleet;
    if (![birth?.begun, attempt?.since, forgiven, resumed].some(ahead)) continue;
    draft.putFleet({
      ...fleet,
      birth: birth && { ...birth, begun: ahead(birth.begun) ? now : birth.begun },
      ...(attempt ? { attempt: { ...attempt, since: ahead(attempt.since) ? now : attempt.since } } : {}),
      ...(ahead(forgiven) ? { forgiven: now } : {}),
      ...(ahead(resumed) ? { resumed: now } : {}),
    });
  }
  for (const intent of mayBeAhead(draft.intents, now)) {
    if (ahead(intent.resolved)) draft.putIntent({ ...intent, resolved: now });
  }
  for (const cooldown of draft.cooldowns.values()) {
    if (ahead(cooldown.since)) draft.putCooldown({ ...cooldown, since: now });
  }
  for (const row of mayBeAhead(draft.deployments, now)) {
    const { missing, stop, ready, returned } = row;
    const moments = [
      ...[row.statusSince, row.claimed, row.ended, missing?.since],
      ...[
        stop?.asked,
        stop?.first?.at,
        stop?.calls?.since,
        ready?.since,
        returned?.ending?.since,
        returned?.at,
      ],
    ];
    if (!moments.some(ahead)) continue;
    draft.putDeployment({
      ...row,
      statusSince: ahead(row.statusSince) ? now : row.statusSince,
      claimed: ahead(row.claimed) ? now : row.claimed,
      ended: ahead(row.ended) ? now : row.ended,
      ...(returned
        ? {
            returned: {
              ...returned,
              at: ahead(returned.at) ? now : returned.at,
              ...(returned.ending && ahead(returned.ending.since)
                ? { ending: { ...returned.ending, since: now } }
                : {}),
            },
          }
        : {}),
      ...(ready && ahead(ready.since) ? { ready: { ...ready, since: now } } : {}),
      missing: missing && { ...missing, since: ahead(missing.since) ? now : missing.since },
      stop: stop && {
        ...stop,
        asked: ahead(stop.asked) ? now : stop.asked,
        ...(stop.first && ahead(stop.first.at) ? { first: { ...stop.first, at: now } } : {}),
        ...(stop.calls && ahead(stop.calls.since) ? { calls: { ...stop.calls, since: now } } : {}),
      },
    });
  }
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
