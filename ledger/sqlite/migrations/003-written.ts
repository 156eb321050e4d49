/** When fleetkeeper wrote to the file last: a file that changed later was written by something else, such as a restore. */
export const written = `ALTER TABLE ledger ADD COLUMN written INTEGER;`;
