import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { FleetkeeperError } from "../../service/errors.ts";
import { check, isKnown } from "./migrate.ts";
import { isOpenHere } from "./open-files.ts";

/** Says on what kind of file system a folder is: the magic number of statfs(2). */
export type FileSystemOf = (folder: string) => number;

/**
 * File systems that several machines may write to, or whose locks and shared memory cannot be relied on: SQLite's WAL
 * breaks there. NFS, SMB (three), AFS (two), Coda, Ceph, Lustre, GFS2, OCFS2, BeeGFS, 9P, FUSE (sshfs, GlusterFS), and the
 * shared folders of VirtualBox, VMware and Parallels.
 */
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x6b414653, 0x73757245, 0x00c36400, 0x0bd00bd0,
  0x01161970, 0x7461636f, 0x19830326, 0x01021997, 0x65735546, 0x786f4256, 0xbacbacbc, 0x7c7c6673,
]);

const MAGIC = "SQLite format 3\u0000";

/**
 * Makes the folder and the file, and refuses what must not be opened as a ledger, before SQLite gets to write a single byte: it would
 * turn a stranger's database to WAL, or make side files beside what is no database at all.
 *
 * Returns the file's real path: the side files stand beside that, not beside a link to it.
 */
export function prepareFile(
  location: string,
  busyMs: number,
  fileSystemOf: FileSystemOf = (folder) => statfsSync(folder).type,
): string {
  refuseDanglingLink(location);
  makeFolder(dirname(location));
  const file = existsSync(location)
    ? realpathSync(location)
    : join(realpathSync(dirname(location)), basename(location));
  if (NETWORK_FILE_SYSTEMS.has(fileSystemOf(dirname(file)) >>> 0)) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this folder is on a network file system, where SQLite cannot keep several processes apart. ` +
        "Put the ledger on a local disk.",
    );
  }
  // It was looked at when it was opened first; to look again would cost SQLite its locks.
  if (isOpenHere(identityOf(file))) return file;
  if (!existsSync(file)) makeFile(file);
  if (statSync(file).size === 0) return file;
  const header = firstBytes(file, 100);
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this file is not a ledger (or is damaged). It was not touched. Restore it from a backup, or name another path.`,
    );
  }
  // The common case opens nothing. Where the header does not say so, a younger one may still stand in the WAL.
  if (isKnown({ version: header.readUInt32BE(60), application: header.readUInt32BE(68) })) return file;
  // Without a WAL nothing changes under this look, and SQLite is told so: else it would leave side files behind.
  const immutable = !existsSync(`${file}-wal`);
  const url = pathToFileURL(file);
  if (immutable) url.searchParams.set("immutable", "1");
  const db = new DatabaseSync(url, { readOnly: true, timeout: busyMs });
  try {
    check(db, location);
  } finally {
    db.close();
  }
  return file;
}

/**
 * Closes what is refused and leaves it as it was found. Whoever closes last writes the WAL into the file, as after the
 * SIGKILL of the process that made it, unless it may only read: so a reader stays a moment longer.
 */
export function closeUnchanged(db: DatabaseSync, file: string): void {
  let last: DatabaseSync | undefined;
  try {
    last = new DatabaseSync(file, { readOnly: true });
    last.prepare("PRAGMA user_version").get();
  } catch {
    // Why the file is refused is what people are told; that it cannot even be read is most often the same.
  } finally {
    db.close();
    last?.close();
  }
}

/**
 * When the file itself was changed last, wall time: a copy over it, a rename or a restore counts, whatever time of writing it
 * carries from elsewhere (the ctime of POSIX, which no program can set).
 */
export function changedAt(file: string): number {
  return statSync(file).ctimeMs;
}

/** Tells one file from another that was put in its place. */
export function identityOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Zeros where the file is shorter. */
function firstBytes(file: string, count: number): Buffer {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(count);
    readSync(handle, buffer);
    return buffer;
  } finally {
    closeSync(handle);
  }
}

/**
 * A ledger holds what launches are made with: it is its owner's alone to read, and SQLite gives its side files the same
 * mode. What is there already keeps its mode: somebody may share it with a group on purpose.
 */
function makeFile(file: string): void {
  // To append: where another process was quicker, its file stays as it is.
  closeSync(openSync(file, "a", 0o600));
}

/** Where a disk is not mounted, its link leads nowhere. A new ledger made there would know none of the machines. */
function refuseDanglingLink(location: string): void {
  if (existsSync(location) || !lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new FleetkeeperError(
    "LEDGER",
    `${location}: this is a link to ${readlinkSync(location)}, and nothing is there. No ledger is made through a link. ` +
      "Mount what it leads to, or delete the link, or name another path.",
  );
}

/** Not mkdir's own recursion: below a folder that takes none, such as /proc, that never returns. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(folder)) throw error;
  }
}
