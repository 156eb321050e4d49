import { expect, test } from "vitest";
import { errorGuesses } from "../../agent/propose/shape/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import { savedFiles } from "./saved-files.ts";

/** A service whose offers have a code, a host and a zone, whose marker is a nickname and whose error has a slug. */
const PLAN = { code: "NB-H100-8", host: "ferro", zone: "ams3" };

const FILES = {
  "launch.txt": [
    `$ curl -i https://gpus.acme.com/api/v1/deployments -H 'NB-Key: abc' --json '${JSON.stringify({ plan: PLAN, nickname: "first" })}'`,
    "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n",
    JSON.stringify({ made: { id: "m-7" } }),
  ].join("\n"),
  "list.json": JSON.stringify([
    {
      id: "m-7",
      status: "running",
      plan: PLAN,
      nickname: "first",
      host: "m-7.acme.example",
      reach: { ssh_host: "10.0.0.7", ssh_port: 22, ssh_user: "ubuntu" },
    },
    { id: "m-6", status: "provisioning", plan: PLAN, nickname: null, reach: null },
  ]),
  "offers.json": JSON.stringify([
    { ...PLAN, gpu_count: 8, hourly_usd: "19.92" },
    { code: "NB-L40S-1", host: "rivet", zone: "par1", gpu_count: 1, hourly_usd: "0.89" },
  ]),
  "error.txt": [
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n",
    JSON.stringify({ problem: { slug: "offer_cooling_down", hint: "Wait." } }),
  ].join("\n"),
};

test("an offer's host is its provider, a code its id, a nickname the marker, a slug the code of an error", async () => {
  const { profile, said } = await savedFiles(FILES).from();
  for (const line of [
    "id: /code ",
    "provider: /host ",
    'code: "{offer}"',
    'host: "{provider}"',
    'zone: "{location}"',
    'nickname: "{marker}"',
    "offer: /plan/code ",
    "provider: /plan/host ",
    "marker: /nickname ",
    "code: /problem/slug ",
  ])
    expect(profile, said).toContain(line);
});

const problem = (body: object): string =>
  [
    "HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\n",
    JSON.stringify({ title: "That name is taken.", status: 409, ...body }),
  ].join("\n");

test.each([
  ["https://errors.acme.com/taken", { problem: { slug: "taken" } }, "/problem/slug"],
  ["about:blank", { reason: "taken" }, "/reason"],
  ["/errors/taken", { problem: { slug: "taken" } }, "/problem/slug"],
  ["https://errors.acme.com/taken", {}, "/type"],
])("the type of a problem is a URI: of %s beside %o the code of an error is %s", async (type, more, code) => {
  const { profile, said } = await savedFiles({ ...FILES, "error.txt": problem({ type, ...more }) }).from();
  expect(profile, said).toContain(`\n  code: ${code}  # `);
});

test("of a problem that a document shows by its names alone the type is no code", () => {
  const named = (body: Record<string, Json>): string | undefined =>
    errorGuesses([body], true).find(({ field }) => field === "code")?.pointer;
  expect(named({ type: "", title: "", status: 1, slug: "" })).toBe("/slug");
  expect(named({ type: "", message: "" })).toBe("/type");
});

test("about:blank alone is no code of an error", async () => {
  const { profile, said } = await savedFiles({
    ...FILES,
    "error.txt": problem({ type: "about:blank" }),
  }).from();
  expect(profile).not.toContain("code: /type");
  expect(said).toContain("errors.code: nothing in error.txt looks like a code: name its pointer");
});

test("what a 429 costs is an open point, with the line that makes it cost nothing", async () => {
  const open =
    'errors.definite: a 429 in busy.txt: each one that a launch meets is looked for, for some minutes, as a gateway may send it after a machine was made. If the service promises that it launched nothing, write "definite: { statuses: [429] }" under errors.';
  const busy = problem({ slug: "slow_down" }).replace("409 Conflict", "429 Too Many Requests");
  const made = await savedFiles({ ...FILES, "busy.txt": busy }).from();
  expect(made.said).toContain(open);
  expect(made.profile).toContain(
    "#   definite:\n#     statuses: [429]  # only if the service promises it; seen: 503 in error.txt, 429 in busy.txt\n",
  );
  expect((await savedFiles(FILES).from()).said).not.toContain("errors.definite");
});

test.each([
  ["door", "ssh://rig@10.0.0.7:2201", "ssh://{user}@{host}:{port}"],
  ["ssh_command", "ssh root@box-7.acme.example -p 2201", "ssh {user}@{host} -p {port}"],
  ["sshConnection", "ubuntu@10.0.0.7 -p 22", "{user}@{host} -p {port}"],
])("%s: %s gives host, port and user", async (name, text, form) => {
  const list = JSON.stringify([
    { id: "m-7", status: "running", plan: PLAN, [name]: text },
    { id: "m-6", status: "provisioning", plan: PLAN, [name]: null },
  ]);
  const { profile } = await savedFiles({ ...FILES, "list.json": list }).from();
  for (const detail of ["host", "port", "user"])
    expect(profile).toContain(`      ${detail}: { pointer: /${name}, form: "${form}" }`);
});

