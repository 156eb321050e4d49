import { EVENTS_SEARCHED } from "../events-about.ts";
import { LONGEST_LEASE_MS } from "../lease.ts";

/*
 * One statement each. Parameters are `$1` and so on; those that name rows are written by `keyText`.
 */

/**
 * The newest state of an account, once nobody else holds it, and that of its service. Nobody holds that one: its
 * cooldowns are as they were when the statement began. $1: account; $2, $3: the decisions that are known of each,
 * or null; $4: the account's version that is known: then it gives no row.
 */
const stateOf = (lock: string): string => `
  SELECT account.version, account.cleared, account.decision,
    EXISTS (SELECT FROM fleetkeeper.decision WHERE id = $2::text) AS known,
    CASE WHEN account.version = $4::bigint THEN NULL ELSE row END AS row,
    needs, epoch AS number, since, server,
    service.version AS service_version, service.cleared AS service_cleared, service.decision AS service_decision,
    EXISTS (SELECT FROM fleetkeeper.decision WHERE id = $3::text) AS service_known
  FROM fleetkeeper.account JOIN fleetkeeper.service USING (base_url) CROSS JOIN fleetkeeper.ledger
  WHERE key = $1 ${lock}`;

export const ACCOUNT = stateOf("");
export const LOCK_ACCOUNT = stateOf("FOR NO KEY UPDATE OF account");
/** $1: account. After the account's lock, never before it. */
export const LOCK_SERVICE = `
  SELECT version, decision FROM fleetkeeper.service
  WHERE base_url = (SELECT base_url FROM fleetkeeper.account WHERE key = $1) FOR NO KEY UPDATE`;

/**
 * $1: account, $2: since which version, $3: the same of the service's cooldowns. -1: all. Of an archived machine
 * there is its key, its launch's, and what is kept of it, for its row.
 */
export const ROWS_SINCE = `
  SELECT 'intent' AS kind, place, NULL AS key, NULL AS launch, row FROM fleetkeeper.intent
    WHERE account = $1 AND version > $2 AND NOT archived
  UNION ALL SELECT 'deployment', 0, id, NULL, row FROM fleetkeeper.deployment
    WHERE account = $1 AND version > $2 AND archived IS NULL
  UNION ALL SELECT 'archived', 0, id, launch, archived FROM fleetkeeper.deployment
    WHERE account = $1 AND version > $2 AND archived IS NOT NULL
  UNION ALL SELECT 'slot', place, NULL, NULL, row FROM fleetkeeper.slot WHERE account = $1 AND version > $2
  UNION ALL SELECT 'fleet', 0, NULL, NULL, row FROM fleetkeeper.fleet WHERE account = $1 AND version > $2
  UNION ALL SELECT 'cooldown', 0, NULL, NULL, row FROM fleetkeeper.cooldown
    WHERE base_url = (SELECT base_url FROM fleetkeeper.account WHERE key = $1) AND version > $3`;
/** $1: account, $2: deployments. Their rows, and those of their launches. */
export const PAIRS = `
  SELECT deployment.id AS key, deployment.row, deployment.archived, intent.row AS launch
  FROM fleetkeeper.deployment LEFT JOIN fleetkeeper.intent
    ON intent.id = deployment.launch AND intent.account = deployment.account
  WHERE deployment.account = $1 AND deployment.id = ANY($2::text[])`;

/** The epoch of the ledger's clock. */
export const EPOCH = "SELECT epoch AS number, since, server FROM fleetkeeper.ledger";
/** The epoch, which nobody else changes until this transaction is over. */
export const LOCK_EPOCH = `${EPOCH} FOR NO KEY UPDATE`;
/**
 * $1: the least number, $2: server. It begins now, after all that the lock was waited for. Its number is a time, too:
 * a ledger that was moved here has rows of another database's epochs, and none may be newer.
 */
export const BEGIN_EPOCH = `
  UPDATE fleetkeeper.ledger SET epoch = greatest($1, now.ms), since = now.ms, server = $2
  FROM (SELECT (1000 * extract(epoch FROM clock_timestamp()))::bigint AS ms) AS now
  RETURNING epoch AS number, since, server`;

/** $1: base URL. */
export const PUT_SERVICE = "INSERT INTO fleetkeeper.service (base_url) VALUES ($1) ON CONFLICT DO NOTHING";
/** $1: key, $2: base URL, $3: the service's id of it, $4: row. Gives no row if somebody else has made it. */
export const NEW_ACCOUNT = `
  INSERT INTO fleetkeeper.account (key, base_url, account_id, row) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING RETURNING key`;

