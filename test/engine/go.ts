import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { goEnvironment } from "../../scripts/setup/go-program.mjs";
import { noGenerator, sdkFolder } from "../../scripts/setup/sdks.mjs";

/** Why a program in Go cannot be compiled here; undefined if it can. The engine's build has its modules. */
export const noGo: string | undefined = await noGenerator(process.env);

const sdk = sdkFolder("go");

/** Makes a module of a folder that uses sdk/go of this tree, with the versions and checksums of sdk/go itself. */
export function goModule(folder: string): void {
  const own = ["require fleetkeeper.invalid/sdk/go v0.0.0", `replace fleetkeeper.invalid/sdk/go => ${sdk}`];
  const text = readFileSync(path.join(sdk, "go.mod"), "utf8");
  writeFileSync(
    path.join(folder, "go.mod"),
    text.replace(/^module .*$/m, ["module program", ...own].join("\n")),
  );
  copyFileSync(path.join(sdk, "go.sum"), path.join(folder, "go.sum"));
}

/** Compiles a module's program. Throws what the compiler says. */
export function goBuild(folder: string, output: string): void {
  // With the flags of the set-up: what the engine's build has compiled is not compiled again.
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"];
  execFileSync("go", ["build", ...flags, "-o", output, "."], {
    cwd: folder,
    env: goEnvironment(process.env),
    encoding: "utf8",
    stdio: "pipe",
  });
}
