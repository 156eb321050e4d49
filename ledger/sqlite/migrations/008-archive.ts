/**
 * Machines that ended long ago, and their launches, stay in their tables; `archived` says that no rule goes
 * through them, and holds what is kept in memory of a machine. A row that changes is archived no more, and its
 * counterpart neither, whoever writes: an older fleetkeeper goes on with the file as it is. Archived rows have
 * indexes of their own, so that the others are found without a look at them.
 *
 * In a table without rowid a row of more than a quarter of a page needs a second one. What is kept of an archived
 * machine would do that to each of them. So the table of deployments is built anew with a rowid.
 */
export const archive = `
ALTER TABLE intent ADD COLUMN archived TEXT;
DROP INDEX intent_version;
CREATE TABLE machine (
  account  TEXT NOT NULL REFERENCES account (key),
  id       TEXT NOT NULL,
  claim    TEXT,
  ended    TEXT,
  row      TEXT NOT NULL,
  version  INTEGER NOT NULL DEFAULT 0,
  archived TEXT,
  UNIQUE (account, id)
) STRICT;
INSERT INTO machine (account, id, claim, ended, row, version)
SELECT account, id, claim, ended, row, version FROM deployment;
DROP TABLE deployment;
ALTER TABLE machine RENAME TO deployment;
${["intent", "deployment"].map(split).join("")}
CREATE TRIGGER deployment_inserted AFTER INSERT ON deployment WHEN NEW.version = 0 OR ${isUnmarked("deployment")}
CREATE TRIGGER deployment_updated AFTER UPDATE OF row ON deployment
WHEN NEW.version = OLD.version OR ${isUnmarked("deployment")}
CREATE TRIGGER deployment_deleted AFTER DELETE ON deployment BEGIN
  UPDATE ledger SET version = version + 1, cleared = version + 1;
END;
CREATE TRIGGER deployment_recalled AFTER UPDATE OF row ON deployment WHEN OLD.archived IS NOT NULL BEGIN
  UPDATE deployment SET archived = NULL WHERE account = NEW.account AND id = NEW.id;
  UPDATE intent SET archived = NULL WHERE account = NEW.account AND id = json_extract(OLD.row, '$.intent');
END;
CREATE TRIGGER intent_recalled AFTER UPDATE OF row ON intent WHEN OLD.archived IS NOT NULL BEGIN
  UPDATE intent SET archived = NULL WHERE id = NEW.id;
  UPDATE deployment SET archived = NULL
  WHERE account = NEW.account AND id = json_extract(OLD.row, '$.deployment');
END;
`;

/** Others find by its version what was archived, or came back. */
function split(table: string): string {
  return `
CREATE INDEX ${table}_here ON ${table} (account, version) WHERE archived IS NULL;
CREATE INDEX ${table}_archived ON ${table} (account, version, id, archived) WHERE archived IS NOT NULL;
CREATE TRIGGER ${table}_archived AFTER UPDATE OF archived ON ${table}
WHEN NEW.version = OLD.version OR ${isUnmarked(table)}`;
}

/** As in 007-marked-once.ts: whoever writes and gives no new version has it given. */
function isUnmarked(table: string): string {
  return `NEW.version <> (SELECT version FROM ledger) BEGIN
  UPDATE ledger SET version = version + 1;
  UPDATE ${table} SET version = (SELECT version FROM ledger) WHERE account = NEW.account AND id = NEW.id;
END;`;
}
