import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { findEngine, type Way, waysToEngine } from "../../scripts/setup/engine.mjs";
import { withParts } from "../../scripts/setup/engine-parts.mjs";
import { emptyFolder, fakeCommand } from "./folder.ts";

/** A way that records that it was tried. */
function way(name: string, tried: string[], result: { finds?: boolean; makes?: boolean | string }): Way {
  const engine = { pulumi: `/${name}/pulumi`, version: "v3.1.0", from: name };
  return {
    name,
    async find() {
      tried.push(`find ${name}`);
      return result.finds ? engine : undefined;
    },
    async make() {
      tried.push(`make ${name}`);
      return result.makes === true ? engine : { failed: `${name}: ${result.makes ?? "no"}` };
    },
  };
}

/** An environment with nothing on its PATH but what is put into `bin`; the cache is empty. */
function bareEnvironment(): { env: NodeJS.ProcessEnv; bin: string; cache: string } {
  const folder = emptyFolder();
  const [bin, cache] = [path.join(folder, "bin"), path.join(folder, "cache")];
  mkdirSync(bin);
  return { bin, cache, env: { PATH: bin, HOME: folder, FLEETKEEPER_CACHE: cache } };
}

// What the set-up says while it works is not for the test's output.
beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));

describe("the choice of the engine", () => {
  it("looks everywhere before it makes anything, in the order of the ways", async () => {
    const { env } = bareEnvironment();
    const tried: string[] = [];
    const ways = [way("a", tried, {}), way("b", tried, { makes: true }), way("c", tried, { finds: true })];
    expect(await findEngine({ env, ways })).toMatchObject({ engine: { from: "c" } });
    expect(tried).toEqual(["find a", "find b", "find c"]);
  });

  it("makes it by the first way that can, and looks again first: another run may just have finished", async () => {
    const { env } = bareEnvironment();
    const tried: string[] = [];
    const ways = [
      way("a", tried, { makes: "blocked" }),
      way("b", tried, { makes: true }),
      way("c", tried, {}),
    ];
    expect(await findEngine({ env, ways })).toMatchObject({ engine: { from: "b" } });
    expect(tried.slice(3)).toEqual(["find a", "find b", "find c", "make a", "make b"]);
  });

  it("says why each way failed when none works", async () => {
    const { env } = bareEnvironment();
    const ways = [way("a", [], { makes: "blocked" }), way("b", [], { makes: "no Go" })];
    expect(await findEngine({ env, ways })).toEqual({
      missing: "no pulumi on the PATH; a: blocked; b: no Go",
    });
  });

  it("takes pulumi from the PATH with its version", async () => {
    const { env, bin } = bareEnvironment();
    const pulumi = fakeCommand(bin, "pulumi", "echo v3.9.9");
    const choice = await findEngine({ env, ways: waysToEngine(env).slice(0, 1) });
    expect(choice).toEqual({ engine: { pulumi, version: "v3.9.9", from: "found on the PATH" } });
  });

  it("does not take a pulumi that does not run", async () => {
    const { env, bin } = bareEnvironment();
    fakeCommand(bin, "pulumi", "exit 1");
    expect(await waysToEngine(env)[0]?.find()).toBeUndefined();
  });

  it("lets FLEETKEEPER_PULUMI overrule the PATH, and does not go round it when it is wrong", async () => {
    const { env, bin } = bareEnvironment();
    fakeCommand(bin, "pulumi", "echo v3.9.9");
    const own = fakeCommand(emptyFolder(), "my-pulumi", "echo v3.1.2");
    expect(await findEngine({ env: { ...env, FLEETKEEPER_PULUMI: own } })).toMatchObject({
      engine: { pulumi: own, version: "v3.1.2" },
    });
    expect(await findEngine({ env: { ...env, FLEETKEEPER_PULUMI: "/nowhere/pulumi" } })).toEqual({
      missing: "FLEETKEEPER_PULUMI=/nowhere/pulumi does not run as the pulumi command",
    });
  });

  it("needs Go 1.25 to build it, and says what it found", async () => {
    const { env, bin } = bareEnvironment();
    const go = waysToEngine(env).find((each) => each.name === "Go");
    expect(await go?.make?.()).toEqual({ failed: "no Go to build it with" });
    fakeCommand(bin, "go", "echo go1.24.9");
    expect(await go?.make?.()).toEqual({ failed: "go1.24.9 is too old to build it (needs 1.25)" });
  });

  it("names the last thing go build said when it fails, and leaves no half-built engine to be found", async () => {
    const { env, bin } = bareEnvironment();
    fakeCommand(
      bin,
      "go",
      '[ "$1" = env ] && echo go1.25.0 && exit; echo "verifying module: checksum mismatch" >&2; exit 1',
    );
    const go = waysToEngine(env).find((each) => each.name === "Go");
    expect(await go?.make?.()).toMatchObject({ failed: expect.stringContaining("checksum mismatch") });
    expect(await go?.find()).toBeUndefined();
  });
});

describe("the parts of an engine", () => {
  const languages = ["go", "nodejs", "python", "yaml"].map((name) => `pulumi-language-${name}`);
  const plugins = [...languages, "pulumi-resource-pulumi-nodejs"];

  it("are left to an official engine, which brings them", async () => {
    const { env, bin } = bareEnvironment();
    const official = emptyFolder();
    for (const name of ["pulumi", ...plugins]) fakeCommand(official, name, "");
    // As Homebrew does it: a link on the PATH, the rest beside what it leads to.
    const pulumi = path.join(bin, "pulumi");
    symlinkSync(path.join(official, "pulumi"), pulumi);
    const engine = { pulumi, version: "v3.9.9", from: "test" };
    expect(await withParts(engine, { env, folder: emptyFolder() })).toBe(engine);
  });

  it("are added in a folder of their own, once, to an engine without", async () => {
    const { env, bin } = bareEnvironment();
    const pulumi = fakeCommand(bin, "pulumi", "echo v3.9.9");
    const folder = emptyFolder();
    const engine = { pulumi, version: "v3.9.9", from: "test" };
    const complete = await withParts(engine, { env, folder });
    expect(complete.pulumi).toBe(path.join(folder, "pulumi"));
    expect(await withParts(complete, { env, folder })).toBe(complete);
  });
});
