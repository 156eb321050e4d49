/*
 * The ledger files that this process has open. POSIX gives up all locks of a process on a file when it closes any handle of that file,
 * whoever opened it: those of SQLite too, which does not learn of it. The next process to close the ledger then takes itself for
 * the last one and deletes the WAL under this one, whose launches nobody else ever hears of. So a file that is open here is
 * opened by SQLite alone, which knows of its own handles. (Since 3.51 SQLite notices; Node 24 came with 3.49.)
 */

const counts = new Map<string, number>();

/** `identity`: of the file itself, whatever its path. */
export function isOpenHere(identity: string | undefined): boolean {
  return identity !== undefined && counts.has(identity);
}

/** Returns what is to be called once it is closed. */
export function openedHere(identity: string | undefined): () => void {
  if (identity === undefined) return () => undefined;
  counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return () => {
    const left = (counts.get(identity) ?? 0) - 1;
    if (left > 0) counts.set(identity, left);
    else counts.delete(identity);
  };
}
