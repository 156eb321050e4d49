/**
 * Machines that ended long ago, and their launches, stay in their tables; `archived` says that no rule goes
 * through them, and holds what is kept in memory of a machine. A row that changes is archived no more, and its
 * counterpart neither, whoever writes: an older fleetkeeper goes on with the file as it is. Archived rows have
 * indexes of their own, so that the others are found without a look at them.
 */
export const archive = `
${["intent", "deployment"].map(split).join("")}
CREATE TRIGGER deployment_recalled AFTER UPDATE OF row ON deployment WHEN OLD.archived IS NOT NULL BEGIN
  UPDATE deployment SET archived = NULL WHERE account = NEW.account AND id = NEW.id;
  UPDATE intent SET archived = NULL WHERE account = NEW.account AND id = json_extract(NEW.row, '$.intent');
END;
CREATE TRIGGER intent_recalled AFTER UPDATE OF row ON intent WHEN OLD.archived IS NOT NULL BEGIN
  UPDATE intent SET archived = NULL WHERE id = NEW.id;
  UPDATE deployment SET archived = NULL
  WHERE account = NEW.account AND id = json_extract(NEW.row, '$.deployment');
END;
`;

/** As in 007-marked-once.ts: others find by its version what was archived, or came back. */
function split(table: string): string {
  return `
ALTER TABLE ${table} ADD COLUMN archived TEXT;
DROP INDEX ${table}_version;
CREATE INDEX ${table}_here ON ${table} (account, version) WHERE archived IS NULL;
CREATE INDEX ${table}_archived ON ${table} (account, version, archived) WHERE archived IS NOT NULL;
CREATE TRIGGER ${table}_archived AFTER UPDATE OF archived ON ${table}
WHEN NEW.version = OLD.version OR NEW.version <> (SELECT version FROM ledger) BEGIN
  UPDATE ledger SET version = version + 1;
  UPDATE ${table} SET version = (SELECT version FROM ledger) WHERE account = NEW.account AND id = NEW.id;
END;`;
}
