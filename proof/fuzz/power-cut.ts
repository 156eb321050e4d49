/*
 * What a power cut leaves of a SQLite file and of its write-ahead log: of the last transaction a part, and of a page that was just copied from the log
 * into the file some sectors. All that was committed before stands whole in the log.
 */

/** Numbers, so that fast-check shrinks them. */
export interface PowerCut {
  /** How much of what was written last is there, counted round. */
  readonly kept: number;
  /** Which page of the log is half copied, counted round. */
  readonly page: number;
  /** Which of its sectors are, as bits. */
  readonly sectors: number;
}

const HEADER = 32;
const FRAME_HEADER = 24;
const SECTOR = 512;

/** The log `before` the last transaction, with a part of what that wrote. Only what differs was written. */
export function halfWritten(before: Buffer, after: Buffer, { kept }: PowerCut): Buffer {
  const from = after.findIndex((byte, at) => byte !== before[at]);
  const written = after.length - from;
  const to = from + (kept % written);
  return Buffer.concat([after.subarray(0, to), before.subarray(to)]);
}

/** The file, in which one page is half that of the log. */
export function tornPage(file: Buffer, log: Buffer, { page, sectors }: PowerCut): Buffer {
  const size = log.readUInt32BE(8);
  const step = FRAME_HEADER + size;
  const salt = log.subarray(16, 24);
  // An older frame stands behind the newest one where the log was begun anew.
  const newest = new Map<number, number>();
  for (let at = HEADER; at + step <= log.length && log.subarray(at + 8, at + 16).equals(salt); at += step)
    newest.set(log.readUInt32BE(at), at + FRAME_HEADER);
  const [number, from] = [...newest][page % newest.size] ?? [];
  if (number === undefined || from === undefined) return file;
  const torn = Buffer.concat([file, Buffer.alloc(Math.max(0, number * size - file.length))]);
  for (let at = 0; at < size; at += SECTOR)
    if ((sectors >> (at / SECTOR)) & 1)
      log.copy(torn, (number - 1) * size + at, from + at, from + at + SECTOR);
  return torn;
}