/**
 * The last write of a transaction. $1: account, $2: decision, $3: the account's new row, or null, $4, $5: the
 * lease's holder and its term, or null, $6: the account's `wakes`, or null, $7: the epoch in which it was decided, or null.
 * Gives the account's version; nothing, if the lease is another's (who takes it has the account's lock), or if an epoch
 * has begun while the lock was waited for: the statement that waits sees the one from before. Decisions are forgotten once
 * nobody can ask for them any more: see `Times.look`.
 */
export const SIGN = `
  WITH signed AS (
    UPDATE fleetkeeper.account SET decision = $2, row = coalesce($3, row), wakes = coalesce($6, wakes)
    WHERE key = $1 AND ($4::text IS NULL OR EXISTS (
      SELECT FROM fleetkeeper.lease WHERE account = $1 AND holder = $4 AND term = $5::bigint
    )) AND ($7::bigint IS NULL OR $7 = (SELECT epoch FROM fleetkeeper.ledger))
    RETURNING version
  ), forgotten AS (
    DELETE FROM fleetkeeper.decision WHERE account = $1 AND at < statement_timestamp() - interval '15 minutes'
      AND version < (SELECT version FROM signed) - 100
  )
  INSERT INTO fleetkeeper.decision (id, account, version, at)
  SELECT $2, $1, version, clock_timestamp() FROM signed RETURNING version`;
/** What those who wait in accounts or for them listen to. */
export const CHANNEL = "fleetkeeper";
/** What is told there when a lease was given back. Of anything else nothing is told but that they look. */
export const GIVEN_BACK = "lease";
/** It is told once the transaction is stored. */
export const NOTIFY = `SELECT pg_notify('${CHANNEL}', '')`;
/** $1: accounts. */
export const WAKES = "SELECT key, wakes FROM fleetkeeper.account WHERE key = ANY($1::text[])";

/** $1: account, $2: decision. */
export const SIGN_SERVICE = `
  UPDATE fleetkeeper.service SET decision = $2
  WHERE base_url = (SELECT base_url FROM fleetkeeper.account WHERE key = $1) RETURNING version`;
/** $1: decision. */
export const DECISION = "SELECT FROM fleetkeeper.decision WHERE id = $1";

/*
 * Rows of one table at once, with no key twice. $1: account, then one list a column. What belongs to another
 * account is not among the keys that come back.
 */
export const PUT_INTENTS = `
  INSERT INTO fleetkeeper.intent (id, account, grouped, state, row)
  SELECT id, $1, grouped, state, row
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS new (id, grouped, state, row)
  ON CONFLICT (id) DO UPDATE SET grouped = excluded.grouped, state = excluded.state, row = excluded.row
  WHERE intent.account = excluded.account RETURNING id AS key`;
export const PUT_DEPLOYMENTS = `
  INSERT INTO fleetkeeper.deployment (account, id, launch, claim, ended, row)
  SELECT $1, id, launch, claim, ended, row
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS new (id, launch, claim, ended, row)
  ON CONFLICT (account, id) DO UPDATE SET launch = excluded.launch, claim = excluded.claim, ended = excluded.ended,
    row = excluded.row RETURNING id AS key`;
export const PUT_SLOTS = `
  INSERT INTO fleetkeeper.slot (id, account, row)
  SELECT id, $1, row FROM unnest($2::text[], $3::text[]) AS new (id, row)
  ON CONFLICT (id) DO UPDATE SET row = excluded.row WHERE slot.account = excluded.account RETURNING id AS key`;
export const PUT_FLEETS = `
  INSERT INTO fleetkeeper.fleet (name, account, row)
  SELECT name, $1, row FROM unnest($2::text[], $3::text[]) AS new (name, row)
  ON CONFLICT (name) DO UPDATE SET row = excluded.row WHERE fleet.account = excluded.account RETURNING name AS key`;
export const PUT_COOLDOWNS = `
  INSERT INTO fleetkeeper.cooldown (base_url, combination, row)
  SELECT (SELECT base_url FROM fleetkeeper.account WHERE key = $1), combination, row
  FROM unnest($2::text[], $3::text[]) AS new (combination, row)
  ON CONFLICT (base_url, combination) DO UPDATE SET row = excluded.row RETURNING combination AS key`;
