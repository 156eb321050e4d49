import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { callCli, type Run } from "./cli.ts";

export interface SavedFiles {
  readonly folder: string;
  write(name: string, content: string | Uint8Array): void;
  read(name: string): string;
  /** Calls a command in the folder. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Run>;
  /** `init --from` with all files that were given, in their order, or with these. */
  from(
    more?: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<Run & { readonly profile: string }>;
}

/** A folder with these files, and commands that run in it. */
export function savedFiles(files: Readonly<Record<string, string | Uint8Array>>): SavedFiles {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-saved-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write: SavedFiles["write"] = (name, content) => writeFileSync(join(folder, name), content);
  for (const [name, content] of Object.entries(files)) write(name, content);
  const run: SavedFiles["run"] = (args, environment = {}) =>
    callCli(args, folder, {
      FLEETKEEPER_LEDGER: join(folder, "ledger.db"),
      FLEETKEEPER_LOG_FORMAT: "text",
      FLEETKEEPER_PROTOCOL: JSON.stringify({ poll: 500, settle: 500, gone: 300 }),
      ...environment,
    });
  const read: SavedFiles["read"] = (name) => readFileSync(join(folder, name), "utf8");
  return {
    folder,
    write,
    read,
    run,
    async from(more = [], environment) {
      const needed = [
        "--yes",
        "--name",
        "acme",
        "--account",
        "shared",
        "--base-url",
        "https://gpus.acme.com",
      ];
      const names = more.includes("--from") ? [] : ["--from", ...Object.keys(files)];
      const ran = await run(["init", ...needed, ...names, ...more], environment);
      const isWritten = readdirSync(folder).includes("acme.profile.yaml");
      return { ...ran, profile: isWritten ? read("acme.profile.yaml") : "" };
    },
  };
}
