/**
 * Who writes a row may mark it in the same statement, with a version that it has just given to the ledger: then
 * no trigger writes the row and its index again. The triggers mark what comes without, as from an older
 * fleetkeeper or a person. The index of intents by account alone is gone: the one by version begins with it.
 */
export const markedOnce = `
${[
  marked("intent", "id = NEW.id"),
  marked("deployment", "account = NEW.account AND id = NEW.id"),
  marked("slot", "id = NEW.id"),
  marked("fleet", "name = NEW.name"),
  marked("cooldown", "base_url = NEW.base_url AND combination = NEW.combination"),
].join("")}
DROP INDEX intent_account;
`;

/** A row that was just marked has the ledger's version, too: who changes it and gives no new one has marked nothing. */
function marked(table: string, same: string): string {
  const mark = `NEW.version <> (SELECT version FROM ledger) BEGIN
  UPDATE ledger SET version = version + 1;
  UPDATE ${table} SET version = (SELECT version FROM ledger) WHERE ${same};
END;`;
  return `
DROP TRIGGER ${table}_inserted;
DROP TRIGGER ${table}_updated;
CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} WHEN NEW.version = 0 OR ${mark}
CREATE TRIGGER ${table}_updated AFTER UPDATE OF row ON ${table} WHEN NEW.version = OLD.version OR ${mark}`;
}
