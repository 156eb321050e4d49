import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { askCalls } from "../../agent/cli/init/ask-calls.ts";
import { askStates } from "../../agent/cli/init/ask-states.ts";
import type { Prompts } from "../../agent/cli/init/prompts.ts";
import { proposalText } from "../../agent/cli/init/proposal-text.ts";
import { gather } from "../../agent/propose/saved/gather.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import { savedFiles } from "./saved-files.ts";
import { take } from "./taken.ts";

const document = (name: string): string =>
  readFileSync(join(import.meta.dirname, `${name}.openapi.yaml`), "utf8");

const from = (name: string) => savedFiles({ "api.yaml": document(name) }).from();

test("calls with other paths, methods and bodies are recognized, and each says how sure it is", async () => {
  const { profile, code } = await from("tidal");
  expect(code).toBe(0);
  for (const line of [
    "profile: 2",
    "  list: { path: /v3/instances }  # sure (List instances)",
    '  get: { path: "/v3/instances/{id}" }  # sure (Show an instance)',
    "  launch: { path: /v3/instance-operations/launch }  # sure (Launch instances)",
    '  stop: { method: POST, path: /v3/instance-operations/terminate, body: {"instance_ids":["{id}"]} }  # sure (Terminate instances)',
    "  offers: { path: /v3/instance-types }  # sure (List instance types)",
    'value: "Bearer {secret}"',
  ])
    expect(profile).toContain(line);
});

test("an offer in each place below a type is an offer, and what it has of the type stands above it", async () => {
  const { profile } = await from("tidal");
  for (const line of [
    '#     items: "/data/*/sites_with_capacity/*"',
    '#     id: "2/instance_kind/name"',
    "#     location: /name",
    '#     gpus: "2/instance_kind/specs/gpus"',
    '#     gpuModel: "2/instance_kind/gpu_description"',
    '#     pricePerHour: { pointer: "2/instance_kind/price", unit: cents }',
  ])
    expect(profile).toContain(line);
});

test("bodies of several parts are one; what an optional object requires is not sent; one machine is launched", async () => {
  const { profile, said } = await from("tidal");
  for (const line of [
    'instance_kind_name: "{offer}"',
    'key_names: "{parameters.key_names}"',
    "count: 1 # api.yaml: one machine for each launch",
    '      - "{location}" # api.yaml: by its name',
    'name: "{marker}"',
    // Whose id it is says its own name, and not the one around it.
    "  id: /data/instances/0/id",
  ])
    expect(profile).toContain(line);
  expect(profile).not.toContain("disk_id");
  expect(said).toContain("it also knows /mount");
});

test("what the offers' call lists is the offer, whatever else a launch calls a plan", async () => {
  const text = document("tidal")
    .replaceAll("instance_kind_name", "size")
    .replace("/instance-types:", "/sizes:")
    .replace("disk_id: { type: string }", "disk_id: { type: string }, plan: { type: string }");
  const { profile } = await savedFiles({ "api.yaml": text }).from();
  expect(profile).toContain('    size: "{offer}"');
  expect(profile).not.toContain("plan:");
});

test("a machine's fields: the price of a GB is no price, and why it cannot be moved is no failure", async () => {
  const { profile } = await from("tidal");
  for (const line of [
    "    offer: /instance_kind/name",
    "    location: /site/name",
    "    marker: /name",
    "    gpus: /instance_kind/specs/gpus",
    "    pricePerHour: { pointer: /instance_kind/price, unit: cents }",
    "      host: /ip",
  ])
    expect(profile).toContain(line);
  expect(profile).not.toMatch(/price\w*: .*gb_price/i);
  expect(profile).not.toContain("/actions");
});

test("each word of a state is a question, and none is an end or a halt by its look", async () => {
  const { profile, said } = await from("tidal");
  for (const word of ["warming", "up", "halted", "sunk"]) {
    expect(said).toContain(`Which state is ${JSON.stringify(word)}? By its look`);
    expect(profile).toMatch(new RegExp(`# +${word}: <initializing, `));
  }
  expect(readProfile(profile, "tidal").profile.deployments?.states).toEqual({ aliases: {}, terminal: [] });
});

