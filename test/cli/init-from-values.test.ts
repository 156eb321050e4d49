import { expect, test } from "vitest";
import { savedFiles } from "./saved-files.ts";

/** A service whose names say nothing: only its values, and what a launch sends, show what is what. */
const ORDER = { tag: "wick-12", house: "tidepool", town: "galway" };
const OFFERS = [
  { tag: "wick-11", silicon: "L40S", pieces: 1, hourly_cents: 89, house: "boreal", town: "lulea" },
  { ...ORDER, silicon: "A100-80G", pieces: 2, hourly_cents: 176 },
];
const MORE = [
  { tag: "wick-31", silicon: "H100-SXM", pieces: 1, hourly_cents: 259, house: "boreal", town: "oslo" },
];
const RIG = {
  id: "rig~ab9e",
  status: "running",
  inscription: "by hand",
  order: ORDER,
  silicon: "A100-80G",
  pieces: 2,
  hourly_cents: 176,
  opened: 1_795_524_663,
  door: "ssh://rig@10.0.0.7:2201",
};

const page = (asked: string, batch: readonly object[], resume: string | null): string =>
  [
    `$ curl -i 'https://gpus.acme.com/api/v1/${asked}' -H 'Lantern-Pass: abc'`,
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
    JSON.stringify({ batch, left: resume === null ? 0 : 1, resume }),
  ].join("\n");

const launched = (order: object, inscription = "by hand"): string =>
  [
    `$ curl -i https://gpus.acme.com/api/v1/deployments -H 'Lantern-Pass: abc' --json '${JSON.stringify({ order, inscription })}'`,
    "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n",
    JSON.stringify({ rig: { id: "rig~ab9e", status: "initializing" } }),
  ].join("\n");

const FILES = {
  "launch.txt": launched(ORDER),
  "rigs.txt": page("deployments", [RIG], null),
  "offers.txt": page("offers", OFFERS, "cDQ"),
  "offers2.txt": page("offers?resume=cDQ", MORE, null),
  "error.txt": [
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n",
    JSON.stringify({ fault: { kind: "offer_cooling_down", says: "that rig is cooling" } }),
  ].join("\n"),
};

test("what a launch sends and an offer has is the offer, the provider and the location", async () => {
  const { profile, said } = await savedFiles(FILES).from();
  for (const line of [
    'tag: "{offer}" # launch.txt: "wick-12", as in the offers',
    'house: "{provider}"',
    'town: "{location}"',
    'id: /tag  # launch.txt sends one of these: "wick-11", "wick-12", "wick-31" in offers.txt, offers2.txt',
    'provider: /house  # launch.txt sends one of these: "boreal", "tidepool" in offers.txt, offers2.txt; provider and location may be the other way round',
    "location: /town  # launch.txt sends one of these",
    "offer: /order/tag  # ",
    "provider: /order/house  # ",
    "location: /order/town  # ",
  ])
    expect(profile, said).toContain(line);
});

test("a text of several words that is shown back is the marker", async () => {
  const { profile } = await savedFiles(FILES).from();
  expect(profile).toContain('inscription: "{marker}" # launch.txt: ');
  expect(profile).toContain("marker: /inscription  # ");
});

test("one word that is shown back may be a choice of the service: it stays as it is", async () => {
  const { profile } = await savedFiles({
    ...FILES,
    "launch.txt": launched(ORDER, "debian"),
    "rigs.txt": page("deployments", [{ ...RIG, inscription: "debian" }], null),
  }).from();
  expect(profile).toContain("inscription: debian");
  expect(profile).not.toContain('"{marker}" # launch.txt');
});

test.each([
  ["a key", "ssh_key", "ssh-ed25519 AAAAC3Nz me at home"],
  ["a key by its name", "public_key", "my own key"],
  ["a command", "onstart", "sleep a while"],
  ["flags", "notes", "--gpus all --rm"],
  ["an address", "contact", "Ann <ann@acme.example>"],
])(
  "%s that is shown back is no marker: a machine without it would bill for nothing",
  async (_, name, text) => {
    const { inscription: _none, ...rig } = RIG;
    const body = JSON.stringify({ order: ORDER, [name]: text });
    const { profile } = await savedFiles({
      ...FILES,
      "launch.txt": launched(ORDER).replace(/--json '.*'/, () => `--json '${body}'`),
      "rigs.txt": page("deployments", [{ ...rig, [name]: text }], null),
    }).from();
    expect(profile).toContain('tag: "{offer}"');
    expect(profile).not.toContain('"{marker}" # launch.txt');
  },
);

test("a location with digits is no GPU model", async () => {
  const order = { ...ORDER, town: "us-east-1" };
  const { profile } = await savedFiles({
    ...FILES,
    "launch.txt": launched(order),
    "offers.txt": page(
      "offers",
      [
        { ...OFFERS[0], town: "eu-west-2" },
        { ...OFFERS[1], ...order },
      ],
      "cDQ",
    ),
    "offers2.txt": page("offers?resume=cDQ", [{ ...MORE[0], town: "ap-south-1" }], null),
  }).from();
  expect(profile).toContain('town: "{location}"');
});

