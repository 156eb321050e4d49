import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import schema from "../../provider/plugin/schema.json" with { type: "json" };
import { lacking } from "../../scripts/plugin-schema/published.ts";
import { pluginSchema } from "../../scripts/plugin-schema/schema.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

/** No address of anybody's: only a test has it. */
const HERE = "https://code.example.com/acme/fleetkeeper";
const MODULE = "code.example.com/acme/fleetkeeper/sdk/go";

it("takes publisher and addresses from package.json, and makes none up", () => {
  const manifest = { author: "Acme", repository: { url: `git+${HERE}.git` } };
  expect(pluginSchema(manifest)).toMatchObject({
    publisher: "Acme",
    homepage: HERE,
    repository: HERE,
    logoUrl: `${HERE}/raw/HEAD/agent/tell/http/assets/icon.svg`,
    pluginDownloadURL: `${HERE}/releases/download/v\${VERSION}`,
  });
  expect(read("agent/tell/http/assets/icon.svg")).toContain("<svg");
  const bare = pluginSchema({});
  for (const key of ["publisher", "homepage", "repository", "logoUrl", "pluginDownloadURL"])
    expect(bare).not.toHaveProperty(key);
});

it("names what a publisher has to set, and what a release from elsewhere would get wrong", () => {
  expect(lacking({}, "fleetkeeper.invalid/sdk/go")).toEqual([
    expect.stringContaining("package.json: author is missing"),
    expect.stringContaining("package.json: repository is missing"),
    expect.stringContaining("scripts/plugin-schema.ts"),
  ]);
  const manifest = { author: "Acme", repository: HERE };
  expect(lacking(manifest, "fleetkeeper.invalid/sdk/go")[0]).toContain(
    `expected ${MODULE}, got fleetkeeper.invalid`,
  );
  expect(lacking(manifest, MODULE)).toEqual([]);
  expect(lacking(manifest, MODULE, "https://code.example.com/fork/fleetkeeper")[0]).toContain(
    "package.json: repository: expected https://code.example.com/fork/fleetkeeper",
  );
  // Not everybody can open these.
  for (const repository of ["git@code.example.com:acme/fleetkeeper.git", "https://", "http://localhost/x"])
    expect(lacking({ author: "Acme", repository }, MODULE)[0]).toContain("repository is missing");
});

it("is asked before a release is made", () => {
  const steps = read(".github/workflows/release.yml");
  expect(steps.indexOf("scripts/registry.ts")).toBeGreaterThan(0);
  expect(steps.indexOf("scripts/registry.ts")).toBeLessThan(steps.indexOf("npm publish"));
});

it("has pages for the registry, whose title is the package's, with the example of the schema", () => {
  const [overview, install] = ["docs/_index.md", "docs/installation-configuration.md"].map((name) => {
    const [, front = "", body = ""] = read(name).split(/^---\n/m);
    return { ...(parseAllDocuments(front)[0]?.toJS() as { title: string; layout: string }), body };
  });
  expect(overview).toMatchObject({ title: schema.displayName, layout: "package" });
  expect(install).toMatchObject({
    title: `${schema.displayName} Installation & Configuration`,
    layout: "package",
  });
  const example = read("scripts/plugin-schema/examples/deployment.md");
  for (const [block, language] of example.matchAll(/```(\w+)\n.*?```/gs))
    expect([language, overview?.body.includes(block)]).toEqual([language, true]);
  const said = [...(install?.body.matchAll(/^\| `fleetkeeper:(\w+)`/gm) ?? [])].map(([, key]) => key);
  expect(said.sort()).toEqual(Object.keys(schema.config.variables).sort());
});

it("has an example in five languages for each resource", () => {
  for (const { description } of Object.values(schema.resources)) {
    const languages = [...description.matchAll(/```(\w+)\n/g)].map(([, language]) => language);
    expect(languages).toEqual(["typescript", "python", "go", "csharp", "yaml"]);
  }
});
