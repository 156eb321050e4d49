import { expect, test } from "vitest";
import { readable, unreadOf } from "../../service/contract/unread.ts";
import { failureOf, json, never, serviceOf } from "./support.ts";

const FIELDS = {
  offer: "/spec/offer",
  provider: "/spec/provider",
  location: "/spec/location",
  marker: "/labels/fleetkeeper",
  createdAt: "/created",
  pricePerHour: "/price",
  gpus: "/gpus",
  failureReason: "/why",
  suggestedAction: "/what_now",
  connection: { ssh: "/net/ssh", port: "/net/port", hosts: "/net/hosts" },
};
const LIST = { items: "", pagination: { kind: "none" } };
const PARTS = {
  launch: { body: { offer: "{offer}", label: "{marker}" }, id: "/id" },
  deployments: {
    list: LIST,
    get: { item: "/it" },
    fields: FIELDS,
    states: { aliases: { booting: "initializing" }, terminal: ["stopped"] },
  },
};

const listed = async (body: string, parts: Record<string, unknown> = PARTS) =>
  (await serviceOf(parts, [{ body }]).service.deployments(never())) ?? [];

test("the specification's fields need no mapping", async () => {
  const body =
    '[{"id": 12345678901234567890, "status": "failed", "failure_code": "UNKNOWN", "stop_reason": null}]';
  expect(await listed(body, { deployments: { list: LIST } })).toEqual([
    { id: "12345678901234567890", status: "failed", failureCode: "UNKNOWN" },
  ]);
});

test("mapped fields arrive exactly, and what is not there is not there", async () => {
  const body = `[{"id": "d", "status": "booting", "spec": {"offer": 7, "provider": "p", "location": "l"},
    "labels": {"fleetkeeper": "m"}, "created": "2026-01-01", "price": 1.10, "gpus": 8, "why": "w", "what_now": "",
    "net": {"ssh": "root@1", "port": 22, "hosts": ["a"]}}, {"id": "e", "status": "running"}]`;
  expect(await listed(body)).toEqual([
    {
      id: "d",
      status: "initializing",
      offer: "7",
      provider: "p",
      location: "l",
      marker: "m",
      createdAt: "2026-01-01",
      pricePerHour: "1.10",
      gpus: 8,
      failureReason: "w",
      connection: { ssh: "root@1", port: "22", hosts: '["a"]' },
    },
    { id: "e", status: "running" },
  ]);
});

test.each([
  [
    '[{"id": "a", "status": "running"}, {"status": "running"}]',
    "deployments[1]: id (/id) should be a text or a whole number, but is missing",
  ],
  ['[{"id": "a"}]', "deployments[0]: status (/status) should be a text, but is missing"],
  ['[{"id": "", "status": "running"}]', 'id (/id) should be a text or a whole number, but is ""'],
  [
    '[{"id": "a", "status": {"phase": "running"}}]',
    'status (/status) should be a text, but is {"phase":"running"}',
  ],
  ['["a"]', "deployments[0]: status (/status) should be a text, but is missing; id (/id)"],
  [
    '[{"id": "a", "status": "running", "labels": {"fleetkeeper": {}}}]',
    "marker (/labels/fleetkeeper) should be a text, but is {}",
  ],
  ['[{"id": "\\ud800", "status": "running"}]', "(half of a character, which no address can hold)"],
  [`[{"id": "${"i".repeat(1001)}", "status": "running"}]`, "(1001 characters, and at most 1000 are read)"],
  [`[{"id": "a", "status": "${"s".repeat(1001)}"}]`, "status (/status) should be a text, but is"],
])("a record of %s is set aside and named, and the others count", async (body, message) => {
  const list = await listed(`${body.slice(0, -1)}, {"id": "good", "status": "running"}]`);
  expect(readable(list)).toContainEqual({ id: "good", status: "running" });
  const [unread] = unreadOf(list);
  expect(`${unread?.where}: ${unread?.unread}`).toContain(message);
});

test("a record whose id can be read is set aside under it; the same without an id is another each time", async () => {
  const list = await listed('[{"id": "a"}, {}, {}, {"id": "b", "status": "running"}]');
  expect(list.map(({ id }) => id)).toEqual(["a", undefined, undefined, "b"]);
});

test.each([
  [
    '"price": "cheap"',
    "pricePerHour",
    'pricePerHour (/price) should be a price such as 1.50, but is "cheap"',
  ],
  ['"price": -1', "pricePerHour", "pricePerHour (/price) should be a price such as 1.50, but is -1"],
  ['"gpus": 1.5', "gpus", "gpus (/gpus) should be a whole number of at most 10000"],
  ['"gpus": 5000000000', "gpus", "gpus (/gpus) should be a whole number of at most 10000, but is 5000000000"],
  ['"spec": {"offer": {}}', "offer", "offer (/spec/offer) should be a text, but is {}"],
] as const)("of a record with %s all but that counts, and it is named", async (field, name, message) => {
  const [read] = readable(await listed(`[{"id": "a", "status": "running", ${field}}]`));
  expect(read).toMatchObject({ id: "a", status: "running", flaw: expect.stringContaining(message) });
  expect(read?.[name]).toBeUndefined();
});

test("a connection detail that is too long is left out, and not shown: it may be a secret", async () => {
  const net = { ssh: "s".repeat(70_000), port: 22 };
  const [read] = readable(await listed(JSON.stringify([{ id: "a", status: "running", net }])));
  expect(read).toMatchObject({ connection: { port: "22" } });
  expect(read?.flaw).toContain("connection.ssh (/net/ssh) should be a value of at most 65536 characters");
  expect(read?.flaw).not.toContain("sss");
});