test("what is rented may stand in the path, the state elsewhere, and a list may hide machines", async () => {
  const { profile, said } = await from("quay");
  for (const line of [
    '  launch: { method: PUT, path: "/api/v0/asks/{offer}" }  # a guess by its words, shape (Create a pod)',
    "  offers: { method: POST, path: /api/v0/offers/search, reads: true }",
    '  stop: { method: DELETE, path: "/api/v0/pods/{id}" }',
    "  id: /new_contract  # by its name in api.yaml, the only value in it",
    "    image: plain:1 # api.yaml: its default",
    '    label: "{marker}"',
    "      cursorParameter: after_token\n      next: /next_token",
    "    status: /actual_status",
    "  item: /pod",
    "  amount: /balance",
    "  id: /id  # by its name in the answer of /api/v0/users/current",
  ])
    expect(profile).toContain(line);
  expect(profile).not.toContain("port_open");
  expect(said).toContain(
    "does it show GPU machines without that? A machine that the list hides would be rented again",
  );
  // Of two prices nobody can know which is billed.
  expect(said).toContain("offers.fields.provider");
  expect(profile).toMatch(
    /# +pricePerHour: .*which of \/prices\/spot_price, \/prices\/on_demand is billed\?/,
  );
});

test("a call that may only halt a machine is no stop before a person says so", async () => {
  const text = document("quay").replace(
    '    delete: { summary: Destroy a pod, responses: { "200": { description: gone } } }\n',
    "",
  );
  const { profile, said } = await savedFiles({ "api.yaml": text }).from();
  expect(profile).toContain('#   stop: { method: POST, path: "/api/v0/pods/{id}/stop" }');
  expect(said).toContain("it may only halt a machine, which bills on");
});

