const MACHINE_CHANGED = `
  IF TG_OP = 'UPDATE' AND OLD.archived IS NOT NULL AND NEW.row <> OLD.row THEN
    NEW.archived := NULL;
    UPDATE fleetkeeper.intent SET archived = false WHERE account = OLD.account AND id = OLD.launch;
  END IF;`;
const LAUNCH_CHANGED = `
  IF TG_OP = 'UPDATE' AND OLD.archived AND NEW.row <> OLD.row THEN
    NEW.archived := false;
    UPDATE fleetkeeper.deployment SET archived = NULL
      WHERE account = OLD.account AND launch = OLD.id AND archived IS NOT NULL;
  END IF;`;

/**
 * As in SQLite, keys and fields that a constraint or a query needs are columns, and the row itself is JSON.
 * Two constraints keep money safe even if every process is wrong: one open intent a group, and one row a
 * deployment id, so one claim a machine. Keys are compared byte by byte (`COLLATE "C"`): another release of
 * the system's library must not put a unique index out of order.
 *
 * `version` counts the transactions that changed something of an account, or of a service's cooldowns. Each
 * changed row carries that of its transaction, so that a process finds what others have changed since it last
 * looked. Triggers do it: whoever writes, a person, too, no change is missed. Deletions leave nothing to mark:
 * `cleared` is the version of the newest. `decision` is the newest decision that was stored.
 *
 * Machines that ended long ago, and their launches, stay in their tables; `archived` says that no rule goes
 * through them, and holds what is kept in memory of a machine. A row that changes is archived no more, and its
 * counterpart neither.
 */
export const initial = `
CREATE TABLE fleetkeeper.ledger (
  one     boolean PRIMARY KEY DEFAULT true CHECK (one),
  id      text NOT NULL,
  created bigint NOT NULL,
  version integer NOT NULL,
  needs   integer NOT NULL
);

CREATE TABLE fleetkeeper.service (
  base_url text COLLATE "C" PRIMARY KEY,
  decision text,
  version  bigint NOT NULL DEFAULT 0,
  cleared  bigint NOT NULL DEFAULT 0
);

CREATE TABLE fleetkeeper.account (
  key        text COLLATE "C" PRIMARY KEY,
  base_url   text COLLATE "C" NOT NULL REFERENCES fleetkeeper.service,
  account_id text COLLATE "C" NOT NULL,
  decision   text,
  version    bigint NOT NULL DEFAULT 0,
  cleared    bigint NOT NULL DEFAULT 0,
  wakes      bigint NOT NULL DEFAULT 0,
  row        text NOT NULL,
  UNIQUE (base_url, account_id)
);

-- Each transaction that changed something, for as long as somebody may not know whether it was stored.
CREATE TABLE fleetkeeper.decision (
  id      text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  version bigint NOT NULL,
  at      timestamptz NOT NULL
);
CREATE INDEX decision_account ON fleetkeeper.decision (account, at);

CREATE TABLE fleetkeeper.intent (
  id      text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  grouped text COLLATE "C" NOT NULL,
  state   text NOT NULL,
  row     text NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  place   bigint GENERATED ALWAYS AS IDENTITY,
  archived boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX intent_open ON fleetkeeper.intent (account, grouped) WHERE state = 'open';
CREATE INDEX intent_version ON fleetkeeper.intent (account, version) WHERE NOT archived;

CREATE TABLE fleetkeeper.deployment (
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  id      text COLLATE "C" NOT NULL,
  launch  text COLLATE "C",
  claim   text,
  ended   text,
  row     text NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  archived text,
  PRIMARY KEY (account, id)
);
CREATE INDEX deployment_version ON fleetkeeper.deployment (account, version) WHERE archived IS NULL;
CREATE INDEX deployment_archived ON fleetkeeper.deployment (account, version) WHERE archived IS NOT NULL;
CREATE INDEX deployment_launch ON fleetkeeper.deployment (account, launch) WHERE archived IS NOT NULL;

CREATE TABLE fleetkeeper.slot (
  id      text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  row     text NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  place   bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX slot_version ON fleetkeeper.slot (account, version);

CREATE TABLE fleetkeeper.fleet (
  name    text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  row     text NOT NULL,
  version bigint NOT NULL DEFAULT 0
);
CREATE INDEX fleet_version ON fleetkeeper.fleet (account, version);

CREATE TABLE fleetkeeper.cooldown (
  base_url    text COLLATE "C" NOT NULL REFERENCES fleetkeeper.service,
  combination text COLLATE "C" NOT NULL,
  row         text NOT NULL,
  version     bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (base_url, combination)
);
CREATE INDEX cooldown_version ON fleetkeeper.cooldown (base_url, version);

CREATE TABLE fleetkeeper.event (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account  text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  at       bigint NOT NULL,
  intent   text COLLATE "C",
  row      text NOT NULL
);
CREATE INDEX event_account ON fleetkeeper.event (account, sequence);
CREATE INDEX event_intent ON fleetkeeper.event (account, intent) WHERE intent IS NOT NULL;

CREATE TABLE fleetkeeper.stretch (
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  at      bigint NOT NULL,
  until   bigint NOT NULL,
  row     text NOT NULL,
  PRIMARY KEY (account, at)
);
CREATE INDEX stretch_until ON fleetkeeper.stretch (account, until);

CREATE FUNCTION fleetkeeper.raised() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
${["account", "service"]
  .map(
    (table) => `
