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
