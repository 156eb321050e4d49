import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pluginSchema } from "../../scripts/plugin-schema/schema.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { goBuild, goModule } from "./go.ts";
import { GO, PYTHON, YAML } from "./languages.ts";
import { pluginWorld } from "./plugin-world.ts";
import { World } from "./world.ts";

const EXAMPLES = path.join(import.meta.dirname, "../../scripts/plugin-schema/examples");

function exampleIn(kind: "deployment" | "fleet", language: string): string {
  const text = readFileSync(path.join(EXAMPLES, `${kind}.md`), "utf8");
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(text)?.[1] ?? "";
}

function shared(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-schema-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A preview of the example makes its component and both halves. */
async function isPreviewed(world: World): Promise<void> {
  try {
    expect(await world.project.succeed("preview")).toContain("+ 4 to create");
    expect(world.machines()).toEqual([]);
  } finally {
    await world.close();
  }
}

describeWithEngine("the plugin's schema", () => {
  it("passes pulumi schema check without a warning, as released, too", async () => {
    const world = await World.create("deployment");
    try {
      const manifest = { author: "Acme", repository: "https://code.example.com/acme/fleetkeeper" };
      for (const schema of [pluginSchema(), pluginSchema(manifest)]) {
        const file = world.write("schema.json", JSON.stringify(schema));
        expect(await world.project.pulumi("schema", "check", file)).toEqual({
          code: 0,
          stdout: "",
          stderr: "",
        });
      }
    } finally {
      await world.close();
    }
  });

  for (const kind of ["deployment", "fleet"] as const) {
    it.skipIf(YAML.missing !== undefined)(
      `has an example of a ${kind} in YAML that is previewed`,
      async () => {
        const world = await pluginWorld("yaml");
        const plugins = "plugins: { providers: [{ name: fleetkeeper, path: plugin }] }";
        world.write(
          "Pulumi.yaml",
          `${plugins}\n${exampleIn(kind, "yaml").replace(/^name: .*/, "name: yaml")}`,
        );
        await isPreviewed(world);
      },
    );

    it(`has one of a ${kind} in TypeScript`, REPEATS, async () => {
      const world = await World.create("deployment");
      world.write("index.ts", exampleIn(kind, "typescript"));
      await isPreviewed(world);
    });

    it.skipIf(PYTHON.missing !== undefined)(`has one of a ${kind} in Python`, REPEATS, async () => {
      const world = await PYTHON.prepare(shared())();
      world.write("__main__.py", exampleIn(kind, "python"));
      await isPreviewed(world);
    });

    it.skipIf(GO.missing !== undefined)(`has one of a ${kind} in Go`, REPEATS, async () => {
      const world = await pluginWorld("go");
      world.write("main.go", exampleIn(kind, "go"));
      goModule(world.project.folder);
      goBuild(world.project.folder, path.join(world.project.folder, "program"));
      await isPreviewed(world);
    });
  }
});
