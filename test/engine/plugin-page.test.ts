import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { goEnvironment } from "../../scripts/setup/go-program.mjs";
import { root } from "../../scripts/setup/paths.mjs";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { goModule } from "./go.ts";
import { GO, type Language, YAML } from "./languages.ts";
import { pluginWorld } from "./plugin-world.ts";
import type { World } from "./world.ts";

const page = readFileSync(path.join(root, "docs/reference/plugin.md"), "utf8");
const GO_PROGRAM = /```go\n(.*?)```/s.exec(page)?.[1] ?? "";
const YAML_PROGRAM = /```yaml\n(name: notebook.*?)```/s.exec(page)?.[1] ?? "";

const NOTEBOOK = { offer: "h100-80gb-x1", provider: "basalt", location: "is-rey" };

function programOfPage({ name, missing }: Language, suite: () => void, options = {}): void {
  if (missing) describe.skip(`the program of the page ${name} [skipped: ${missing}]`, suite);
  else describeWithEngine(`the program of the page ${name}`, () => describe("as it is", options, suite));
}

/** The page's program rents the page's machine, and destroy gives it back. */
async function rents(world: World): Promise<void> {
  try {
    await world.up();
    expect(world.machines().map(({ combination }) => combination)).toEqual([NOTEBOOK]);
    expect(await world.allOutputs()).toMatchObject({ host: { port: "22" } });
    await world.destroy();
    expect(world.alive()).toEqual([]);
  } finally {
    await world.close();
  }
}

const yamlPage = async (change = (program: string) => program): Promise<World> => {
  const world = await pluginWorld("yaml");
  const here = YAML_PROGRAM.replace("name: notebook", "name: yaml").replace("node_modules/.bin", "plugin");
  world.write("Pulumi.yaml", change(here));
  return world;
};

/** Compiled by the language host: with the flags of the set-up, so that little is compiled again. */
const goPage = async (change = (program: string) => program): Promise<World> => {
  const world = await pluginWorld("go");
  const { folder, env } = world.project;
  const project = readFileSync(path.join(folder, "Pulumi.yaml"), "utf8");
  world.write("Pulumi.yaml", project.replace(/runtime:.*?plugins:/s, "runtime: go\nplugins:"));
  world.write("main.go", change(GO_PROGRAM));
  goModule(folder);
  Object.assign(env, goEnvironment(env), { GOFLAGS: "-trimpath -buildvcs=false" });
  return world;
};

/** Its `up` fails with these words, and nothing is rented. */
async function refused(world: World, ...words: readonly string[]): Promise<void> {
  try {
    const said = await world.failingUp();
    for (const each of words) expect(said).toContain(each);
    expect(world.machines()).toEqual([]);
  } finally {
    await world.close();
  }
}

programOfPage(YAML, () => {
  it("rents a machine and gives it back", async () => rents(await yamlPage()));

  it("is told the line of a value of a wrong type", async () => {
    const world = await yamlPage((program) =>
      program.replace("      offer:", "      gpus: two\n      offer:"),
    );
    await refused(world, "line 11", "gpus: Cannot assign type 'string' to type 'integer'");
  });
});

programOfPage(
  GO,
  () => {
    it("is compiled, rents a machine and gives it back", async () => rents(await goPage()));

    it("is told by the compiler of an argument that is not there, and of a wrong type", async () => {
      const world = await goPage((program) =>
        program.replace("Offer:", "Ofer:").replace('pulumi.String("is-rey")', "pulumi.Int(1)"),
      );
      await refused(world, "unknown field Ofer", "cannot use pulumi.Int(1)");
    });
  },
  REPEATS,
);
