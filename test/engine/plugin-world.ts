import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { type Tell, World } from "./world.ts";

const EXECUTABLE = path.join(import.meta.dirname, "../../dist/bundle/pulumi-resource-fleetkeeper.js");

/** A program of test/engine/fixtures, with the executable in the folder that its Pulumi.yaml names. */
export async function pluginWorld(fixture: string, tell?: Tell): Promise<World> {
  const world = await World.create(fixture, "plain", tell);
  const folder = path.join(world.project.folder, "plugin");
  mkdirSync(folder);
  symlinkSync(EXECUTABLE, path.join(folder, "pulumi-resource-fleetkeeper"));
  return world;
}
