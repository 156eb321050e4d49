/**
 * Keys, and fields that a constraint or a query needs, are columns; the row itself is JSON. Two constraints
 * keep money safe even if every process is wrong: one open intent a group, and one row a deployment id, so
 * one claim a machine.
 */
export const initial = `
CREATE TABLE ledger (
  id      TEXT PRIMARY KEY,
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE account (
  key        TEXT PRIMARY KEY,
  base_url   TEXT NOT NULL,
  account_id TEXT NOT NULL,
  row        TEXT NOT NULL,
  UNIQUE (base_url, account_id)
) STRICT;

CREATE TABLE intent (
  id      TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES account (key),
  grouped TEXT NOT NULL,
  state   TEXT NOT NULL,
  row     TEXT NOT NULL
) STRICT;
CREATE INDEX intent_account ON intent (account);
CREATE UNIQUE INDEX intent_open ON intent (account, grouped) WHERE state = 'open';

CREATE TABLE deployment (
  account TEXT NOT NULL REFERENCES account (key),
  id      TEXT NOT NULL,
  claim   TEXT,
  ended   TEXT,
  row     TEXT NOT NULL,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE slot (
  id      TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES account (key),
  row     TEXT NOT NULL
) STRICT;

CREATE TABLE fleet (
  name    TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES account (key),
  row     TEXT NOT NULL
) STRICT;

CREATE TABLE cooldown (
  base_url    TEXT NOT NULL,
  combination TEXT NOT NULL,
  row         TEXT NOT NULL,
  PRIMARY KEY (base_url, combination)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  account  TEXT NOT NULL REFERENCES account (key),
  at       INTEGER NOT NULL,
  row      TEXT NOT NULL
) STRICT;
CREATE INDEX event_account ON event (account, sequence);
`;
