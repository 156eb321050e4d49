import { describe, expect, it } from "vitest";
import { isInstalled, withoutOwnBin } from "../../scripts/setup/install.mjs";
import { root } from "../../scripts/setup/paths.mjs";
import { emptyFolder, write } from "./folder.ts";

const zod = { version: "4.6.7", integrity: "sha512-a" };
const otherPlatform = { version: "1.0.0", integrity: "sha512-b", optional: true };
const wanted = {
  "": { name: "x" },
  "node_modules/zod": zod,
  "node_modules/build-win32": otherPlatform,
  "node_modules/self": { link: true },
};
const present = { "node_modules/zod": zod, "node_modules/self": { link: true } };

function cloneWith(record: object | undefined): string {
  const folder = emptyFolder();
  write(folder, { "package-lock.json": JSON.stringify({ packages: wanted }) });
  if (record) write(folder, { "node_modules/.package-lock.json": JSON.stringify({ packages: record }) });
  return folder;
}

describe("what counts as installed", () => {
  it("is npm's own record of what the lock asks for, without builds for other platforms", () => {
    expect(isInstalled(cloneWith(present))).toBe(true);
  });

  it("is not an interrupted install, which leaves no record", () => {
    expect(isInstalled(cloneWith(undefined))).toBe(false);
  });

  it("is not another version, another content, or a package that is missing", () => {
    expect(isInstalled(cloneWith({ ...present, "node_modules/zod": { ...zod, version: "4.6.6" } }))).toBe(
      false,
    );
    expect(
      isInstalled(cloneWith({ ...present, "node_modules/zod": { ...zod, integrity: "sha512-c" } })),
    ).toBe(false);
    expect(isInstalled(cloneWith({ "node_modules/zod": zod }))).toBe(false);
  });
});

it("runs npm ci on a Node that npm ci does not delete", () => {
  const env = { PATH: `${root}/node_modules/.bin:/usr/bin:${root}/node_modules/node/bin`, HOME: "/home/x" };
  expect(withoutOwnBin(env)).toEqual({ PATH: "/usr/bin", HOME: "/home/x" });
});
