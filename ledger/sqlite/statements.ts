import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EVENTS_SEARCHED } from "../events-about.ts";
import { WRITTEN } from "./migrate.ts";

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(db: DatabaseSync) {
  const put = (sql: string): StatementSync => db.prepare(sql);
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    beginRead: db.prepare("BEGIN DEFERRED"),
    commit: db.prepare("COMMIT"),
    account: db.prepare("SELECT row FROM account WHERE key = ?"),
    wakes: db.prepare("SELECT row ->> 'wakes' AS wakes FROM account WHERE key = ?"),
    dataVersion: db.prepare("PRAGMA data_version"),
    versions: db.prepare("SELECT version, cleared FROM ledger"),
    outdate: put("UPDATE ledger SET version = max(version + 1, ?), cleared = max(version + 1, ?)"),
    written: db.prepare(WRITTEN),
    stamp: put("UPDATE ledger SET written = ?"),
    // Rows are marked with the version that this gives.
    raise: put("UPDATE ledger SET written = ?, version = version + 1 RETURNING version"),
    accounts: db.prepare("SELECT row FROM account ORDER BY key"),
    intents: db.prepare("SELECT rowid, row FROM intent WHERE account = ? AND archived IS NULL"),
    deployments: db.prepare("SELECT row FROM deployment WHERE account = ? AND archived IS NULL"),
    archived: db.prepare("SELECT id, archived FROM deployment WHERE account = ? AND archived IS NOT NULL"),
    archivedOf: db.prepare(
      `SELECT id FROM deployment WHERE account = ? AND archived IS NOT NULL AND archived ->> 'owner' = ?`,
    ),
    deployment: db.prepare("SELECT row, archived FROM deployment WHERE account = ? AND id = ?"),
    intent: db.prepare("SELECT row, archived FROM intent WHERE account = ? AND id = ?"),
    slots: db.prepare("SELECT row FROM slot WHERE account = ? ORDER BY rowid"),
    fleets: db.prepare("SELECT row FROM fleet WHERE account = ? ORDER BY name"),
    cooldowns: db.prepare("SELECT row FROM cooldown WHERE base_url = ?"),
    changedIntents: db.prepare(
      "SELECT rowid, row FROM intent WHERE account = ? AND version > ? AND archived IS NULL",
    ),
    changedDeployments: db.prepare(
      `SELECT id, row, archived FROM deployment WHERE account = ?1 AND version > ?2 AND archived IS NULL
       UNION ALL
       SELECT id, row, archived FROM deployment WHERE account = ?1 AND version > ?2 AND archived IS NOT NULL`,
    ),
    changedSlots: db.prepare("SELECT row FROM slot WHERE account = ? AND version > ? ORDER BY rowid"),
    changedFleets: db.prepare("SELECT row FROM fleet WHERE account = ? AND version > ?"),
    changedCooldowns: db.prepare("SELECT row FROM cooldown WHERE base_url = ? AND version > ?"),
    events: db.prepare(
      "SELECT sequence, row FROM event WHERE account = ? AND sequence > ? ORDER BY sequence DESC LIMIT ?",
    ),
    eventsAbout: db.prepare(
      `SELECT sequence, row FROM
         (SELECT sequence, row FROM event WHERE account = ?1 ORDER BY sequence DESC LIMIT ${EVENTS_SEARCHED})
       WHERE instr(row, ?2) OR instr(row, ?3) OR instr(row, ?4) ORDER BY sequence DESC LIMIT ?5`,
    ),
    accountOfSlot: db.prepare("SELECT account FROM slot WHERE id = ?"),
    accountOfFleet: db.prepare("SELECT account FROM fleet WHERE name = ?"),
    putAccount: put(
      `INSERT INTO account (key, base_url, account_id, written, row) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET written = excluded.written, row = excluded.row`,
    ),
    // Neither group nor state has changed: the index of what is open is left alone.
    keepIntent: put(
      "UPDATE intent SET row = ?, version = ? WHERE id = ? AND account = ? AND grouped = ? AND state = ?",
    ),
    putIntent: put(
      `INSERT INTO intent (id, account, grouped, state, row, version) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET grouped = excluded.grouped, state = excluded.state, row = excluded.row,
         version = excluded.version
       WHERE account = excluded.account`,
    ),
    putDeployment: put(
      `INSERT INTO deployment (account, id, claim, ended, row, version) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (account, id) DO UPDATE SET claim = excluded.claim, ended = excluded.ended, row = excluded.row,
         version = excluded.version`,
    ),
    archiveDeployment: put("UPDATE deployment SET archived = ?, version = ? WHERE account = ? AND id = ?"),
    archiveIntent: put("UPDATE intent SET archived = ?, version = ? WHERE account = ? AND id = ?"),
    putSlot: put(
      `INSERT INTO slot (id, account, row, version) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET row = excluded.row, version = excluded.version
       WHERE account = excluded.account`,
    ),
    putFleet: put(
      `INSERT INTO fleet (name, account, row, version) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET row = excluded.row, version = excluded.version
       WHERE account = excluded.account`,
    ),
    putCooldown: put(
      `INSERT INTO cooldown (base_url, combination, row, version)
       VALUES ((SELECT base_url FROM account WHERE key = ?), ?, ?, ?)
       ON CONFLICT (base_url, combination) DO UPDATE SET row = excluded.row, version = excluded.version`,
    ),
    stretches: db.prepare("SELECT row FROM stretch WHERE account = ? AND until >= ? ORDER BY at"),
    forgetStretches: put("DELETE FROM stretch WHERE account = ? AND until < ?"),
    putStretch: put(
      `INSERT INTO stretch (account, at, until, row) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, at) DO UPDATE SET until = excluded.until, row = excluded.row`,
    ),
    market: db.prepare("SELECT row FROM market WHERE account = ? ORDER BY at DESC LIMIT 1"),
    forgetMarkets: put("DELETE FROM market WHERE account = ? AND at <> ?"),
    putMarket: put(
      `INSERT INTO market (account, at, until, row) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, at) DO UPDATE SET until = excluded.until, row = excluded.row`,
    ),
    samples: db.prepare("SELECT row FROM sample WHERE account = ? AND at >= ? AND at < ? ORDER BY at"),
    forgetSamples: put("DELETE FROM sample WHERE account = ? AND at >= ? AND at < ?"),
    putSample: put("INSERT INTO sample (account, at, until, row) VALUES (?, ?, ?, ?)"),
    forgetIntents: put(
      "DELETE FROM intent WHERE account = ? AND state <> 'open' AND id IN (SELECT value FROM json_each(?))",
    ),
    // Reads each event of the account, since no column names the launch. So many are forgotten at a time.
    forgetEvents: put(
      `DELETE FROM event
       WHERE account = ? AND json_extract(row, '$.intent') IN (SELECT value FROM json_each(?))`,
    ),
    putEvent: put("INSERT INTO event (account, at, row) VALUES (?, ?, ?)"),
  };
}
