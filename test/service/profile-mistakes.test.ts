import { expect, test } from "vitest";
import { readProfile } from "../../service/profile/profile-file.ts";
import { failureOf } from "./support.ts";

// The mistakes that a newcomer is most likely to make. The whole message is compared, since the message is the feature.

const IN_ONE_PLACE =
  "the credential goes where auth says, by header or query, and nowhere else. Where the service wants it in its body, a proxy of yours can put it there (docs/reference/wire-profile.md, auth)";
const HEAD = "profile: 1\nname: acme\n";

async function messageOf(yaml: string): Promise<string> {
  const error = await failureOf(() => readProfile(yaml, "acme.yaml"));
  expect(error.code).toBe("CONFIG");
  return error.message;
}

test.each([
  [
    "a placeholder without quotes, which YAML reads as a mapping",
    `${HEAD}launch:\n  body:\n    offer: {offer}\n    name: "{offer}"\n`,
    'acme.yaml:5:12 launch.body.offer: {offer} without quotes is an empty mapping in YAML: write "{offer}"',
  ],
  [
    "a marker that is to be a number",
    `${HEAD}launch:\n  body:\n    offer: "{offer}"\n    ref: { number: "{marker}" }\ndeployments:\n  fields:\n    marker: /ref\n`,
    "acme.yaml:6:10 launch.body.ref: a marker is a text and no number: find a field that takes a text",
  ],
  [
    "the same where a text must stand",
    `${HEAD}auth:\n  header: X-Key\n  value: {secret}\n`,
    'acme.yaml:5:10 auth.value: expected a text, got a mapping: if the placeholder {secret} is meant, put it in quotes: "{secret}"',
  ],
  [
    "the credential itself instead of {secret}, and it is not repeated",
    `${HEAD}auth:\n  header: X-Key\n  value: Bearer canary-123\n`,
    'acme.yaml:5:10 auth.value: expected a template with {secret} in it, such as "Bearer {secret}"; the credential itself is given by FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE and never stands in a profile',
  ],
  [
    "a credential for the body, which belongs under no other key",
    `${HEAD}auth:\n  body: ticket\n  header: X-Key\n  value: "{secret}"\n`,
    `acme.yaml:4:3 auth.body: is not a known key: ${IN_ONE_PLACE}`,
  ],
  [
    "a credential in two places",
    `${HEAD}auth:\n  query: ticket\n  header: X-Key\n  value: "{secret}"\n`,
    "acme.yaml:3:1 auth: has both header and query: the credential goes into one of them",
  ],
  [
    "a credential in none",
    `${HEAD}auth:\n  value: "{secret}"\n`,
    'acme.yaml:3:1 auth: says no place: expected header, such as "Authorization", or query, where the credential goes into the query',
  ],
  [
    "a call that has the credential's own parameter",
    `profile: 2\nname: acme\nauth: { query: ticket, value: "{secret}" }\ncalls:\n  list: { path: /v2/machines, query: { ticket: x } }\n`,
    "acme.yaml:5:38 calls.list.query: ticket carries the credential, by auth.query: take it out here",
  ],
  [
    "the same as a placeholder of a call, where a setting would be no secret",
    `profile: 2\nname: acme\ncalls:\n  list: { path: /v2/machines, query: { ticket: "{secret}" } }\n`,
    `acme.yaml:4:48 calls.list.query.ticket: the placeholder {secret} does not exist: ${IN_ONE_PLACE}`,
  ],
  [
    "a template that ends in a line break",
    `${HEAD}auth:\n  header: X-Key\n  value: |\n    Bearer {secret}\n`,
    "acme.yaml:5:10 auth.value: expected one line of plain characters, as a header carries them; a block text (|) ends in a line break",
  ],
  [
    "a mistyped key",
    `${HEAD}deployments:\n  list:\n    item: /items\n    pagination: {kind: none}\n`,
    'acme.yaml:4:3 deployments.list.items: is missing: expected a text\nacme.yaml:5:5 deployments.list.item: is not a known key: did you mean "items"?',
  ],
  [
    "a key in another spelling",
    `${HEAD}deployments:\n  fields:\n    price_per_hour: /price\n`,
    'acme.yaml:5:5 deployments.fields.price_per_hour: is not a known key: did you mean "pricePerHour"?',
  ],
  [
    "a key in the wrong place",
    `${HEAD}aliases: {booting: initializing}\n`,
    'acme.yaml:3:1 aliases: is not a known key here: it belongs under "deployments.states"',
  ],
  [
    "a path instead of a JSON Pointer",
    `${HEAD}deployments:\n  fields:\n    offer: $.spec.offers[0].id\n`,
    'acme.yaml:5:12 deployments.fields.offer: expected a JSON Pointer such as /data/items, or "" for the whole document, got "$.spec.offers[0].id": write /spec/offers/0/id',
  ],
  [
    "a list without pagination",
    `${HEAD}deployments:\n  list:\n    items: /items\n`,
    'acme.yaml:4:3 deployments.list.pagination: is missing: expected a mapping ("key: value" lines) with kind "none" or "page" or "offset" or "cursor" or "link"',
  ],
  [
    "a kind of pagination that does not exist",
    `${HEAD}deployments:\n  list:\n    items: /items\n    pagination: {kind: pages}\n`,
    'acme.yaml:6:24 deployments.list.pagination.kind: expected "none" or "page" or "offset" or "cursor" or "link", got "pages"',
  ],
  [
    "a placeholder that does not exist",
    `${HEAD}launch:\n  body: {offer: "{offer}", site: "{locaton}", key: "{sshKey}"}\n`,
    "acme.yaml:4:34 launch.body.site: the placeholder {locaton} does not exist: did you mean {location}?\nacme.yaml:4:52 launch.body.key: the placeholder {sshKey} does not exist: for a parameter of your own write {parameters.sshKey}; the others are {offer}, {provider}, {location}, {marker}, {parameters.NAME}",
  ],
  [
    "placeholders of another language",
    `${HEAD}launch:\n  body: {offer: "\${offer}", site: "{{location}}", by: "{ provider }"}\n`,
    `acme.yaml:4:17 launch.body.offer: write {offer} instead of \${offer}\nacme.yaml:4:35 launch.body.site: write {location} instead of {{location}}\nacme.yaml:4:55 launch.body.by: write {provider} instead of { provider }`,
  ],
  [
    "a launch that forgets the offer",
    `${HEAD}launch:\n  body: {offer: offer}\n`,
    'acme.yaml:4:3 launch.body: names no "{offer}", so that every launch would ask for the same thing: put "{offer}" where the service expects the offer',
  ],
  [
    "a number in quotes, and a status out of range",
    `${HEAD}limits: {requestsPerSecond: "5"}\nerrors: {definite: {statuses: [42]}}\n`,
    'acme.yaml:3:29 limits.requestsPerSecond: expected a number, got "5": take the quotes away\nacme.yaml:4:32 errors.definite.statuses.0: expected a number of at least 100, got 42',
  ],
  [
    "one value where a list stands",
    `${HEAD}deployments:\n  states: {terminal: stopped}\nerrors: {definite: {statuses: 429}}\n`,
    'acme.yaml:4:22 deployments.states.terminal: expected a list, got "stopped": write [stopped]\nacme.yaml:5:31 errors.definite.statuses: expected a list, got 429: write [429]',
  ],
  ["no version", "name: acme\n", "acme.yaml:1:1 profile: is missing: expected 1 or 2"],
  [
    "an empty file",
    "",
    'acme.yaml:1:1 the file is empty: expected a mapping ("key: value" lines) with profile 1 or 2',
  ],
  [
    "a tab",
    `${HEAD}auth:\n\theader: X\n`,
    "acme.yaml:4:1 Tabs are not allowed as indentation; indent with blanks, YAML knows no tabs there",
  ],
  [
    "a key twice",
    `${HEAD}name: other\n`,
    "acme.yaml:3:1 this key stands here a second time: keep one of the two",
  ],
  [
    "a number too long to be exact",
    `${HEAD}launch:\n  body: {offer: "{offer}", project: 12345678901234567890}\n`,
    "acme.yaml:4:37 this number has more digits than a program can hold exactly: write it in quotes",
  ],
  [
    "a second document",
    `${HEAD}---\nname: b\n`,
    "acme.yaml:3:1 a second document begins here: one file holds one, so take out the line ---",
  ],
])("%s", async (_mistake, yaml, message) => {
  expect(await messageOf(yaml)).toBe(message);
});

test("aliases that refer to themselves are no configuration", async () => {
  expect(await messageOf(`${HEAD}launch: &a {body: *a}\n`)).toMatch(
    /^acme\.yaml:1:1 its aliases cannot be followed/,
  );
});

test("what is nested too deep is said to be that, and what stands in a file is not obeyed by a terminal", async () => {
  expect(await messageOf(`${HEAD}launch: {body: ${"[".repeat(60_000)}`)).toMatch(
    /^acme\.yaml:3:\d+ it is nested too deep, or contains itself/,
  );
  expect(await messageOf(`${HEAD}laun\u202ech: 1\n`)).toContain("laun\\u202ech");
});

test("broken YAML is said with line and column", async () => {
  expect(await messageOf(`${HEAD}launch: {body: [}\n`)).toMatch(/^acme\.yaml:3:\d+ /);
});

test("nothing written under auth is repeated in a message", async () => {
  for (const auth of [
    "canary",
    "{header: 'X-Key: canary', value: '{secret}'}",
    "{header: X, value: canary}",
    "[canary]",
  ]) {
    expect(await messageOf(`${HEAD}auth: ${auth}\n`)).not.toContain("canary");
  }
});
