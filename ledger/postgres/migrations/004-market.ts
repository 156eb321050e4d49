/** As in SQLite: what the account's service offers, one row a change. */
export const market = `
CREATE TABLE fleetkeeper.market (
  account text COLLATE "C" NOT NULL REFERENCES fleetkeeper.account,
  at      bigint NOT NULL,
  until   bigint NOT NULL,
  row     text NOT NULL,
  PRIMARY KEY (account, at)
);`;
