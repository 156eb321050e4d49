/**
 * How the market changed: see ledger/sample.ts. It has a rowid, since its rows are of any length: without one, each that is
 * longer than a quarter of a page takes pages of its own.
 */
export const sample = `
CREATE TABLE sample (
  account TEXT NOT NULL REFERENCES account (key),
  at      INTEGER NOT NULL,
  until   INTEGER NOT NULL,
  row     TEXT NOT NULL,
  PRIMARY KEY (account, at)
) STRICT;
`;
