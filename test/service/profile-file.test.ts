import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadProfile, profileJsonSchema, readProfile } from "../../service/profile/profile-file.ts";
import { failureOf } from "./support.ts";

const YAML = `# what our service shows
profile: 1
name: acme
launch:
  body:
    offer: "{offer}"
    where: {region: "{location}", provider: "{provider}"}
deployments:
  list:
    items: /items
    pagination: {kind: none}
`;

test("two files that say the same have the same hash, whatever they look like", () => {
  const tidy = readProfile(YAML, "a.yaml");
  const asJson = JSON.stringify(
    {
      deployments: {
        fields: {},
        list: { pagination: { kind: "none" }, items: "/items" },
        states: { terminal: [] },
      },
      launch: { body: { where: { provider: "{provider}", region: "{location}" }, offer: "{offer}" } },
      name: "another name",
      profile: 1,
    },
    null,
    "\t",
  );
  expect(readProfile(asJson, "b.json").hash).toBe(tidy.hash);
  expect(tidy.hash).toMatch(/^[0-9a-f]{64}$/);
});

test("another meaning is another hash", () => {
  expect(readProfile(YAML.replace("/items", "/data"), "a.yaml").hash).not.toBe(
    readProfile(YAML, "a.yaml").hash,
  );
});

test("a profile is frozen all the way down", () => {
  const { profile } = readProfile(YAML, "a.yaml");
  expect(Object.isFrozen(profile)).toBe(true);
  expect(Object.isFrozen(profile.launch?.body.where)).toBe(true);
});

test("every part can be located, and a missing one by what stands above it", () => {
  const { locate } = readProfile(YAML, "a.yaml");
  expect(locate(["launch", "body", "where", "region"])).toBe("a.yaml:7:21");
  expect(locate(["deployments", "list"])).toBe("a.yaml:9:3");
  expect(locate(["deployments", "get", "item"])).toBe("a.yaml:8:1");
  expect(locate(["offers"])).toBe("a.yaml:2:1");
});

test("anchors and aliases are followed", () => {
  const { profile } = readProfile(
    `profile: 1\nname: a\noffers:\n  list: &list {items: "", pagination: {kind: none}}\n  fields: {id: /id, provider: /p, location: /l, gpus: /g}\ndeployments: {list: *list}\n`,
    "a.yaml",
  );
  expect(profile.deployments?.list).toEqual(profile.offers?.list);
});

test("a file that is not there is said plainly", async () => {
  const error = await failureOf(() => loadProfile("/nowhere/acme.yaml"));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toBe("The wire profile /nowhere/acme.yaml cannot be read: there is no such file.");
});

test("a name that is nearly one that ships is told it", async () => {
  for (const name of ["/here/lamda", "/here/Lambda", "/here/lambda.yaml"])
    expect((await failureOf(() => loadProfile(name))).message).toContain("Did you mean lambda, which ships?");
});

test("a profile is loaded from disk", () => {
  const folder = mkdtempSync(join(tmpdir(), "profile-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "acme.yaml"), YAML);
  expect(loadProfile(join(folder, "acme.yaml")).profile.name).toBe("acme");
});

test("the JSON Schema is of what one writes, so that parts with defaults may be left out", () => {
  const schema = profileJsonSchema() as {
    required: string[];
    properties: Record<string, { required?: string[] }>;
  };
  expect(schema.required).toEqual(["profile", "name"]);
  expect(schema.properties.deployments?.required).toBeUndefined();
  expect(JSON.stringify(schema)).toContain("JSON Pointer (RFC 6901)");
  expect(JSON.stringify(schema)).toContain("an hour of the whole machine, in USD or");
  expect(JSON.stringify(schema)).toContain("pricePerGpuHour");
  expect(JSON.stringify(schema)).toContain('"const":"cents"');
  expect(JSON.stringify(schema)).toContain("{ value: acme }");
  expect(JSON.stringify(schema)).toContain('"soldOut":{"minItems":1');
});
