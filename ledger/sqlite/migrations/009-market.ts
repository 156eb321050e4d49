/**
 * What the account's service offers: one row a change. Only the newest is kept, and `at` is a part of the key so that
 * others may be.
 */
export const market = `
CREATE TABLE market (
  account TEXT NOT NULL REFERENCES account (key),
  at      INTEGER NOT NULL,
  until   INTEGER NOT NULL,
  row     TEXT NOT NULL,
  PRIMARY KEY (account, at)
) STRICT, WITHOUT ROWID;
`;
