import { expect, test } from "vitest";
import { failureOf, profileOf } from "./support.ts";

const BODY = { offer: "{offer}" };

const offersWith = (available: unknown) => ({
  offers: {
    list: { items: "/o", pagination: { kind: "none" } },
    fields: { id: "/id", provider: "/p", location: "/l", gpus: "/g", available },
  },
});

test.each([
  [
    "a marker that is sent and never shown back",
    { launch: { body: { ...BODY, tag: "{marker}" } } },
    "launch.body: sends a {marker}, but no field says where a deployment shows it back: add deployments.fields.marker",
  ],
  [
    "a marker that is mapped and never sent",
    { launch: { body: BODY }, deployments: { fields: { marker: "/tag" } } },
    'deployments.fields.marker: is mapped, but launch.body sends no "{marker}"',
  ],
  [
    "a marker that is mapped without any launch",
    { deployments: { fields: { marker: "/tag" } } },
    "deployments.fields.marker: is mapped, but there is no launch body",
  ],
  [
    "a field above the top of the answer",
    {
      profile: 2,
      deployments: {
        list: { items: "/zones/*/machines", pagination: { kind: "none" } },
        fields: { location: "5/name", marker: "4/all" },
      },
      launch: { body: { ...BODY, tag: "{marker}" } },
    },
    'deployments.fields.location: "5/name" goes 5 levels up, and a record here stands 4 below the top of the answer',
  ],
  [
    "an alias to a state that does not exist",
    { deployments: { states: { aliases: { up: "runing" } } } },
    'deployments.states.aliases.up: "runing" is no state: did you mean "running"?',
  ],
  [
    "an alias to a word of no one",
    { deployments: { states: { aliases: { off: "asleep" } } } },
    '"asleep" is no state: use one of initializing, provisioning, connecting, running, stopping, failed, interrupted, or name it under deployments.states.terminal',
  ],
  [
    "an alias that changes the meaning of the specification's own word",
    { deployments: { states: { aliases: { running: "failed" } } } },
    "deployments.states.aliases.running: is a state of the specification and cannot mean another one",
  ],
  [
    "an active state as an end, which would forget machines that cost money",
    { deployments: { states: { terminal: ["stopping"] } } },
    'deployments.states.terminal.0: "stopping" is an active state',
  ],
  [
    "an end that is an alias, too",
    { deployments: { states: { aliases: { off: "failed" }, terminal: ["off"] } } },
    'deployments.states.terminal.0: "off" is also an alias',
  ],
  [
    "a detail that its form does not name",
    { deployments: { fields: { connection: { address: { pointer: "/ssh", form: "{user}@{host}" } } } } },
    "deployments.fields.connection.address.form: has no {address}: the detail is the part that its own name stands for",
  ],
  [
    "a form in which nobody can say where a value ends",
    { deployments: { fields: { connection: { host: { pointer: "/ssh", form: "{user}{host}" } } } } },
    "deployments.fields.connection.host.form: has two placeholders with nothing between them",
  ],
  [
    "a form that names a detail twice",
    { deployments: { fields: { connection: { host: { pointer: "/ssh", form: "{host} or {host}" } } } } },
    "deployments.fields.connection.host.form: has {host} twice",
  ],
  [
    "codes that no pointer reads",
    { errors: { definite: { codes: ["no_credit"] } } },
    "errors.definite.codes: is never read, because errors.code does not say",
  ],
  [
    "codes of a stop that no pointer reads",
    { stop: { method: "DELETE", path: "/x/{id}", gone: { codes: ["gone"] } } },
    "stop.gone.codes: is never read",
  ],
  [
    "a success as a definite refusal",
    { errors: { definite: { statuses: [202] } } },
    "errors.definite.statuses.0: 202 is no error status",
  ],
  [
    "a success as gone",
    { stop: { method: "DELETE", path: "/x/{id}", gone: { statuses: [204] } } },
    "stop.gone.statuses.0: 204 is no error status",
  ],
  [
    "a failure code that is retryable and permanent",
    { failures: { retryable: ["A"], permanent: ["A"] } },
    "failures.retryable.0: A stands under permanent, too",
  ],
  [
    "a placeholder in a key",
    { launch: { body: { "{offer}": "{offer}" } } },
    "launch.body.{offer}: a key is sent as it is, placeholders work in values only",
  ],
  [
    "the secret in a body",
    { launch: { body: { ...BODY, key: "{secret}" } } },
    "launch.body.key: the placeholder {secret} does not exist",
  ],
  [
    "a stop without an id",
    { stop: { method: "POST", path: "/api/v1/stop" } },
    'stop.path: expected a path that begins with / and has {id} in it; where the id stands elsewhere, calls.stop of a profile 2 says where, got "/api/v1/stop"',
  ],
  [
    "no number of GPUs in offers",
    {
      offers: {
        list: { items: "", pagination: { kind: "none" } },
        fields: { id: "/a", provider: "/b", location: "/c" },
      },
    },
    "Where only a name says it: no part offers, and candidates in the fleet file",
  ],
  [
    "no word that means sold out",
    offersWith({ pointer: "/shelf", soldOut: [] }),
    "offers.fields.available.soldOut: expected at least one word that means sold out, such as [empty] (a pointer alone, as in available: /shelf, needs none), got an empty list",
  ],
  [
    "an empty word for sold out, which is read as nothing at all",
    offersWith({ pointer: "/shelf", soldOut: ["bare", ""] }),
    'offers.fields.available.soldOut.1: expected a text that is not empty, got ""',
  ],
  [
    "a word for sold out that is no list",
    offersWith({ pointer: "/shelf", soldOut: "bare" }),
    "or { pointer: /shelf, soldOut: [empty] }, with a list of the words that mean sold out, where a word says it",
  ],
  [
    "a line of a proposal that was not filled in",
    { launch: { body: { "<the field for the offer>": "{offer}", region: "<yours>" } } },
    "launch.body.region: is still to be filled in",
  ],
])("%s", async (_what, parts, message) => {
  const error = await failureOf(() => profileOf(parts));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toContain(message);
});

test("a profile with every part is taken", () => {
  expect(() =>
    profileOf({
      auth: { header: "X-Key", value: "Key {secret}" },
      launch: {
        body: { ...BODY, tag: "{marker}", n: null, deep: [{ x: "{parameters.x}" }] },
        id: "/id",
        deployment: "",
      },
      deployments: {
        list: { items: "", query: { all: true }, pagination: { kind: "link" } },
        get: { item: "" },
        fields: { marker: "/tag", connection: { ssh: "/ssh" } },
        states: { aliases: { booting: "initializing", off: "stopped" }, terminal: ["stopped"] },
      },
      offers: {
        list: { items: "/o", pagination: { kind: "cursor", cursorParameter: "after", next: "/next" } },
        fields: { id: "/id", provider: "/p", location: "/l", gpus: "/g" },
      },
      stop: {
        method: "POST",
        path: "/stop/{id}",
        body: { id: "{id}" },
        gone: { statuses: [404], codes: ["gone"] },
      },
      errors: { code: "/code", message: "/text", definite: { statuses: [409], codes: ["no_credit"] } },
      failures: { retryable: ["A"], permanent: ["B"] },
      limits: { requestsPerSecond: 2.5 },
    }),
  ).not.toThrow();
});