test("a 2xx that may refuse is a question, and so is a token of OAuth2 client credentials", async () => {
  const text = document("quay").replace(
    "key: { type: apiKey, in: header, name: X-Quay }",
    "key: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://quay.example/oauth/token', scopes: {} } } }",
  );
  const { profile, said } = await savedFiles({ "api.yaml": text }).from();
  expect(profile).toContain("#   accepted: { pointer: /success, is: [true] }");
  expect(said).toContain("it may say that nothing was launched");
  expect(profile).toContain("#     path: /oauth/token");
  const asked = profile.slice(profile.indexOf("# auth:"), profile.indexOf("# What is sent"));
  const lines = asked.split("\n").filter((line) => line.startsWith("#") && !line.startsWith("# The"));
  const taken = lines.map((line) => line.replace(/^# ?/, "")).join("\n");
  expect(readProfile(`profile: 2\nname: quay\n${taken}`, "quay").profile.auth?.token?.value).toBe(
    "/access_token",
  );
});

test("a person is asked which call it is where path, words and shape do not agree", async () => {
  const asked: string[] = [];
  const pick = (answer: string): Prompts => ({
    confirm: async () => false,
    input: async () => "",
    select: async (question, choices) => {
      asked.push(question);
      return (choices.find(({ value }) => value === answer) ?? choices[0]!).value;
    },
  });
  const read = gather([{ file: "api.yaml", kind: undefined }], () => ({ text: document("quay") }));
  const kept = await askCalls(read, pick("0"));
  expect(asked).toContain("Which call is there to launch a machine?");
  expect(asked.join()).not.toContain("list the machines");
  expect(kept.documents[0]?.calls?.launch).toMatchObject({ isSaid: true });
  const none = await askCalls(read, pick("none"));
  expect(none.documents[0]?.calls?.launch).toBeUndefined();
  expect(none.shown.some(({ kind }) => kind === "launch")).toBe(false);
});

test("a state is what the person says, and open where they do not know", async () => {
  const means: Record<string, string> = { up: "running", halted: "replace", sunk: "terminal" };
  const ask: Prompts = {
    confirm: async () => false,
    input: async () => "",
    select: async (question, choices) => {
      const word = JSON.parse(/state (".*?") mean/.exec(question)?.[1] ?? '""') as string;
      return (choices.find(({ value }) => value === means[word]) ?? choices[0]!).value;
    },
  };
  const states = await askStates(["up", "halted", "sunk", "warming"], ["terminal", "replace"], ask);
  expect(
    parse(
      Object.values(states)
        .flatMap(({ lines }) => lines)
        .join("\n"),
    ),
  ).toEqual({
    aliases: { up: "running" },
    terminal: ["sunk"],
    replace: ["halted"],
  });
});

test("what init writes of another service is a profile 2 that the rest of the program reads", async () => {
  const tidal = take((await from("tidal")).profile, { list: { "kind: <": "kind: none" } });
  expect(readProfile(tidal, "tidal").profile.deployments?.list?.items).toBe("/data");
  expect(readProfile((await from("quay")).profile, "quay").profile.calls?.launch?.method).toBe("PUT");
});

test("saved answers of another service alone are refused: no answer says which call is which", async () => {
  const list = 'curl https://quay.example/api/v1/pods -H "X-Quay: $KEY"\n{"pods":[{"id":1,"status":"up"}]}\n';
  const on = savedFiles({ "list.txt": list });
  const made = await on.from();
  expect(made.code).toBe(2);
  expect(made.stderr).toContain("no request in these files goes to a path that the specification shows");
  expect(made.profile).toBe("");
});

test("what a person has answered is open no more", () => {
  const open = ["account", "deployments.states"].map((part) => ({ part, how: `asked: ${part}` }));
  const proposal = { wire: {}, baseUrl: undefined, open, states: [], read: [] };
  const said = {
    account: { none: { lines: ["none: true"] } },
    "deployments.states": { terminal: { lines: ["terminal: [sunk]"] } },
  };
  expect(proposalText(proposal, said).join("\n")).not.toContain("asked");
  expect(proposalText(proposal, {}).join("\n")).toContain("asked: account");
});

/** A service whose key goes into bodies, and whose prices are of one GPU by what is said above them. */
function keyedDocument(): string {
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const object = (properties: object, required: readonly string[] = []) => ({
    ...{ type: "object", properties, required },
  });
  const text = { type: "string" };
  const number = { type: "number" };
  const gpu = object({ listPrice: number });
  const machine = object({
    ...{ id: text, status: text, plan: text, name: text, gpus: { type: "integer" } },
    ...{ gpu, costPerHr: number },
  });
  const keyed = object({ api_key: text }, ["api_key"]);
  const price = {
    ...object({ night: number, daytime: number }),
    description: "USD per hour for a **single** GPU",
  };
  const plan = object({ plan: text, region: text, gpus: { type: "integer" }, price });
  const page = object({ total: number, page: number });
  const answers = (schema: object) => ({ responses: { 200: json(schema) } });
  const list = object({ machines: { type: "array", items: machine }, meta: page });
  const ask = object({ api_key: text, plan: text, region: text, name: text }, ["api_key", "plan", "name"]);
  const include = { name: "include", in: "query", schema: { type: "array", items: { enum: ["STOCK"] } } };
  const plans = object({ plans: { type: "array", items: plan } });
  return JSON.stringify({
    openapi: "3.1.0",
    paths: {
      "/machines": {
        get: { summary: "List machines", ...answers(list) },
        post: { summary: "Create a machine", requestBody: json(ask), ...answers(machine) },
      },
      "/machines/{id}": {
        get: { summary: "Show a machine", ...answers(machine) },
        delete: { summary: "Delete a machine", requestBody: json(keyed), responses: {} },
      },
      "/plans": { get: { summary: "List plans", parameters: [include], ...answers(plans) } },
    },
  });
}

test("a key that goes into bodies stands in no fleet file, prices are of what is said above them, pages that an answer shows are no promise of one", async () => {
  const on = savedFiles({ "api.json": keyedDocument() });
  const made = await on.from();
  expect(made.code, made.said).toBe(0);
  expect(made.said).toContain("auth: the document wants api_key in the bodies of its calls");
  expect(made.profile).not.toContain("{parameters.api_key}");
  expect(made.profile).toMatch(/^# +api_key: "?<api_key>/m);
  expect(made.profile).toContain("pricePerGpuHour: /price/");
  expect(made.profile).toContain("pricePerHour: /costPerHr");
  expect(made.profile).toContain("kind: <page, offset or cursor>  # the answer is one of pages");
  expect(made.profile).toContain("total: /meta/total");
  expect(made.said).toContain("calls.offers.query: the list can be asked for include=STOCK");
});

test("a document may use an anchor for each of its paths, and merge it", async () => {
  const answer = "{ 200: { content: { application/json: { schema: *machine } } } }";
  const others = Array.from({ length: 150 }, (_, at) => `  /other${at}: { get: { responses: ${answer} } }`);
  const document = [
    "openapi: 3.0.3",
    "x-machine: &machine { type: object, properties: &fields { id: { type: string }, status: { type: string } } }",
    "x-launch: &launch { type: object, properties: { <<: *fields, plan: { type: string } }, required: [plan] }",
    "paths:",
    `  /machines: { get: { summary: List machines, responses: { 200: { content: { application/json: { schema: { type: array, items: *machine } } } } } },`,
    `    post: { summary: Create a machine, requestBody: { content: { application/json: { schema: *launch } } }, responses: ${answer} } }`,
    ...others,
  ];
  const made = await savedFiles({ "api.yaml": document.join("\n") }).from();
  expect(made.code, made.said).toBe(0);
  expect(made.profile).toContain('plan: "{offer}"');
  expect(made.said).toContain("it also knows /id, /status");
});