test("one deployment that cannot be read is an error that names the profile's parts", async () => {
  const { service } = serviceOf(PARTS, [json({ it: { id: "a" } })]);
  const error = await failureOf(() => service.deployment("a", never()));
  expect(error.code).toBe("UNREADABLE_ANSWER");
  expect(error.message).toContain("status (/status) should be a text, but is missing");
  expect(error.message).toContain('Check "deployments.get.item" and "deployments.fields"');
});

test("one deployment by id, its path encoded", async () => {
  const { service, requests } = serviceOf(PARTS, [json({ it: { id: "a/b?", status: "running" } })]);
  expect((await service.deployment("a/b?", never()))?.status).toBe("running");
  expect(requests[0]?.url).toBe("https://gpu.example.com/api/v1/deployments/a%2Fb%3F");
});

test("404 by id is undefined, and no other answer is", async () => {
  expect(await serviceOf(PARTS, [{ status: 404 }]).service.deployment("a", never())).toBeUndefined();
  for (const status of [400, 403, 410, 500]) {
    await failureOf(() => serviceOf(PARTS, [{ status }]).service.deployment("a", never()));
  }
});

test("an answer about another deployment is not believed", async () => {
  const { service } = serviceOf(PARTS, [json({ it: { id: "b", status: "failed" } })]);
  expect((await failureOf(() => service.deployment("a", never()))).message).toContain(
    "answered with another deployment, b",
  );
});

test("words for people are cut to a page", async () => {
  const long = "w".repeat(100_000);
  const list = await listed(
    JSON.stringify([{ id: "a", status: "failed", failure_code: long, why: long, what_now: long }]),
  );
  const [read] = readable(list);
  for (const words of [read?.failureCode, read?.failureReason, read?.suggestedAction])
    expect(words).toBe(`${"w".repeat(3999)}…`);
});

test("nothing at the item's pointer is an error", async () => {
  const { service } = serviceOf(PARTS, [json({ id: "a", status: "running" })]);
  expect((await failureOf(() => service.deployment("a", never()))).message).toContain(
    "nothing stands at /it (deployments.get.item)",
  );
});

test.each(["..", ".", ""])("an id that would change the path is refused: %j", async (id) => {
  const { service, requests } = serviceOf(PARTS, []);
  await failureOf(() => service.deployment(id, never()));
  expect(requests).toHaveLength(0);
});

test("terminal states are the specification's and the profile's", () => {
  const { service } = serviceOf(PARTS, []);
  const states = ["failed", "interrupted", "stopped", "running", "stopping", "odd"];
  expect(states.filter((state) => service.isTerminal(state))).toEqual(["failed", "interrupted", "stopped"]);
});

test("of a failure code the profile says yes, no, or nothing", () => {
  const { service } = serviceOf({ failures: { retryable: ["A"], permanent: ["B"] } }, []);
  expect(["A", "B", "UNKNOWN"].map((code) => service.isRetryable(code))).toEqual([true, false, undefined]);
});

test("abilities are what the profile makes possible", () => {
  expect(serviceOf(PARTS, []).service.abilities).toEqual({
    marker: true,
    combination: true,
    constants: [],
    launch: true,
    stop: false,
    get: true,
    offers: false,
    offerPrice: false,
    details: { hosts: "open", port: "open", ssh: "open" },
  });
  expect(Object.values(serviceOf({}, []).service.abilities)).not.toContain(true);
});

test("connection details that the profile calls secret are kept apart", async () => {
  const connection = {
    host: "/host",
    password: { pointer: "/password", secret: true },
    port: { pointer: "/port", secret: false },
  };
  const parts = { deployments: { list: LIST, fields: { connection } } };
  const body = '[{"id": "d", "status": "running", "host": "h", "password": "hunter2", "port": 22}]';
  expect(await listed(body, parts)).toEqual([
    {
      id: "d",
      status: "running",
      connection: { host: "h", port: "22" },
      secretConnection: { password: "hunter2" },
    },
  ]);
  const details = { host: "open", password: "secret", port: "open" };
  expect(serviceOf(parts, []).service.abilities.details).toEqual(details);
});

test("connection details are read out of one text, and one may be the same for all", async () => {
  const form = "ssh://{user}@{host}:{port}?key={key}";
  const part = { pointer: "/door", form };
  const connection = { host: part, port: part, key: { ...part, secret: true }, shell: { value: "bash" } };
  const parts = { deployments: { list: LIST, fields: { connection } } };
  const body = `[
    {"id": "a", "status": "running", "door": "ssh://me@a.example:2201?key=hunter2"},
    {"id": "b", "status": "connecting", "door": null}]`;
  expect(await listed(body, parts)).toEqual([
    {
      id: "a",
      status: "running",
      connection: { host: "a.example", port: "2201", shell: "bash" },
      secretConnection: { key: "hunter2" },
    },
    { id: "b", status: "connecting", connection: { shell: "bash" } },
  ]);
});

test("a text of another form is told, and its machine counts", async () => {
  const connection = { host: { pointer: "/door", form: "ssh://{user}@{host}:{port}" } };
  const parts = { deployments: { list: LIST, fields: { connection } } };
  const [found] = await listed('[{"id": "a", "status": "running", "door": "telnet a.example"}]', parts);
  expect(found).toMatchObject({ id: "a", status: "running" });
  expect(found).toHaveProperty("flaw", expect.stringContaining("ssh://{user}@{host}:{port}"));
});
