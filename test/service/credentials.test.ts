import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createService } from "../../service/client.ts";
import { TransportError } from "../../service/contract/transport.ts";
import {
  AUTH,
  BASE_URL,
  failureOf,
  fakeTransport,
  json,
  LAUNCH,
  never,
  ORDER,
  profileOf,
  SECRET,
  serviceOf,
  virtualClock,
} from "./support.ts";

function build(parts: Record<string, unknown>, secret: string | undefined) {
  return createService({
    baseUrl: BASE_URL,
    secret,
    profile: profileOf(parts),
    transport: fakeTransport([]).transport,
    clock: virtualClock(),
  });
}

test("without auth and without a secret, requests go without a credential", async () => {
  const { service, requests } = serviceOf({}, [json({ balance: "1.0000", currency: "USD" })]);
  await service.balance(never());
  expect(Object.keys(requests[0]?.headers ?? {})).toEqual(["accept", "accept-encoding"]);
});

test("a secret that no header carries is an error: it would silently not be sent", async () => {
  const error = await failureOf(() => build({}, SECRET));
  expect(error.code).toBe("PROFILE_PART_MISSING");
  expect(error.message).toContain('To send the credential, the profile needs the part "auth"');
});

test.each([[undefined], [""]])("auth without a secret (%j) names the settings", async (secret) => {
  const error = await failureOf(() => build({ auth: AUTH }, secret));
  expect(error.code).toBe("CREDENTIAL");
  expect(error.message).toContain(
    "set fleetkeeper:apiKey (in a stack, where it wins), the variable that the fleet file names, FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE",
  );
});

test.each([`${SECRET}\n`, ` ${SECRET}`, `${SECRET}\r\nX-Evil: 1`, `${SECRET}é`])(
  "a secret that a header cannot carry is refused and not shown: %j",
  async (secret) => {
    const error = await failureOf(() => build({ auth: AUTH }, secret));
    expect(error.code).toBe("CREDENTIAL");
    expect(inspect(error)).not.toContain(SECRET);
  },
);

test("a credential of the query is in each address once, also in that of a next page that has it", async () => {
  const next = { link: `<${BASE_URL}/api/v1/deployments?after=b%20c&ticket=old>; rel="next"` };
  const pages = [json([{ id: "a", status: "running" }], { headers: next }), json([])];
  const list = { items: "", pagination: { kind: "link" } };
  const parts = { auth: { query: "ticket", value: "key {secret}" }, deployments: { list } };
  const { service, requests } = serviceOf(parts, pages, { secret: "a+b/c&d=(e)" });
  await service.deployments(never());
  const asked = requests.map(({ url }) => new URL(url));
  expect(asked.map(({ search }) => search)).toEqual([
    "?ticket=key%20a%2Bb%2Fc%26d%3D(e)",
    "?after=b+c&ticket=key%20a%2Bb%2Fc%26d%3D(e)",
  ]);
  expect(asked.map(({ searchParams }) => searchParams.getAll("ticket"))).toEqual(
    Array(2).fill(["key a+b/c&d=(e)"]),
  );
  expect(Object.keys(requests[0]?.headers ?? {})).toEqual(["accept", "accept-encoding"]);
});

// The canary is echoed by the service in every way it can be, plain, inside JSON and inside an address.
const CANARY = 'canary"\\/ (&7f3a)';
const JSON_FORM = JSON.stringify(CANARY).slice(1, -1);
const URL_FORM = encodeURIComponent(CANARY);
const FORM = new URLSearchParams({ q: CANARY }).toString();
const leaky = Object.assign(new Error(`socket said ${CANARY}`), { data: CANARY });
const EVERYTHING = {
  auth: AUTH,
  launch: LAUNCH,
  errors: { code: "/code", message: "/message" },
  stop: { method: "POST", path: "/stop/{id}" },
  deployments: {
    list: { items: "/items", pagination: { kind: "link" } },
    get: { item: "" },
    fields: { gpus: "/gpus" },
  },
};

test.each<[string, object | Error]>([
  [
    "in a transport's error and its cause",
    new TransportError("NO_ANSWER", `reset ${CANARY}`, { cause: leaky }),
  ],
  ["in a body that is no JSON", { body: `<p>${CANARY}` }],
  ["at the edge of the excerpt", { body: `${"x".repeat(190)}${CANARY}` }],
  ["in an error's code and message", json({ code: CANARY, message: CANARY }, { status: 418 })],
  ["in an error body that is not understood", { status: 418, body: JSON.stringify({ key: CANARY }) }],
  ["in an address as a form has it", json({ message: `no such thing: /x?${FORM}` }, { status: 404 })],
  ["in a refused credential", json({ message: `bad ${CANARY}` }, { status: 401 })],
  ["in a redirect", { status: 302, headers: { location: `https://x/?key=${URL_FORM}` } }],
  ["in a Link", json({ items: [] }, { headers: { link: `<https://x/?key=${URL_FORM}>; rel="next"` } })],
  ["in the names of keys", json({ [CANARY]: [] })],
  ["in an item's field", json({ items: [{ id: "a", status: { s: CANARY } }], status: { s: CANARY } })],
  ["in another id", json({ id: CANARY, status: "running" })],
])("the secret is in no error of any call: %s", async (_where, reply) => {
  const { service } = serviceOf(EVERYTHING, [reply], { secret: CANARY });
  const calls = [
    () => service.account(never()),
    () => service.balance(never()),
    () => service.deployments(never()),
    () => service.deployment("a", never()),
    () => service.launch(ORDER, never()),
    () => service.stop({ id: "a" }, never()),
  ];
  const outcomes: string[] = [];
  for (const call of calls) {
    const outcome = await call().catch((error: unknown) => error);
    outcomes.push(
      inspect(outcome, { depth: 20, showHidden: true }),
      outcome instanceof Error ? outcome.message : JSON.stringify(outcome),
    );
  }
  const said = outcomes.join("\n");
  for (const form of [CANARY, JSON_FORM, URL_FORM, "canary", "7f3a"]) expect(said).not.toContain(form);
});

test("the secret is in no words that are kept of a deployment, and what tells machines apart stays as it is", async () => {
  const words = {
    failure_code: CANARY,
    stop_reason: `by ${URL_FORM}`,
    why: `x ${CANARY} y`,
    what_now: JSON_FORM,
  };
  const fields = { failureReason: "/why", suggestedAction: "/what_now", offer: "/offer" };
  const { service } = serviceOf(
    { auth: AUTH, deployments: { list: { items: "", pagination: { kind: "none" } }, fields } },
    [json([{ id: "a", status: "failed", offer: CANARY, ...words }])],
    { secret: CANARY },
  );
  const [read] = (await service.deployments(never())) ?? [];
  expect(read).toEqual({
    id: "a",
    status: "failed",
    offer: CANARY,
    failureCode: "[secret]",
    stopReason: "by [secret]",
    failureReason: "x [secret] y",
    suggestedAction: "[secret]",
  });
});
