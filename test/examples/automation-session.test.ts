// @module-tag repeats
import { symlinkSync } from "node:fs";
import path from "node:path";
import { it } from "vitest";
import { describeWithEngine } from "../engine/engine.ts";
import { lockIsLive, ROOT, upIsKilled } from "./session.ts";

const NODE = {
  command: [process.execPath, path.join(ROOT, "examples/automation/index.ts")],
  // Pulumi's host finds its packages from the folder that it stands in.
  prepare: (folder: string) =>
    symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules")),
} as const;

describeWithEngine("examples/automation on a locked stack", () => {
  it("whose own up was killed: it takes the lock away and gives its machine back", () => upIsKilled(NODE));

  it("by a process that lives: it leaves the lock, and rents nothing", () => lockIsLive(NODE, "automation"));
});
