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
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { check, isKnown } from "./migrate.ts";
import { isOpenHere } from "./open-files.ts";

/** Gives the file system of a folder: the magic number of statfs(2). */
export type FileSystemOf = (folder: string) => number;

/**
 * File systems that several computers may write to, or with unreliable locks or shared memory: SQLite's WAL
 * breaks there. NFS, SMB (three), AFS (two), Coda, Ceph, Lustre, GFS2, OCFS2, BeeGFS, 9P, FUSE (sshfs,
 * GlusterFS), and the shared folders of VirtualBox, VMware and Parallels.
 */
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x6b414653, 0x73757245, 0x00c36400, 0x0bd00bd0,
  0x01161970, 0x7461636f, 0x19830326, 0x01021997, 0x65735546, 0x786f4256, 0xbacbacbc, 0x7c7c6673,
]);

const MAGIC = "SQLite format 3\u0000";

/**
 * Makes the folder and the file. Throws LEDGER for what must not be opened as a ledger, before SQLite writes
 * a byte: it would turn a stranger's database to WAL, or put side files beside a file that is no database.
 * Returns the real path: the side files stand beside that, not beside a link to it.
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
  // It was checked when it was first opened. Another check would cost SQLite its locks.
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
  // Usually this opens no database. If the header does not say so, a newer one may stand in the WAL.
  if (isKnown({ version: header.readUInt32BE(60), application: header.readUInt32BE(68) })) return file;
  // Without a WAL the file does not change now. SQLite is told so, or it would leave side files behind.
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

/** True if something may stand in the write-ahead log that is not in the file yet. */
export function hasWal(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Closes a refused file and leaves it as it was. The last connection to close writes the WAL into the file,
 * as after the SIGKILL of its writer, unless it is read-only. So a read-only one stays a moment longer.
 */
export function closeUnchanged(db: DatabaseSync, file: string): void {
  let last: DatabaseSync | undefined;
  try {
    last = new DatabaseSync(file, { readOnly: true });
    last.prepare("PRAGMA user_version").get();
  } catch {
    // People are told why the file is refused. That it cannot be read has most often the same cause.
  } finally {
    db.close();
    last?.close();
  }
}

/**
 * When the file itself last changed, wall time in ms: the ctime of POSIX, which no program can set. A copy
 * over it, a rename or a restore counts, whatever modification time it brings along.
 */
export function changedAt(file: string): number {
  return statSync(file).ctimeMs;
}

/** Tells a file from another one that was put in its place. */
export function identityOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Zeros if the file is shorter. */
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
 * A ledger holds what launches are made with, so only its owner may read it. SQLite gives its side files the
 * same mode. An existing file keeps its mode: it may be shared with a group on purpose.
 */
function makeFile(file: string): void {
  // To append: if another process was quicker, its file stays as it is.
  closeSync(openSync(file, "a", 0o600));
}

/** A link leads nowhere while its disk is not mounted. A new ledger made there would know no machine. */
function refuseDanglingLink(location: string): void {
  if (existsSync(location) || !lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new FleetkeeperError(
    "LEDGER",
    `${location}: this is a link to ${readlinkSync(location)}, and nothing is there. No ledger is made through a link. ` +
      "Mount what it leads to, or delete the link, or name another path.",
  );
}

/** mkdir's own recursion never returns below a folder that takes none, such as /proc. */
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