export const PUT_EVENTS = `
  INSERT INTO fleetkeeper.event (account, at, intent, row)
  SELECT $1, at, intent, row FROM unnest($2::bigint[], $3::text[], $4::text[]) AS new (at, intent, row)`;

/** $1: account, $2: deployments, $3: what is kept of each; null: it comes back. */
export const ARCHIVE_DEPLOYMENTS = `
  UPDATE fleetkeeper.deployment SET archived = new.archived
  FROM unnest($2::text[], $3::text[]) AS new (id, archived)
  WHERE deployment.account = $1 AND deployment.id = new.id`;
/** $1: account, $2: intents, $3: whether each is archived. */
export const ARCHIVE_INTENTS = `
  UPDATE fleetkeeper.intent SET archived = new.archived
  FROM unnest($2::text[], $3::boolean[]) AS new (id, archived)
  WHERE intent.account = $1 AND intent.id = new.id`;

/** $1: account, $2: intents. */
export const FORGET_INTENTS =
  "DELETE FROM fleetkeeper.intent WHERE account = $1 AND state <> 'open' AND id = ANY($2::text[])";
export const FORGET_EVENTS = "DELETE FROM fleetkeeper.event WHERE account = $1 AND intent = ANY($2::text[])";

export const ACCOUNTS = "SELECT row FROM fleetkeeper.account ORDER BY key";
/** $1: slot or fleet. */
export const ACCOUNT_OF_SLOT = "SELECT account AS key FROM fleetkeeper.slot WHERE id = $1";
export const ACCOUNT_OF_FLEET = "SELECT account AS key FROM fleetkeeper.fleet WHERE name = $1";
/** $1: account, $2: after which number, $3: how many. */
export const EVENTS = `
  SELECT sequence, row FROM fleetkeeper.event WHERE account = $1 AND sequence > $2 ORDER BY sequence DESC LIMIT $3`;

/** $1: account, $2 to $4: what names the deployment, the launch, the owner, or null, $5: how many. */
export const EVENTS_ABOUT = `
  SELECT sequence, row FROM (
    SELECT sequence, row FROM fleetkeeper.event WHERE account = $1 ORDER BY sequence DESC LIMIT ${EVENTS_SEARCHED}
  ) AS newest
  WHERE strpos(row, $2::text) > 0 OR strpos(row, $3::text) > 0 OR strpos(row, $4::text) > 0
  ORDER BY sequence DESC LIMIT $5`;

/** $1: account, $2: since when. */
export const STRETCHES = "SELECT row FROM fleetkeeper.stretch WHERE account = $1 AND until >= $2 ORDER BY at";
export const FORGET_STRETCHES = "DELETE FROM fleetkeeper.stretch WHERE account = $1 AND until < $2";
/** $1: account, $2: from when, $3: until when, $4: row. */
export const PUT_STRETCH = `
  INSERT INTO fleetkeeper.stretch (account, at, until, row) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account, at) DO UPDATE SET until = excluded.until, row = excluded.row`;

/** $1: account. */
export const MARKET = "SELECT row FROM fleetkeeper.market WHERE account = $1 ORDER BY at DESC LIMIT 1";
/** $1: account, $2: from when the one is that stays. */
export const FORGET_MARKETS = "DELETE FROM fleetkeeper.market WHERE account = $1 AND at <> $2";
/** $1: account, $2: from when, $3: until when, $4: row. */
export const PUT_MARKET = `
  INSERT INTO fleetkeeper.market (account, at, until, row) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account, at) DO UPDATE SET until = excluded.until, row = excluded.row`;

/** $1: account, $2: from when, $3: until before when. */
export const SAMPLES =
  "SELECT row FROM fleetkeeper.sample WHERE account = $1 AND at >= $2 AND at < $3 ORDER BY at";
export const FORGET_SAMPLES = "DELETE FROM fleetkeeper.sample WHERE account = $1 AND at >= $2 AND at < $3";
/** $1: account; and of each sample $2: from when, $3: until when, $4: row. */
export const PUT_SAMPLES = `
  INSERT INTO fleetkeeper.sample (account, at, until, row)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[])`;

/*
 * Leases. Each statement is a transaction of its own: a process that is stopped between two of them holds no lock.
 * So it sets for itself how long it waits for a lock: less than the process waits for its answer, after which
 * nobody could end it (`URGENT_MS`).
 */
