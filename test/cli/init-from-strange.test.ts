import { expect, test } from "vitest";
import { likelyState } from "../../agent/propose/shape/state-words.ts";
import { savedFiles } from "./saved-files.ts";

/** Small documents of services that nobody tuned to: each has one thing that was read wrong. */
type Schema = Readonly<Record<string, unknown>>;

const text = (more: Schema = {}): Schema => ({ type: "string", ...more });
const whole = (description?: string): Schema => ({ type: "integer", ...(description && { description }) });
const record = (properties: Schema, ...required: readonly string[]): Schema => ({
  type: "object",
  properties,
  required,
});
const listOf = (items: Schema): Schema => record({ all: { type: "array", items } });

const STATUS = text({ enum: ["running", "failed"] });
const MACHINE = record({ id: text(), status: STATUS, label: text(), region: text() });
const OFFER = record({ id: text(), vendor: text(), region: text(), gpu_count: whole(), usd: whole() });
const BODY = record({ offer: text(), vendor: text(), region: text(), label: text() }, "offer");

interface Parts {
  readonly body?: Schema;
  readonly answer?: Schema;
  readonly machine?: Schema;
  readonly offer?: Schema;
}

function documented({ body = BODY, answer = MACHINE, machine = MACHINE, offer = OFFER }: Parts): object {
  const json = (schema: Schema): object => ({ content: { "application/json": { schema } } });
  const answered = (schema: Schema): object => ({ responses: { 200: json(schema) } });
  return {
    openapi: "3.0.3",
    paths: {
      "/api/v1/deployments": {
        get: answered(listOf(machine)),
        post: { requestBody: json(body), ...answered(answer) },
      },
      "/api/v1/offers": { get: answered(listOf(offer)) },
    },
  };
}

const init = (document: object) => savedFiles({ "api.json": JSON.stringify(document) }).from();

test.each<[string, Schema, string]>([
  [
    "beside another one in a machine",
    record({
      instances: { type: "array", items: record({ contract_id: text(), region: text(), id: text() }) },
    }),
    "id: /instances/0/id  # by its name in api.json; or /instances/0/contract_id",
  ],
  [
    "behind what belongs to the machine",
    record({ machine: record({ plan: text(), host_id: text() }), machine_id: text() }),
    "id: /machine_id  # by its name in api.json; or /machine/host_id",
  ],
  [
    "of an operation",
    record({ operation: record({ id: text(), status: text() }), server: record({ id: text() }) }),
    "id: /server/id  # by its name in api.json; or /operation/id",
  ],
  [
    "within an operation",
    record({ operation: record({ id: text(), metadata: record({ id: text() }) }) }),
    "id: /operation/metadata/id  # by its name in api.json; or /operation/id",
  ],
])("the id of a launch is the machine's own: %s", async (_what, answer, line) => {
  expect((await init(documented({ answer }))).profile).toContain(line);
});

test("the id of a launch is the machine's own in a saved answer, too", async () => {
  const saved = { instance: { region: "oslo", contract_id: "c-1", id: "i-7" } };
  const made = await savedFiles({ "a.json": JSON.stringify(saved) }).from(["--from", "launch=a.json"]);
  expect(made.profile).toContain('id: /instance/id  # a.json: "i-7"; or /instance/contract_id');
});

test("the name of an instance is not what it is rented as", async () => {
  const body = record({ instance: record({ name: text(), label: text() }, "name") }, "instance");
  const { profile } = await init(documented({ body }));
  expect(profile).not.toContain('name: "{offer}"');
  expect(profile).toContain('name: "{parameters.name}"');
});

