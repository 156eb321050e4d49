import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { whyUnreadable } from "../../../service/process/unreadable.ts";

/** As much as one answer may have (service/contract/limits.ts), and more than any document. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The text of a file, or why there is none. */
export type FileText =
  | { readonly text: string; readonly trouble?: never }
  | { readonly trouble: string; readonly text?: never };

/** Reads a file of any usual encoding: UTF-8 or UTF-16 with or without a mark, gzip as the server sent it. */
export function readSavedFile(path: string): FileText {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return { trouble: `it cannot be read: ${whyUnreadable(error)}` };
  }
  if (bytes.length > MOST_BYTES)
    return { trouble: `it has ${bytes.length} bytes, and ${MOST_BYTES} are the most that is read` };
  if (bytes.length === 0) return { trouble: "it is empty: nothing was saved" };
  return textOf(bytes);
}

function textOf(bytes: Buffer): FileText {
  // PowerShell's > writes UTF-16.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.subarray(2).toString("utf16le") };
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return {
      text: Buffer.from(bytes.subarray(2, bytes.length & ~1))
        .swap16()
        .toString("utf16le"),
    };
  const packed = bytes.indexOf(Buffer.from([0x1f, 0x8b, 0x08]));
  if (packed >= 0) return unpacked(bytes, packed);
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  return text.includes("\0")
    ? {
        trouble:
          "it holds bytes that are no text. If the answer was compressed, save it with curl --compressed",
      }
    : { text };
}

function unpacked(bytes: Buffer, start: number): FileText {
  const head = bytes
    .subarray(0, start)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  try {
    const body = gunzipSync(bytes.subarray(start), { maxOutputLength: MOST_BYTES });
    return { text: head + body.toString("utf8") };
  } catch {
    return { trouble: "its body is compressed, and damaged or cut off: save it with curl --compressed" };
  }
}