/** A service whose offers and machines have provider and location in one array. */
const KILN = [
  { sku: "h100.x2", at: ["basin", "oslo-1"], gpus: 2, usd_hour: "4.98" },
  { sku: "h100.x1", at: ["basin", "oslo-1"], gpus: 1, usd_hour: "2.62" },
  { sku: "h100.x2", at: ["ridge", "lyon-2"], gpus: 2, usd_hour: "5.30" },
];
const kiln = (
  order: object,
  offers: readonly object[] = KILN,
  at: readonly string[] = ["basin", "oslo-1"],
) => ({
  "launch.txt": launched(order),
  "rigs.txt": page(
    "deployments",
    [{ id: "rig~ab9e", status: "running", what: { sku: "h100.x2", at } }],
    null,
  ),
  ...(offers.length > 0 && { "offers.txt": page("offers", offers, null) }),
});
const asked = (profile: string): readonly string[] =>
  profile.split("\n").flatMap((line) => /^[# ]*([^#]*[^# ]) *(#|$)/.exec(line)?.[1] ?? []);

test("the name under which a launch sends a value says which member of an array it is", async () => {
  const order = { sku: "h100.x2", vendor: "basin", site: "oslo-1" };
  for (const offers of [KILN, []]) {
    const { profile, said } = await savedFiles(kiln(order, offers)).from();
    const places = ["provider: /what/at/0", "location: /what/at/1"];
    const ofOffers = offers.length > 0 ? ["id: /sku", "provider: /at/0", "location: /at/1"] : [];
    const sent = ['sku: "{offer}"', 'vendor: "{provider}"', 'site: "{location}"'];
    expect(asked(profile), said).toEqual(expect.arrayContaining([...sent, ...places, ...ofOffers]));
  }
  const turned = { sku: "h100.x2", site: "basin", vendor: "oslo-1" };
  const { profile } = await savedFiles(kiln(turned)).from();
  expect(asked(profile)).toEqual(expect.arrayContaining(["provider: /at/1", "location: /at/0"]));
});

test("which member of an array is the provider is asked where no name says it", async () => {
  const { profile, said } = await savedFiles(kiln({ sku: "h100.x2", at: ["basin", "oslo-1"] })).from();
  expect(profile).toMatch(/ provider: \/at\/0 .*; provider and location may be the other way round\n/);
  expect(said).toContain(
    "offers.fields.provider: no name in launch.txt or in an offer says which of two is the provider: /at/0 for the provider and /at/1 for the location is a guess, by their order",
  );
});

test("a value that is the provider and the location goes where its name says, and else stays open", async () => {
  const offers = KILN.map(({ at, ...rest }) => ({ ...rest, provider: at[0], location: at[0] }));
  const named = { sku: "h100.x2", site: "basin", vendor: "basin" };
  const made = await savedFiles(kiln(named, offers)).from();
  expect(asked(made.profile)).toEqual(expect.arrayContaining(['site: "{location}"', 'vendor: "{provider}"']));
  const unnamed = await savedFiles(kiln({ sku: "h100.x2", one: "basin", other: "basin" }, offers)).from();
  expect(unnamed.profile).toContain("#       one: <{provider} or {location}> # launch.txt: ");
  expect(unnamed.said).toContain(
    "launch.body: what launch.txt sends at /order/one, /order/other is more than one of the offer's id, provider and location there",
  );
});

test("a GPU model, a number of GPUs and the words of an error are known by their looks", async () => {
  const { profile } = await savedFiles(FILES).from();
  for (const line of ["gpuModel: /silicon  # ", "gpus: /pieces  # ", "message: /fault/says  # "])
    expect(profile).toContain(line);
});

test("machines go on as the offers do, if their list has the place of the next cursor, too", async () => {
  const cursor = "kind: cursor  # as the offers: offers2.txt was asked with resume=cDQ";
  expect((await savedFiles(FILES).from()).profile).toContain(cursor);
  const alone = { ...FILES, "rigs.txt": page("deployments", [RIG], null).replace(',"resume":null', "") };
  expect((await savedFiles(alone).from()).profile).not.toContain(cursor);
});

test.each([
  ["an offer's model alone", { gpu: "A100-80G", image: "debian" }],
  ["nothing of an offer", { box: "anything" }],
  ["what several offers have", { house: "boreal" }],
])("a launch that names %s says nothing of offers", async (_, order) => {
  const { profile } = await savedFiles({ ...FILES, "launch.txt": launched(order) }).from();
  expect(profile).not.toContain("sends one of these");
  expect(profile).not.toContain('"{offer}"');
});

test.each(["77", "9007199254740993"])(
  "an offer that a launch sends as the number %s stays one",
  async (id) => {
    const launch = (sku: string): string =>
      `$ curl -i https://gpus.acme.com/api/v1/deployments -H 'K: a' --json '{"sku":${sku},"house":"tidepool"}'\n`;
    const offers = `[{"sku":${id},"pieces":1,"house":"tidepool","town":"galway"}]`;
    const made = await savedFiles({ "launch.txt": launch(id), "offers.json": offers }).from();
    expect(made.profile).toContain('sku: { number: "{offer}" } # launch.txt: ');
    const asText = await savedFiles({ "launch.txt": launch(`"${id}"`), "offers.json": offers }).from();
    expect(asText.profile).toContain('sku: "{offer}" # launch.txt: ');
  },
);
