import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { KEY } from "./cli.ts";
import { keepsEight, oddService } from "./odd-service.ts";
import { savedFiles } from "./saved-files.ts";
import { take } from "./taken.ts";

const DOCUMENT = readFileSync(join(import.meta.dirname, "odd-service.openapi.yaml"), "utf8");

test("from an OpenAPI document alone to a running machine", async () => {
  const service = await oddService(KEY);
  const on = savedFiles({ "api.yaml": DOCUMENT });
  const fleet = ["--account", "exclusive", "--fleet", "training", "--gpus", "8", "--gpu-model", "h100"];
  const init = await on.run([
    "init",
    "--yes",
    "--name",
    "odd",
    "--base-url",
    service.url,
    ...fleet,
    "--from",
    "api.yaml",
  ]);
  expect(init.code, init.said).toBe(0);
  const text = on.read("odd.profile.yaml");
  for (const line of [
    'header: X-Pass-Card  # the security scheme "card" (apiKey in the header X-Pass-Card) of api.yaml',
    'sku: "{offer}" # api.yaml: by its name',
    'vendor: "{provider}" # api.yaml: by its name',
    'label: "{marker}" # api.yaml: by its name; a deployment has /meta/label, too',
    "os: debian # api.yaml: its only value",
    // Two values of the answer may be the new id, and a document shows the value of none.
    "id: /receipt/id  # by its name in api.yaml; or /receipt/for",
    "gpus: /what/accelerators  # by its name in api.yaml; no value seen yet",
    "code: /oops/kind  # by its name in api.yaml; no value seen yet",
  ])
    expect(text).toContain(line);
  // A call that needs a body is named, and its body is not invented.
  expect(init.stdout).toContain("nothing says that it stops: PATCH /api/v1/deployments/{id}/power");
  expect(text).not.toContain("parent");
  const filled = take(text, {
    list: { "kind: <": "kind: none" },
    offers: { "kind: <": "kind: none" },
  }).replace("id: /receipt/id", "id: /receipt/for");
  on.write(
    "odd.profile.yaml",
    `${filled}
stop: { method: PATCH, path: "/api/v1/deployments/{id}/power", body: { power: stop } }
`,
  );
  await keepsEight(on);
  expect(service.launches).toHaveLength(1);
});

type Document = Record<string, unknown> & {
  paths: Record<string, Record<string, { parameters?: unknown; summary?: string }>>;
};

/** The document with a change, as JSON: the same as YAML. */
function changed(change: (document: Document) => void): string {
  const document = parse(DOCUMENT) as Document;
  change(document);
  return JSON.stringify(document);
}

test("its servers are the address, below which the paths of the specification begin", async () => {
  const on = savedFiles({ "api.yaml": DOCUMENT });
  expect((await on.run(["init", "--yes", "--account", "shared", "--from", "api.yaml"])).code).toBe(0);
  expect(on.read("fleet.yaml")).toContain("baseUrl: https://odd.example.com\n");
});

test("parameters for pages with their defaults are proposed; without a default they stay open", async () => {
  const query = (name: string, more: object) => ({ in: "query", name, schema: { type: "integer", ...more } });
  const list = (parameters: unknown) =>
    changed(({ paths }) => {
      const get = paths["/v1/deployments"]?.get;
      if (get) get.parameters = parameters;
    });
  const known = savedFiles({
    "api.json": list([query("page", { default: 1 }), query("per_page", { default: 50 })]),
  });
  expect((await known.from()).profile).toContain(
    "    pagination:\n      kind: page  # by the parameters in api.json\n      pageParameter: page\n      first: 1\n      sizeParameter: per_page\n      size: 50\n",
  );
  const open = savedFiles({ "api.json": list([query("page", { default: 1 }), query("per_page", {})]) });
  expect((await open.from()).profile).toContain("#       size: <per_page: the document says no default>");
});

test("what was seen counts more than what a document says", async () => {
  const rows = [{ id: 1, status: "running", what: { sku: "hx-8" }, cards: { gpus: 8 } }];
  const on = savedFiles({ "api.yaml": DOCUMENT, "list.json": JSON.stringify({ rows }) });
  const { profile } = await on.from();
  expect(profile).toContain("items: /rows  # list.json: 1 object with id and status");
  expect(profile).toContain('offer: /what/sku  # seen in list.json: "hx-8"');
  expect(profile).toContain("gpus: /cards/gpus  # seen in list.json: 8");
});

