import { join } from "node:path";
import { expect, it } from "vitest";
import { findChromium, noticeOfMissingChromium } from "../../scripts/setup/chromium.mjs";
import { emptyFolder, fakeCommand } from "./folder.ts";

/** A PATH with nothing but these commands. */
function pathWith(commands: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const bin = emptyFolder();
  for (const [name, script] of Object.entries(commands)) fakeCommand(bin, name, script);
  return { PATH: bin };
}

it("takes the one that is on the PATH and runs, and installs nothing then", async () => {
  const env = pathWith({ chromium: "exit 1", "google-chrome": "echo Google Chrome 150.0" });
  const install = (): never => {
    throw new Error("installed");
  };
  const { chromium } = await findChromium({ env, install });
  expect(chromium).toMatchObject({
    file: join(String(env.PATH), "google-chrome"),
    version: "Google Chrome 150.0",
  });
});

it("prefers the one that was chosen, and says so where that does not run", async () => {
  const env = pathWith({ chromium: "echo Chromium 1", mine: "echo Chromium 2", broken: "exit 1" });
  const chosen = (name: string) => ({ ...env, FLEETKEEPER_CHROMIUM: join(String(env.PATH), name) });
  expect((await findChromium({ env: chosen("mine") })).chromium?.version).toBe("Chromium 2");
  expect((await findChromium({ env: chosen("broken") })).missing).toMatch(
    /^FLEETKEEPER_CHROMIUM=.*does not run$/,
  );
});

it("installs one where there is none, says why it could not, and does not where it may not", async () => {
  const env = pathWith({});
  const failed = await findChromium({ env, install: async () => "no apt-get" });
  expect(failed.missing).toBe("no chromium and no google-chrome on the PATH; no apt-get");
  const install = async (): Promise<undefined> => {
    fakeCommand(String(env.PATH), "chromium", "echo Chromium 3");
  };
  expect((await findChromium({ env, mayInstall: false, install })).missing).toBeDefined();
  expect((await findChromium({ env, install })).chromium).toMatchObject({
    version: "Chromium 3",
    from: "Debian's package",
  });
});

it("says what is missing, what follows, and each way out", () => {
  for (const part of [
    "NO CHROMIUM HERE: why",
    "skipped, by name",
    "apt-get install chromium",
    "FLEETKEEPER_CHROMIUM",
  ])
    expect(noticeOfMissingChromium("why", false)).toContain(part);
  expect(noticeOfMissingChromium("why", true)).toContain("fail, because CI is set");
});