const LIMITED = "limited AS MATERIALIZED (SELECT set_config('lock_timeout', '2500', true))";

/** The database's clock was set back since. */
const IS_TOO_LONG = `expires > clock_timestamp() + ${LONGEST_LEASE_MS} * interval '1 millisecond'`;

/**
 * $1: account, $2: holder, $3: milliseconds, $4: the newest term that it has seen. Only this takes the account's
 * lock: a decision under the old term is stored before, or not at all. The term is at least the database's time,
 * so that it is later than any of a ledger that was restored. A condition of the update is asked of the newest
 * row, once it is locked.
 */
export const TAKE_LEASE = `
  WITH ${LIMITED},
    locked AS (SELECT key FROM fleetkeeper.account, limited WHERE key = $1 FOR NO KEY UPDATE OF account)
  INSERT INTO fleetkeeper.lease (account, holder, term, expires)
  SELECT key, $2, greatest($4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
    clock_timestamp() + $3 * interval '1 millisecond' FROM locked
  ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, term = greatest(lease.term + 1, excluded.term),
    expires = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE lease.holder IS NULL OR lease.holder = excluded.holder OR lease.expires <= clock_timestamp()
  RETURNING term`;
/** $1: account, $2: milliseconds. */
export const CUT_LEASE = `
  WITH ${LIMITED}
  UPDATE fleetkeeper.lease SET expires = clock_timestamp() + $2 * interval '1 millisecond' FROM limited
  WHERE account = $1 AND ${IS_TOO_LONG}`;
/**
 * $1: accounts, $2: holders, $3: terms, $4: milliseconds. Gives the place of each that was renewed or is lost, from
 * 1 on. What somebody else locks is neither: it is passed over.
 */
export const RENEW_LEASES = `
  WITH held AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS held (account, holder, term, place)
  ), own AS MATERIALIZED (
    SELECT place, account FROM held JOIN fleetkeeper.lease USING (account, holder, term)
  ), free AS (
    SELECT account, place FROM fleetkeeper.lease JOIN held USING (account, holder, term)
    FOR NO KEY UPDATE OF lease SKIP LOCKED
  ), renewed AS (
    UPDATE fleetkeeper.lease SET expires = clock_timestamp() + $4 * interval '1 millisecond'
    FROM free WHERE lease.account = free.account RETURNING free.place
  )
  SELECT place, true AS renewed FROM renewed
  UNION ALL SELECT place, false FROM held WHERE place NOT IN (SELECT place FROM own)`;
/** $1: account, $2: holder, $3: term. */
export const GIVE_LEASE_BACK = `
  WITH ${LIMITED}, given AS (
    UPDATE fleetkeeper.lease SET holder = NULL, expires = clock_timestamp() FROM limited
    WHERE account = $1 AND holder = $2 AND term = $3 RETURNING account
  )
  SELECT pg_notify('${CHANNEL}', '${GIVEN_BACK}') FROM given`;
/** $1: accounts. */
export const LEASES = `
  SELECT account AS key, holder, term, holder IS NULL OR expires <= clock_timestamp() OR ${IS_TOO_LONG} AS free
  FROM fleetkeeper.lease WHERE account = ANY($1::text[])`;
/** $1: account, $2: holder, $3: term. Nobody else takes the lease before the end of the transaction. */
export const HOLD_LEASE = `
  SELECT FROM fleetkeeper.lease WHERE account = $1 AND holder = $2 AND term = $3 FOR SHARE`;

/** What nearly every decision sends, and the names under which the server keeps their plans; see `direct`. */
export const PREPARED: ReadonlyMap<string, string> = new Map([
  [ACCOUNT, "fleetkeeper_account"],
  [LOCK_ACCOUNT, "fleetkeeper_lock_account"],
  [PUT_INTENTS, "fleetkeeper_put_intents"],
  [PUT_DEPLOYMENTS, "fleetkeeper_put_deployments"],
  [PUT_FLEETS, "fleetkeeper_put_fleets"],
  [PUT_EVENTS, "fleetkeeper_put_events"],
  [SIGN, "fleetkeeper_sign"],
]);

/**
 * A name as a key column holds it: PostgreSQL stores no NUL, and half a surrogate pair of UTF-16 would be
 * stored as another character. What has neither of them, no quote and no backslash, stays as it is.
 */
export function keyText(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** The name again. */
export function nameOf(key: string): string {
  return JSON.parse(`"${key}"`) as string;
}
