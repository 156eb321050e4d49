/**
 * Each change of a row raises the ledger's version and marks the row with it, so that a process finds what
 * others have changed since it last looked. Triggers do it: whoever writes, an older fleetkeeper or a person,
 * no change is missed. Deletions leave nothing to mark: `cleared` is the version of the newest.
 */
export const versions = `
ALTER TABLE ledger ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN cleared INTEGER NOT NULL DEFAULT 0;
${[
  marked("intent", "id = NEW.id"),
  marked("deployment", "account = NEW.account AND id = NEW.id"),
  marked("slot", "id = NEW.id"),
  marked("fleet", "name = NEW.name"),
  marked("cooldown", "base_url = NEW.base_url AND combination = NEW.combination"),
].join("")}
CREATE INDEX intent_version ON intent (account, version);
CREATE INDEX deployment_version ON deployment (account, version);
CREATE INDEX slot_version ON slot (account, version);
`;

/** The triggers set no column but `version`, so they do not fire each other. */
function marked(table: string, same: string): string {
  const mark = `
  UPDATE ledger SET version = version + 1;
  UPDATE ${table} SET version = (SELECT version FROM ledger) WHERE ${same};
END;`;
  return `
ALTER TABLE ${table} ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN${mark}
CREATE TRIGGER ${table}_updated AFTER UPDATE OF row ON ${table} BEGIN${mark}
CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
  UPDATE ledger SET version = version + 1, cleared = version + 1;
END;`;
}