test("a 429 of a document is an open point", async () => {
  const document = changed(({ paths }) => {
    const post = paths["/v1/deployments"]?.post as { responses?: Record<string, object> } | undefined;
    if (post) post.responses = { ...post.responses, 429: { description: "Too many." } };
  });
  const made = await savedFiles({ "api.json": document }).from();
  expect(made.said).toContain(
    "errors.definite: a 429 in api.json: each one that a launch meets is looked for",
  );
  expect(made.profile).toContain("#     statuses: [429]  # only if the service promises it\n");
});

test("a stop is proposed by its own words, the other candidate beside it", async () => {
  const text = changed(({ paths }) => {
    paths["/v1/deployments/{no}/halt"] = { post: { summary: "Stop the machine" } };
    paths["/v1/deployments/{no}/gone"] = { delete: { summary: "Remove it" } };
  });
  const { profile } = await savedFiles({ "api.json": text }).from();
  expect(profile).toMatch(
    /\nstop:\n {2}method: POST {2}# api.json: Stop the machine; or DELETE \/api\/v1\/deployments\/\{id\}\/gone/,
  );
});

test("Swagger 2.0", async () => {
  const text = stringify({
    swagger: "2.0",
    host: "old.example.com",
    basePath: "/api/v1",
    securityDefinitions: { old: { type: "basic" } },
    definitions: {
      M: { type: "object", properties: { id: { type: "string" }, status: { type: "string" } } },
    },
    paths: {
      "/deployments": {
        get: {
          responses: {
            200: { description: "", schema: { type: "array", items: { $ref: "#/definitions/M" } } },
          },
        },
        post: {
          parameters: [
            {
              in: "body",
              name: "b",
              schema: {
                type: "object",
                required: ["offer", "hours"],
                properties: { offer: { type: "integer" }, hours: { type: "integer" } },
              },
            },
          ],
          responses: { 201: { description: "", schema: { $ref: "#/definitions/M" } } },
        },
      },
    },
  });
  const on = savedFiles({ "old.yaml": text });
  expect(
    (await on.run(["init", "--yes", "--account", "shared", "--name", "acme", "--from", "old.yaml"])).code,
  ).toBe(0);
  const profile = on.read("acme.profile.yaml");
  expect(profile).toContain('value: "Basic {secret}"');
  expect(profile).toContain('items: ""  # old.yaml describes it so');
  expect(profile).toContain('offer: { number: "{offer}" } # old.yaml: by its name');
  expect(profile).toContain(
    'hours: "{parameters.hours}" # old.yaml: required; give it under parameters in the fleet',
  );
  expect(on.read("fleet.yaml")).toContain("baseUrl: https://old.example.com\n");
});

test.each([
  [
    "that is broken",
    "openapi: 3.1.0\ninfo: { title: [\n",
    "it looks like an OpenAPI document, and cannot be read as YAML or JSON: see line",
  ],
  [
    "that holds itself",
    "openapi: 3.1.0\na: &a [*a]\n",
    "it documents nothing that looks like a call that lists machines or launches one",
  ],
])("a document %s is refused", async (_what, text, says) => {
  const made = await savedFiles({ "api.yaml": text }).from();
  expect(made.code).toBe(2);
  expect(made.stderr).toContain(says);
});

test("a word of a document stands for all that may be there: what means sold out stays open", async () => {
  const stocked = DOCUMENT.replace(
    "left: { type: integer }",
    "stockStatus: { type: string, enum: [unavailable, low, high] }",
  );
  const { profile, said } = await savedFiles({ "api.yaml": stocked }).from();
  expect(profile).toMatch(
    /available: \{ pointer: \/.*stockStatus, soldOut: \[<each word that means sold out>\] \} {2}# by its name in api.yaml; no value seen yet; described as one of "unavailable", "low", "high"\n/,
  );
  expect(said).toMatch(
    /offers.fields.available: only you know the words at \/.*stockStatus \("unavailable", .*\)\. Name each/,
  );
});