CREATE TRIGGER ${table}_updated BEFORE UPDATE ON fleetkeeper.${table}
  FOR EACH ROW EXECUTE FUNCTION fleetkeeper.raised();`,
  )
  .join("")}
${[
  marked("intent", "id", "account", "account", "key", LAUNCH_CHANGED),
  marked("deployment", "id", "account", "account", "key", MACHINE_CHANGED),
  marked("slot", "id", "account", "account", "key"),
  marked("fleet", "name", "account", "account", "key"),
  marked("cooldown", "combination", "base_url", "service", "base_url"),
].join("")}`;

/**
 * `xmin` is the transaction that wrote the owner's row. If that is this one, the owner has its new version:
 * a transaction needs only one. A row that gets another key has left the old one, as if it were deleted.
 */
function marked(table: string, name: string, column: string, owner: string, key: string, more = ""): string {
  return `
CREATE FUNCTION fleetkeeper.${table}_marked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT version INTO NEW.version FROM fleetkeeper.${owner}
    WHERE ${key} = NEW.${column} AND xmin = pg_current_xact_id()::xid;
  IF NOT FOUND THEN
    UPDATE fleetkeeper.${owner} SET ${key} = ${key} WHERE ${key} = NEW.${column} RETURNING version INTO NEW.version;
  END IF;
  IF TG_OP = 'UPDATE' AND (OLD.${column}, OLD.${name}) IS DISTINCT FROM (NEW.${column}, NEW.${name}) THEN
    UPDATE fleetkeeper.${owner} SET cleared = version + 1 WHERE ${key} = OLD.${column};
  END IF;${more}
  RETURN NEW;
END $$;
CREATE TRIGGER ${table}_marked BEFORE INSERT OR UPDATE ON fleetkeeper.${table}
  FOR EACH ROW EXECUTE FUNCTION fleetkeeper.${table}_marked();
CREATE FUNCTION fleetkeeper.${table}_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE fleetkeeper.${owner} SET cleared = version + 1 WHERE ${key} IN (SELECT ${column} FROM gone);
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_deleted AFTER DELETE ON fleetkeeper.${table}
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION fleetkeeper.${table}_deleted();
CREATE FUNCTION fleetkeeper.${table}_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE fleetkeeper.${owner} SET cleared = version + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_emptied AFTER TRUNCATE ON fleetkeeper.${table}
  FOR EACH STATEMENT EXECUTE FUNCTION fleetkeeper.${table}_emptied();`;
}
