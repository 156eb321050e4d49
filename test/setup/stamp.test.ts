import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { filesUnder, hashOfFiles } from "../../scripts/setup/stamp.mjs";
import { emptyFolder, write } from "./folder.ts";

const names = ["a", "b", "one.json"];

function hash(folder: string): string {
  return hashOfFiles(folder, filesUnder(folder, names));
}

it("takes folders and files, in one order, and leaves out what does not exist", () => {
  const folder = emptyFolder();
  write(folder, { "b/z.ts": "", "b/deep/y.ts": "", "one.json": "{}", "other/x.ts": "" });
  expect(filesUnder(folder, names)).toEqual(["b/deep/y.ts", "b/z.ts", "one.json"]);
});

it("is the same for the same content, and another after an edit, a rename or a removal", () => {
  const folder = emptyFolder();
  write(folder, { "a/one.ts": "1", "a/two.ts": "2", "one.json": "{}" });
  const first = hash(folder);
  expect(hash(folder)).toBe(first);

  write(folder, { "a/one.ts": "1 " });
  const edited = hash(folder);
  renameSync(path.join(folder, "a/one.ts"), path.join(folder, "a/uno.ts"));
  const renamed = hash(folder);
  rmSync(path.join(folder, "a/uno.ts"));
  expect(new Set([first, edited, renamed, hash(folder)]).size).toBe(4);
});

it("tells a byte at the end of one file from the same byte at the start of the next", () => {
  const folder = emptyFolder();
  write(folder, { "a/one.ts": "12", "a/two.ts": "3" });
  const first = hash(folder);
  write(folder, { "a/one.ts": "1", "a/two.ts": "23" });
  expect(hash(folder)).not.toBe(first);
});
