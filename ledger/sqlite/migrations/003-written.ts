/** When fleetkeeper last wrote to the file. A later change is another's, such as a restore. */
export const written = `ALTER TABLE ledger ADD COLUMN written INTEGER;`;
