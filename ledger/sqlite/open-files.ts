/*
 * The ledger files that this process has open. When a process closes any handle of a file, POSIX drops all
 * its locks on it, even SQLite's, which does not learn of it. The next process to close the ledger takes
 * itself for the last one and deletes the WAL under this one, whose launches are lost. So only SQLite opens a
 * file that is open here. (SQLite notices since 3.51; Node 24 came with 3.49.)
 */

const counts = new Map<string, number>();

/** `identity` is the file's own, whatever its path. */
export function isOpenHere(identity: string | undefined): boolean {
  return identity !== undefined && counts.has(identity);
}

/** Counts an open handle. Call the returned function once it is closed. */
export function openedHere(identity: string | undefined): () => void {
  if (identity === undefined) return () => undefined;
  counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return () => {
    const left = (counts.get(identity) ?? 0) - 1;
    if (left > 0) counts.set(identity, left);
    else counts.delete(identity);
  };
}
