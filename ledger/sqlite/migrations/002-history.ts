/** For charts: one row a change, not one a tick. `until` is a column, because old rows are deleted by it. */
export const history = `
CREATE TABLE stretch (
  account TEXT NOT NULL REFERENCES account (key),
  at      INTEGER NOT NULL,
  until   INTEGER NOT NULL,
  row     TEXT NOT NULL,
  PRIMARY KEY (account, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX stretch_until ON stretch (account, until);
`;