test("an address of mail or of the web is no way to a machine", async () => {
  const list = JSON.stringify([
    { id: "m-7", status: "running", plan: PLAN, owner: "me@acme.example", ui: "acme.example:8888" },
  ]);
  expect((await savedFiles({ ...FILES, "list.json": list }).from()).profile).not.toContain("form:");
});

test("a host that stands beside that of SSH keeps its own line, and the provider's is no way to a machine", async () => {
  const { profile } = await savedFiles(FILES).from();
  const connection = profile.slice(profile.indexOf("connection:"));
  expect(connection).toMatch(
    /^connection:\n +host: \/reach\/ssh_host .*\n +port: \/reach\/ssh_port .*\n +user: \/reach\/ssh_user .*\n( +#.*\n)* +\w*host\w*: \/host .*\n/,
  );
  expect(connection).not.toMatch(/: \/(plan\/host|reach) /);
});

/** Offers on two pages, so that nothing is open but what their fields leave open. */
const stocked = (offer: (word: string) => object, words: readonly string[]) => {
  const page = (query: string, batch: readonly object[], next: string | null): string =>
    [
      `$ curl -i 'https://gpus.acme.com/api/v1/offers${query}' -H 'NB-Key: abc'`,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
      JSON.stringify({ batch, next }),
    ].join("\n");
  const all = words.map((word, at) => ({ ...PLAN, code: `NB-${at}`, gpu_count: 8, ...offer(word) }));
  const { "offers.json": _, ...others } = FILES;
  return savedFiles({
    ...others,
    "offers.txt": page("", all, "p2"),
    "offers2.txt": page("?next=p2", [{ ...all[0], code: "NB-H100-8" }], null),
  }).from();
};

const WORDS = ["bare", "thin", "ample"];

test.each([
  ["/shelf", (word: string) => ({ shelf: word })],
  ["/stockStatus", (word: string) => ({ stockStatus: word })],
  ["/inventory/level", (word: string) => ({ inventory: { level: word } })],
])("words at %s are proposed with a gap: nobody but the user knows what they mean", async (place, offer) => {
  const { profile, said } = await stocked(offer, WORDS);
  expect(profile).toContain(
    `#     available: { pointer: ${place}, soldOut: [<each word that means sold out>] }  # seen in offers.txt, offers2.txt: "bare", "thin", "ample"\n`,
  );
  expect(said).toContain(
    `offers.fields.available: only you know the words at ${place} ("bare", "thin", "ample"). Name each that means sold out under soldOut`,
  );
});

test.each([
  ["/stockStatus", (word: string) => ({ stockStatus: word }), ["Low", "Unavailable", "High"], "Unavailable"],
  ["/state", (word: string) => ({ state: word }), ["open", "sold_out"], "sold_out"],
  [
    "/availability",
    (word: string) => ({ availability: word }),
    ["Out of stock", "none", "few"],
    '"Out of stock", none',
  ],
])(
  "a word at %s that leaves no doubt is proposed, for the user to confirm the others",
  async (place, offer, words, soldOut) => {
    const { profile, said } = await stocked(offer, words);
    const seen = words.map((word) => JSON.stringify(word)).join(", ");
    expect(profile).toContain(
      `\n    available: { pointer: ${place}, soldOut: [${soldOut}] }  # seen in offers.txt, offers2.txt: ${seen}; confirm that any other word means that a machine can be had\n`,
    );
    expect(said).not.toContain("only you know the words");
  },
);

test.each([
  ["a state that may be of anything", (word: string) => ({ state: word }), ["none", "beta"]],
  ["a kind of stock", (word: string) => ({ stock_type: word }), WORDS],
  ["a zone", (word: string) => ({ availability_region: word }), WORDS],
  ["names", (word: string) => ({ shelf: word }), [..."abcdefghi"].map((letter) => letter.repeat(4))],
  ["codes", (word: string) => ({ shelf: word }), ["C1", "C2"]],
])("%s is no availability", async (_, offer, words) => {
  expect((await stocked(offer, words)).profile).not.toContain("available: { pointer");
});

test("a number that says how many there are needs no word", async () => {
  const { profile } = await stocked((word) => ({ in_stock: 3, stockStatus: word }), WORDS);
  expect(profile).toContain("\n    available: /in_stock  # seen in offers.txt, offers2.txt: 3\n");
  expect(profile).not.toContain("available: { pointer");
});

test("words stand in the place of a number that no offer has", async () => {
  const { profile } = await stocked((word) => ({ in_stock: null, stockStatus: word }), WORDS);
  expect(profile).toContain("available: { pointer: /stockStatus, soldOut: [<each");
});
