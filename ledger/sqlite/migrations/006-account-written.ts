/**
 * When fleetkeeper last wrote an account's row. Where it writes nothing else, as in a tick in which nothing
 * changed, this takes the place of `ledger.written`: one page of the file changes, and not two.
 */
export const accountWritten = `ALTER TABLE account ADD COLUMN written INTEGER;`;
