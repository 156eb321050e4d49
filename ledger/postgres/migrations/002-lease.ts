/**
 * Who keeps an account as its agent. A table of its own: a renewal waits for no decision, and changes nothing
 * that a view shows. `holder` is null once it was given back. The row stays, since its term must never go back.
 */
export const lease = `
CREATE TABLE fleetkeeper.lease (
  account text COLLATE "C" PRIMARY KEY REFERENCES fleetkeeper.account,
  holder  text COLLATE "C",
  term    bigint NOT NULL,
  expires timestamptz NOT NULL
) WITH (fillfactor = 50);`;
