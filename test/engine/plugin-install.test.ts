// @module-tag repeats
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseDocument } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { describeWithEngine, pulumi } from "./engine.ts";
import { H100, World } from "./world.ts";

const root = path.resolve(import.meta.dirname, "../..");

describeWithEngine("the plugin from a release's archive", () => {
  let world: World;
  let server: Server;
  let asked: string[];

  beforeAll(async () => {
    world = await World.create("plugin");
    const archives = path.join(world.project.folder, "archives");
    await promisify(execFile)(process.execPath, [path.join(root, "scripts", "binary.mjs"), archives], {
      cwd: root,
    });
    asked = [];
    server = createServer(({ url = "" }, response) => {
      const name = path.basename(url);
      asked.push(name);
      if (readdirSync(archives).includes(name)) response.end(readFileSync(path.join(archives, name)));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // Nothing says where it is: neither Pulumi.yaml nor the PATH.
    const { folder, env } = world.project;
    const project = parseDocument(readFileSync(path.join(folder, "Pulumi.yaml"), "utf8"));
    project.delete("plugins");
    writeFileSync(path.join(folder, "Pulumi.yaml"), String(project));
    const bin = path.join(folder, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, path.join(bin, "node"));
    env.PATH = [bin, path.dirname(pulumi!), "/usr/bin", "/bin"].join(path.delimiter);
    await world.want({ web: { args: H100 } });
  });
  afterAll(async () => {
    server?.close();
    await world?.close();
  });

  it("is installed by `pulumi plugin install`, from a server that has the archive by its name", async () => {
    const { port } = server.address() as AddressInfo;
    expect(await world.project.succeed("plugin", "ls")).not.toContain("fleetkeeper");
    const from = ["--server", `http://127.0.0.1:${port}`];
    await world.project.succeed("plugin", "install", "resource", "fleetkeeper", manifest.version, ...from);
    const os = process.platform === "win32" ? "windows" : process.platform;
    const architecture = process.arch === "x64" ? "amd64" : process.arch;
    expect(asked).toEqual([`pulumi-resource-fleetkeeper-v${manifest.version}-${os}-${architecture}.tar.gz`]);
    expect(await world.project.succeed("plugin", "ls")).toMatch(/fleetkeeper +resource/);
  });

  it("launches and stops a machine, with the Node and the Pulumi SDK that it has inside", async () => {
    await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(await world.outputs()).toMatchObject({ web: { status: "running" } });
    expect(await world.up()).toContain("4 unchanged");
    await world.destroy();
    expect(world.machines()).toHaveLength(1);
    expect(world.alive()).toEqual([]);
  });
});
