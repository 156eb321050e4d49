/**
 * The epoch in which the ledger's moments count (../../epoch.ts), and which server it began on: by when that was
 * started, which no two share. 0: none has begun.
 */
export const epoch = `
ALTER TABLE fleetkeeper.ledger
  ADD COLUMN epoch  bigint NOT NULL DEFAULT 0,
  ADD COLUMN since  bigint NOT NULL DEFAULT 0,
  ADD COLUMN server text;`;