test.each<[string, Schema]>([
  ["by its name", { disk_price_gb_hour: whole() }],
  ["by the name around it", { storage: record({ price: whole() }) }],
  ["by its description", { price: whole("USD per GB and hour") }],
  ["in a unit of parts", { cost: whole("Micro-USD an hour") }],
  ["of a month, by its description", { price: whole("Price of a month") }],
])("the price of a part, or of another time, is not the offer's: %s", async (_what, part) => {
  const { usd: _, ...others } = OFFER.properties as Schema;
  const alone = await init(documented({ offer: record({ ...part, ...others }) }));
  expect(alone.profile).not.toMatch(/pricePer(Gpu)?Hour: [{/]/);
  const beside = await init(documented({ offer: record({ ...part, ...others, hourly_usd: whole() }) }));
  expect(beside.profile).toContain("pricePerHour: /hourly_usd  #");
});

test("a price of parts in saved offers is not the offer's either", async () => {
  const offers = [8, 1].map((gpu_count) => ({
    ...{ id: `x${gpu_count}`, vendor: "north", region: "oslo", gpu_count },
    ...{ memory: { hourly_usd: 0.01 }, rate: 2 * gpu_count },
  }));
  const { profile } = await savedFiles({ "offers.json": JSON.stringify(offers) }).from();
  expect(profile).toContain("pricePerHour: /rate  # seen in offers.json");
});

test.each([
  [
    "Price an hour in US cents.",
    "pricePerHour: { pointer: /price, unit: cents }",
    "US cents (by its description)",
  ],
  ["In cents, per GPU", "pricePerGpuHour: { pointer: /price, unit: cents }", "an hour of one GPU"],
  ["Hourly, in the smallest currency unit", "pricePerHour: { pointer: /price, unit: cents }", "US cents"],
  ["In dollars, not in cents", "pricePerHour: /price ", "USD an hour"],
])("a description says what a price is: %s", async (description, line, unit) => {
  const offer = record({
    id: text(),
    vendor: text(),
    region: text(),
    gpu_count: whole(),
    price: whole(description),
  });
  const { profile } = await init(documented({ offer }));
  expect(profile).toContain(line);
  expect(profile).toMatch(new RegExp(`confirm that it is .*${RegExp.escape(unit)}.*: it is described as "`));
});

test("a description of a document counts for a saved value, too", async () => {
  const offer = record({
    id: text(),
    vendor: text(),
    region: text(),
    gpu_count: whole(),
    price: whole("In cents"),
  });
  const saved = [{ id: "x8", vendor: "north", region: "oslo", gpu_count: 8, price: 1992 }];
  const files = { "api.json": JSON.stringify(documented({ offer })), "offers.json": JSON.stringify(saved) };
  expect((await savedFiles(files).from()).profile).toContain(
    "pricePerHour: { pointer: /price, unit: cents }  # seen in offers.json: 1992; confirm that it is US cents",
  );
});

test("what an optional object requires is not sent, and what a sent one requires is", async () => {
  const supply = record({ vendor: text(), contract: text() }, "contract");
  const body = record(
    { offer: text(), network: record({ vpc: text() }, "vpc"), supply, made: text({ readOnly: true }) },
    ...["offer", "made"],
  );
  const { profile, said } = await init(documented({ body }));
  expect(profile).not.toContain("vpc");
  expect(profile).not.toContain("parameters.made");
  expect(said).toContain("it also knows /network");
  expect(profile).toMatch(/supply:\n +vendor: "\{provider\}".*\n +contract: "\{parameters\.contract\}"/);
});

test("two fields of one name are two parameters", async () => {
  const kind = record({ type: text() }, "type");
  const body = record({ offer: text(), box: kind, disk: kind }, "offer", "box", "disk");
  const { profile } = await init(documented({ body }));
  expect(profile).toMatch(
    /box:\n +type: "\{parameters\.type\}".*\n +disk:\n +type: "\{parameters\.disk_type\}"/,
  );
});

const NAMELESS = record({ shape: text(), region: text() }, "shape");

test.each<[string, Schema]>([
  ["under allOf", { allOf: [record({ label: text() }), NAMELESS] }],
  ["one level down", record({ data: NAMELESS }, "data")],
  ["under allOf one level down", record({ data: { allOf: [{ allOf: [NAMELESS] }] } }, "data")],
  [
    "in two halves",
    { allOf: [record({ data: record({ label: text() }) }, "data"), record({ data: NAMELESS }, "data")] },
  ],
])("a body whose offer no name shows is shown, and open: %s", async (_what, body) => {
  const { profile, said } = await init(documented({ body }));
  expect(profile).toMatch(/\n# {2,}shape: "\{parameters\.shape\}" # api.json: required/);
  expect(profile).toMatch(/\n# {2,}region: "\{location\}"/);
  expect(profile).toContain("\n# launch:\n");
  expect(said).toContain('no field of a launch in api.json is called like an offer: write "{offer}"');
});

test("of several bodies only what each of them requires is required", async () => {
  const one = record({ offer: text(), vpc: text() }, "offer", "vpc");
  const body = { oneOf: [one, record({ offer: text(), mesh: text() }, "offer", "mesh")] };
  const { profile } = await init(documented({ body }));
  expect(profile).toContain('offer: "{offer}"');
  expect(profile).not.toMatch(/vpc:|mesh:/);
});

test.each<[string, Schema]>([
  ["an enum", text({ enum: ["booting", "active", "off", "running", "gone"] })],
  [
    "a reference beside a description",
    { allOf: [text({ enum: ["booting", "active", "off", "running", "gone"] })] },
  ],
  ["constants", { oneOf: ["booting", "active", "off", "running", "gone"].map((only) => ({ const: only })) }],
])("each word of a state is shown with what it could be, and left open: %s", async (_what, status) => {
  const made = await init(documented({ machine: record({ id: text(), status }) }));
  const states = "<initializing, provisioning, connecting, running, stopping, failed, interrupted>";
  for (const line of [
    `booting: ${states}  # api.json; by its look provisioning or connecting`,
    `active: ${states}  # api.json; by its look running`,
    `"off": ${states}  # api.json; by its look a machine that is halted: replace, if it bills on; terminal, if it costs nothing any more`,
    `gone: ${states}  # api.json; by its look an end: terminal, if it costs nothing any more`,
  ])
    expect(made.profile).toContain(`\n#       ${line}\n`);
  expect(made.profile).not.toContain("#       running:");
  expect(made.said).toContain('only you know these words: "booting", "active", "off", "gone"');
  expect(made.said).toContain("Taken as the specification's: running, failed.");
});

test.each([
  ["pending", "initializing"],
  ["deleting", "stopping"],
  ["stopped", "a machine that is halted: replace, if it bills on; terminal, if it costs nothing any more"],
  ["no_capacity", "failed, if it costs nothing any more"],
  ["zig", "any of them"],
])("a word's look is a hint: %s", (word, hint) => expect(likelyState(word)).toBe(hint));

test("words of a stock and of failures are shown, too", async () => {
  const made = await init(
    documented({
      machine: record({ id: text(), status: STATUS, failure_code: text({ enum: ["NO_ROOM", "BAD_DISK"] }) }),
      offer: record({ id: text(), gpu_count: whole(), stock_status: text({ enum: ["none", "low"] }) }),
    }),
  );
  expect(made.profile).toContain(
    "retryable: [<a failure_code that may pass>]  # seen in api.json: NO_ROOM, BAD_DISK",
  );
  expect(made.said).toContain('only you know the words at /stock_status ("none", "low")');
});

test("a document without deployments is that of another service, whose calls are recognized", async () => {
  const document = documented({}) as { paths: Record<string, unknown> };
  const { "/api/v1/deployments": pods, "/api/v1/offers": offers } = document.paths;
  const other = await init({ ...document, paths: { "/api/v1/pods": pods, "/api/v1/offers": offers } });
  expect(other.code).toBe(0);
  expect(other.profile).toContain("profile: 2\n");
  expect(other.profile).toContain("  list: { path: /api/v1/pods }");
  // The offers alone may be a part of this one.
  expect((await init({ ...document, paths: { "/api/v1/offers": offers } })).code).toBe(0);
});

test("a document that holds itself in many ways is read in a bounded time", async () => {
  const way = (n: number): Schema =>
    record({
      parent: { $ref: "#/paths/x", description: `${n}` },
      [`p${n}`]: text(),
      id: text(),
      status: STATUS,
    });
  const paths = { x: { oneOf: [1, 2, 3, 4, 5, 6].map(way) } };
  const document = documented({ machine: { $ref: "#/paths/x" }, body: { $ref: "#/paths/x" } }) as {
    paths: object;
  };
  const made = await init({ ...document, paths: { ...document.paths, ...paths } });
  expect(made.profile).toContain("items: /all  # api.json describes it so");
});

test("a name around several fields of a sent launch makes none of them the offer", async () => {
  const body = JSON.stringify({ product: { image: "ubuntu", cores: "x8" }, region: "oslo" });
  const call = `curl https://gpus.acme.com/api/v1/deployments -d '${body}'\n`;
  const { profile } = await savedFiles({ "launch.sh": call }).from();
  expect(profile).toContain("image: ubuntu");
  expect(profile).toContain('region: "{location}"');
});
