/** As in SQLite: how the market changed, see ledger/sample.ts. */
export const sample = `
CREATE TABLE fleetkeeper.sample (
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  at      bigint NOT NULL,
  until   bigint NOT NULL,
  row     text NOT NULL,
  PRIMARY KEY (account, at)
);`;
