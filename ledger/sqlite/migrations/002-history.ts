/** For charts: one row a change, not one a tick. Its end is a column, since old ones are forgotten by it. */
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
