import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { savedFiles } from "./saved-files.ts";

/** Planted in every place that a file may have for it. */
const PLANTED = "sk-live-planted-8471-do-not-copy";

const MACHINE = { id: 71, status: "running", plan: "h100-x8", created_at: "2026-01-02T03:04:05Z" };
const LIST = JSON.stringify({ data: { rows: [MACHINE] }, total: 1 });
const OFFERS = JSON.stringify([
  { plan: "h100-x8", vendor: "north", region: "oslo", gpu_count: 8, price_per_hour: "19.92" },
  { plan: "h100-x1", vendor: "south", region: "rome", gpu_count: 1, price_per_hour: "2.49" },
]);

function answer(status: string, body: string, ...headers: readonly string[]): string {
  return [`HTTP/1.1 ${status}`, "Content-Type: application/json", ...headers, "", body].join("\r\n");
}

test("a key stands in no profile, no fleet file and no message, wherever the files have it", async () => {
  const body = {
    plan: "h100-x8",
    vendor: "north",
    region: "oslo",
    image: "debian",
    env: { HF_TOKEN: `${PLANTED}-env` },
    admin_password: `${PLANTED}-pass`,
    webhook: `https://me:${PLANTED}-hook@example.com/x`,
  };
  const on = savedFiles({
    "launch.txt": [
      `$ curl -i 'https://gpus.acme.com/api/v1/deployments?api_key=${PLANTED}-query' -u me:${PLANTED}-basic \\`,
      `  -b session=${PLANTED}-cookie -H 'X-Api-Key: ${PLANTED}-header' --json '${JSON.stringify(body)}'`,
      answer(
        "201 Created",
        JSON.stringify({ id: 71, status: "provisioning", access_token: `${PLANTED}-answer` }),
      ),
    ].join("\n"),
    "verbose.txt": [
      "*   Trying 10.0.0.1:443...",
      "* Connected to gpus.acme.com (10.0.0.1) port 443 (#0)",
      "* SSL connection using TLSv1.3",
      "> GET /api/v1/deployments HTTP/2",
      "> Host: gpus.acme.com",
      `> authorization: Bearer ${PLANTED}-verbose`,
      "> ",
      "< HTTP/2 200 ",
      `< set-cookie: id=${PLANTED}-set; Path=/`,
      "< ",
      "{ [99 bytes data]",
      JSON.stringify([{ ...MACHINE, ssh_password: `${PLANTED}-machine`, offer_key: `${PLANTED}-named` }]),
    ].join("\n"),
    "offers.json": OFFERS,
    "error.txt": answer(
      "401 Unauthorized",
      JSON.stringify({ error: "bad_key", message: `No key ${PLANTED}-header.` }),
    ),
  });
  const made = await on.from();
  expect(made.code, made.said).toBe(0);
  for (const text of [made.said, made.profile, on.read("fleet.yaml")]) {
    expect(text).not.toContain(PLANTED);
    expect(text).not.toContain(Buffer.from(PLANTED).toString("base64").slice(0, 20));
  }
  // What a launch needs and nobody may copy is given by the fleet.
  expect(made.profile).toContain('HF_TOKEN: "{parameters.HF_TOKEN}"');
  expect(made.profile).toContain('admin_password: "{parameters.admin_password}"');
  expect(made.profile).toContain("image: debian");
});

const LETTERS = "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh";

/** A launch with more in its body, and an error that repeats some of it. */
function launchedWith(more: object, repeats = ""): ReturnType<typeof savedFiles> {
  const body = JSON.stringify({ plan: "h100-x8", vendor: "north", region: "oslo", image: "debian", ...more });
  return savedFiles({
    "launch.sh": `curl https://gpus.acme.com/api/v1/deployments -d '${body.replaceAll("'", "'\\''")}'\n`,
    "offers.json": OFFERS,
    "error.txt": answer("422 Unprocessable", JSON.stringify({ error: { code: "bad", message: repeats } })),
  });
}

test.each<[string, object, readonly string[], readonly string[]]>([
  [
    "a script",
    { onstart: `#!/bin/sh\nexport HF_TOKEN=hf_${LETTERS}\nexport DB_PASSWORD=correcthorse\n` },
    ['onstart: "{parameters.onstart}"'],
    [LETTERS, "correcthorse"],
  ],
  ["a script that names the offer", { title: "a=correcthorse on h100-x8" }, ["title:"], ["correcthorse"]],
  [
    "NAME=value, each its own parameter",
    { env: ["TZ=UTC", "LANG=C", "PGPASSWORD=correcthorse"] },
    ['"{parameters.env}"', '"{parameters.env_2}"', '"{parameters.env_3}"'],
    ["correcthorse"],
  ],
  [
    "variables as name and value",
    { env: [{ name: "PGPASSWORD", value: "correcthorse" }] },
    ["name: PGPASSWORD", 'value: "{parameters.value}"'],
    ["correcthorse"],
  ],
  [
    "flags",
    { image_login: "-u bob -p 9d8df!fd89ufZ docker.io" },
    ['image_login: "{parameters.image_login}"'],
    ["9d8df!fd89ufZ"],
  ],
  [
    "a user with a password",
    { image_login: "bob:9d8df!fd89ufZ" },
    ['image_login: "{parameters.image_login}"'],
    ["9d8df!fd89ufZ"],
  ],
  ["flags of a name's own", { extra: "run --pass correcthorse" }, ["{parameters.extra}"], ["correcthorse"]],
  [
    "a name that holds a value",
    { run: { "-e PW=correcthorse": "1" } },
    ["{parameters.run}"],
    ["correcthorse"],
  ],
  ["a token within a text", { start: `x:hf_${LETTERS}` }, ["{parameters.start}"], [LETTERS]],
  ["letters only", { start: LETTERS }, ["{parameters.start}"], [LETTERS]],
])("nothing of a launch that may be a secret is copied: %s", async (_what, more, lines, planted) => {
  const on = launchedWith(more, `refused: ${planted.join(" and ")}`);
  const made = await on.from();
  expect(made.code, made.said).toBe(0);
  for (const line of lines) expect(made.profile).toContain(line);
  for (const text of [made.said, made.profile, on.read("fleet.yaml")])
    for (const secret of planted) expect(text).not.toContain(secret);
  expect(made.stdout).toContain("may be a secret and was not copied: give it under parameters in the fleet");
  expect(made.profile).toContain("image: debian");
});

test("what a saved offer shows, and a title that names the offer, are no secrets", async () => {
  const offer = { plan: "h100-x8", vendor: "north", region: "oslo", gpu_count: 8, model: "H100 80GB" };
  const body = { plan: "h100-x8", vendor: "north", region: "oslo", model: "H100 80GB", title: "my h100-x8" };
  const made = await savedFiles({
    "launch.sh": `curl https://gpus.acme.com/api/v1/deployments -d '${JSON.stringify(body)}'\n`,
    "offers.json": JSON.stringify([offer]),
  }).from();
  expect(made.profile).toContain("model: H100 80GB");
  expect(made.profile).toContain("title: my {offer}");
});

test("a key that a trouble is about is not repeated either", async () => {
  for (const text of [
    PLANTED,
    `{"token": "${PLANTED}", `,
    `{"token": ${PLANTED}}`,
    `<html>${PLANTED}</html>`,
  ]) {
    const made = await savedFiles({ "a.txt": text }).from();
    expect(made.code).toBe(2);
    expect(made.said).not.toContain(PLANTED);
  }
});

test.each([
  ["-H 'Authorization: Bearer abcdefgh'", "Authorization", "Bearer {secret}"],
  ["-H 'Authorization: abcdefgh'", "Authorization", "{secret}"],
  ['-H "X-Auth: v1 $KEY"', "X-Auth", "v1 {secret}"],
  ["-H 'X-Api-Key: <your key>'", "X-Api-Key", "{secret}"],
  ["--oauth2-bearer abcdefgh", "Authorization", "Bearer {secret}"],
  ["-u me:abcdefgh", "Authorization", "Basic {secret}"],
  ["-H $'X-Api-Key: abc\\'defgh'", "X-Api-Key", "{secret}"],
])("the credential header is that of a request: %s", async (flags, header, value) => {
  const on = savedFiles({ "a.txt": `curl https://gpus.acme.com/api/v1/deployments ${flags}\n${LIST}` });
  const made = await on.from();
  expect(made.profile).toContain(`\nauth:\n  header: ${header}  # a request in a.txt\n`);
  expect(made.profile).toMatch(new RegExp(`value: "?${value.replace(/[{}]/g, "\\$&")}"?  #`));
});

test.each([
  ["?api_key=abcdefgh&limit=5", "api_key"],
  ["?limit=5&ticket=KEY", "ticket"],
])("a credential of the query is no parameter of the list: %s", async (query, name) => {
  const call = `curl 'https://gpus.acme.com/api/v1/deployments${query.replace("KEY", PLANTED)}'`;
  const made = await savedFiles({ "a.txt": `${call}\n${LIST}` }).from([], { FLEETKEEPER_API_KEY: PLANTED });
  expect(made.profile).toContain(
    `\nauth:\n  query: ${name}  # a request in a.txt\n  value: "{secret}"  # a request in a.txt\n`,
  );
  expect(made.profile.split(name)).toHaveLength(2);
  expect(made.said).not.toMatch(new RegExp(`abcdefgh|${PLANTED}`));
});

test.each([
  ["", "save a request that works"],
  ["-H 'Cookie: session=abcdefgh'", "a dashboard's cookie is no credential of the API"],
  ["-H 'X-Card: key=abcdefgh;v=1'", "only a part may be the key: set FLEETKEEPER_API_KEY"],
  [
    "-H 'X-Api-Key: abcdefgh' -H 'Authorization: Bearer ijklmnop'",
    "several headers may carry the credential",
  ],
])("a credential header that nothing shows, or too much, stays open: %s", async (flags, says) => {
  const on = savedFiles({ "a.txt": `curl https://gpus.acme.com/api/v1/deployments ${flags}\n${LIST}` });
  const made = await on.from();
  expect(made.code).toBe(0);
  expect(made.profile).toContain("\n# auth:\n");
  expect(made.stdout).toContain(says);
  expect(made.said).not.toMatch(/abcdefgh|ijklmnop/);
});

test("a 401 says what it asks for, and that alone is no proposal", async () => {
  const on = savedFiles({
    "a.txt": answer("401 Unauthorized", '{"error":"no"}', 'WWW-Authenticate: Bearer realm="x"'),
  });
  const made = await on.from();
  expect(made.stdout).toContain("an answer asks for Bearer");
  expect(made.profile).toContain("\n# auth:\n");
});

test("with the key itself its place within the header is found", async () => {
  const on = savedFiles({
    "a.txt": `curl https://gpus.acme.com/api/v1/deployments -H 'X-Card: key=abcdefgh;v=1'\n${LIST}`,
  });
  const made = await on.from([], { FLEETKEEPER_API_KEY: "abcdefgh" });
  expect(made.profile).toContain('value: "key={secret};v=1"');
  expect(made.profile).not.toContain("abcdefgh");
});

const SHOWS = "1 deployment at /data/rows";

test.each<[string, string | Uint8Array]>([
  ["bare JSON", LIST],
  ["curl -i", answer("200 OK", LIST)],
  ["HTTP/2, in lower case", `HTTP/2 200 \r\ncontent-type: application/json\r\n\r\n${LIST}`],
  ["line breaks of Unix", answer("200 OK", LIST).replaceAll("\r\n", "\n")],
  ["100 Continue before it", `HTTP/1.1 100 Continue\r\n\r\n${answer("200 OK", LIST)}`],
  ["a proxy before it", `HTTP/1.1 200 Connection established\r\n\r\n${answer("200 OK", LIST)}`],
  ["a redirect before it", `HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n${answer("200 OK", LIST)}`],
  ["a byte order mark", `\ufeff${answer("200 OK", LIST)}`],
  ["UTF-16, as PowerShell writes it", Buffer.from(`\ufeff${answer("200 OK", LIST)}`, "utf16le")],
  [
    "a compressed body",
    Buffer.concat([Buffer.from(answer("200 OK", "", "Content-Encoding: gzip")), gzipSync(LIST)]),
  ],
  ["the mark of a compressed body that curl has unpacked", answer("200 OK", LIST, "Content-Encoding: gzip")],
  ["what jq prints", JSON.stringify(JSON.parse(LIST), null, 2)],
  [
    "a prompt behind it",
    `${answer("200 OK", LIST)}me@host:~$ curl -i https://gpus.acme.com/api/v1/account\n`,
  ],
])("%s", async (_what, text) => {
  const made = await savedFiles({ "a.txt": text }).from();
  expect(made.said).toContain(SHOWS);
  expect(made.profile).toContain("items: /data/rows  # a.txt: 1 object with id and status");
});

test.each<[string, string | Uint8Array, string]>([
  ["nothing", "", "it is empty: nothing was saved"],
  ["only blanks", " \n\n", "it is empty: nothing was saved"],
  [
    "a page of HTML",
    answer("502 Bad Gateway", "<!DOCTYPE html><p>x</p>"),
    "it was answered 502; its body is a page of HTML",
  ],
  ["JSON that is cut off", LIST.slice(0, -20), "its JSON is cut off at the end"],
  ["JSON that is cut off in a text", answer("200 OK", LIST.slice(0, 25)), "its JSON is cut off at the end"],
  ["what Python prints", "{'data': [1, 2]}", "It looks as Python prints it"],
  [
    "headers alone",
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
    "Save it with curl -i, and not with -I",
  ],
  ["some other text", "Hello there, this is my shopping list.", "or give an OpenAPI document"],
  [
    "what Postman exports",
    JSON.stringify({ item: [{ name: "Launch", request: { method: "POST", url: "https://gpus.acme.com" } }] }),
    "give the OpenAPI document of the service",
  ],
  [
    "a document in several files",
    "openapi: 3.0.0\npaths:\n  /machines:\n    $ref: paths/machines.yml\n",
    "it refers to other files, such as paths/machines.yml: make one document of them first",
  ],
  ["an empty list", answer("200 OK", '{"rows": []}'), "it has an empty list, which shows nothing"],
  ["a number", "42", "nothing in it says what it is"],
  ["a redirect alone", answer("302 Found", "{}", "Location: /login"), "save what curl -L shows"],
  [
    "a damaged compressed body",
    Buffer.concat([Buffer.from(answer("200 OK", "")), gzipSync(LIST).subarray(0, 30)]),
    "curl --compressed",
  ],
  ["a picture", Buffer.from([137, 80, 78, 71, 0, 1, 2, 3]), "bytes that are no text"],
  [
    "states that nobody knows",
    '{"rows":[{"id":1,"status":"up"}]}',
    "it may be deployments or offers. Say what it is, as --from KIND=a.txt",
  ],
  ["one machine", JSON.stringify(MACHINE), "it may be the answer to a launch, or to a GET of its id"],
])("a file that cannot be used: %s", async (_what, text, says) => {
  const on = savedFiles({ "a.txt": text, "b.txt": LIST });
  const made = await on.from();
  expect(made.code).toBe(2);
  expect(made.stderr).toContain("Nothing was written, since not all files can be used:\na.txt: ");
  expect(made.stderr).toContain(says);
  expect(made.profile).toBe("");
});

test("a file that is not there, a folder, and a profile beside it", async () => {
  const on = savedFiles({ "a.txt": LIST });
  expect((await on.from(["--from", "nowhere.txt"])).stderr).toContain(
    "nowhere.txt: it cannot be read: there is no such file",
  );
  expect((await on.from(["--from", "."])).stderr).toContain("it is a folder");
  expect((await on.from(["--from", "a.txt", "--profile", "b.yaml"])).stderr).toContain("say one of the two");
});

test("what a file is may be said", async () => {
  const on = savedFiles({
    "a.txt": '{"rows":[{"id":1,"status":"up"}]}',
    "b.txt": JSON.stringify({ made: { id: 1, status: "up" } }),
  });
  const made = await on.from(["--from", "deployments=a.txt", "launch=b.txt"]);
  expect(made.profile).toContain("id: /made/id  # b.txt: there stand id and status");
  // Its words for states are named, and none is given a meaning.
  expect(made.profile).toContain("#       up: <initializing, ");
  expect(made.stdout).toContain('only you know these words: "up"');
});

test("where two places fit, both are named", async () => {
  const rows = [
    { id: 1, status: "running", price_per_hour: "2.00", hourly_rate: "3.00", region: "oslo", zone: "oslo-1" },
  ];
  const made = await savedFiles({ "a.txt": JSON.stringify(rows) }).from();
  expect(made.profile).toMatch(/pricePerHour: \/price_per_hour {2}# .*; or \/hourly_rate/);
  expect(made.profile).toMatch(/location: \/region {2}# .*; or \/zone/);
});

test("how a list goes on is proposed from two saved pages, and never that it is whole", async () => {
  const page = (number: number, rows: readonly number[]): string =>
    `$ curl https://gpus.acme.com/api/v1/deployments?p=${number}\n${JSON.stringify(rows.map((id) => ({ ...MACHINE, id })))}\n`;
  const two = await savedFiles({ "a.txt": page(1, [1, 2, 3]) + page(2, [4, 5]) }).from();
  expect(two.profile).toMatch(
    / {4}pagination:\n {6}kind: page {2}# a.txt was asked with p=2.*\n {6}pageParameter: p\n {6}first: 1\n {6}size: 3/,
  );
  const same = await savedFiles({ "a.txt": page(1, [1, 2, 3]) + page(2, [1, 2, 3]) }).from();
  expect(same.profile).toContain("kind: <none, page, offset, cursor or link>");
  const whole = await savedFiles({ "a.txt": LIST }).from();
  expect(whole.profile).not.toMatch(/kind: none/);
});

test("a request that only restarts is no stop, until it is said", async () => {
  const call = "curl -X POST https://gpus.acme.com/api/v1/deployments/71/restart";
  const on = savedFiles({ "a.txt": LIST, "b.sh": call });
  expect((await on.from()).stdout).toContain(
    "nothing says that it stops: POST /api/v1/deployments/{id}/restart",
  );
  const said = await savedFiles({ "a.txt": LIST, "b.sh": call }).from(["--from", "a.txt", "stop=b.sh"]);
  expect(said.profile).toContain(
    '\nstop:\n  method: POST  # a request in b.sh\n  path: "/api/v1/deployments/{id}/restart"',
  );
});

test("a stop that names the machine in its body is shown as a call of a profile 2", async () => {
  const call = (path: string): string =>
    `curl -X POST https://gpus.acme.com/api/v1/${path} -H 'Content-Type: application/json' -d '{"machine": {"ref": 71}, "note": "done with it"}'`;
  const files = { "a.txt": LIST, "b.sh": call("teardowns") };
  const said = await savedFiles(files).from(["--from", "a.txt", "stop=b.sh"]);
  expect(said.stdout).toContain(
    [
      'stop: a request in b.sh names the machine in its body, which a profile 2 can say: write "profile: 2" at the top, take the part stop out, and add',
      "      calls:",
      "        stop:",
      "          method: POST",
      "          path: /api/v1/teardowns",
      "          body:",
      "            machine:",
      '              ref: "{id}"',
      "            note: done with it",
      "    Only a stop shows whether it is right.",
    ].join("\n"),
  );
  expect(said.stdout).not.toContain("no answer shows how a machine is stopped");
  const unsaid = await savedFiles({ "a.txt": LIST, "b.sh": call("renames") }).from();
  expect(unsaid.stdout).toContain("nothing says that it stops: POST /api/v1/renames (a request in b.sh)");
});

test("GPUs that only a name tells are left to the candidates of a fleet", async () => {
  const offers = JSON.stringify([
    { plan: "h100.x8", vendor: "north", region: "oslo", price_per_hour: "19.92" },
  ]);
  const made = await savedFiles({ "a.txt": LIST, "offers.txt": offers }).from([
    "--from",
    "a.txt",
    "offers=offers.txt",
  ]);
  expect(made.stdout).toContain(
    "offers.fields.gpus: no field of an offer in offers.txt looks like it: name its pointer, or one value for all. Where only a name says it, leave offers out, and write gpus beside the candidates of the fleet file.",
  );
});

test("a text that is shown back by another name is asked about, and not what a machine is made from", async () => {
  const rows = [{ ...MACHINE, what: { note: "by hand", image: "ubuntu 24.04" } }];
  const call = `curl -X POST https://gpus.acme.com/api/v1/deployments -d '{"plan": "h100-x8", "words": {"body": "by hand"}, "image": "ubuntu 24.04"}'`;
  const made = await savedFiles({ "a.txt": JSON.stringify(rows), "b.txt": OFFERS, "c.sh": call }).from();
  expect(made.profile).toContain('body: "{parameters.body}"');
  expect(made.stdout).toContain(
    'deployments.fields.marker: a deployment shows back what c.sh sends as {parameters.body} (at /what/note). If one of them is a free text, write "{marker}" in its place',
  );
});

test("a header that went to another address is not this service's", async () => {
  const call = "curl https://login.acme.com/v2/session -H 'Authorization: Bearer abcdefgh'";
  const made = await savedFiles({ "a.txt": LIST, "b.sh": call }).from();
  expect(made.stdout).toContain("b.sh: a request, GET of an address outside of /api/v1");
  expect(made.profile).toContain("\n# auth:\n");
});

test("an error is one, even if it was said to be something else", async () => {
  const refused = answer("401 Unauthorized", '{"error":"no_key"}');
  const made = await savedFiles({ "a.txt": refused }).from(["--from", "launch=a.txt"]);
  expect(made.stdout).toContain("a.txt: an error, status 401");
  expect(made.profile).toContain("code: /error  # seen in a.txt");
});

test("a list whose items are no deployments of the specification says so", async () => {
  const made = await savedFiles({ "a.txt": '{"rows":[{"id":1,"state":"up"}]}' }).from([
    "--from",
    "deployments=a.txt",
  ]);
  expect(made.stdout).toContain("no item of it has id and status");
  expect(made.profile).toContain("\n# deployments:\n");
});

test("a variable that names another profile is told: it would win", async () => {
  const made = await savedFiles({ "a.txt": LIST }).from([], { FLEETKEEPER_PROFILE: "/other.yaml" });
  expect(made.stdout).toContain("unset FLEETKEEPER_PROFILE");
});

test("a launch that was refused as wrong is no model for others", async () => {
  const on = savedFiles({
    "a.txt": `curl https://gpus.acme.com/api/v1/deployments -d '{"offer":"x"}'\n${answer("422 Unprocessable", '{"error":"no_offer"}')}`,
  });
  expect((await on.from()).profile).toContain("\n# launch:\n");
});

test("a scripts' other lines are no answers", async () => {
  const script = `#!/bin/sh\nset -e\nKEY=abcdefgh\n# list\ncurl -s "$BASE/api/v1/deployments" -H "X-Key: $KEY" > x\necho done\n`;
  const made = await savedFiles({ "a.sh": script, "b.txt": LIST }).from();
  expect(made.code, made.said).toBe(0);
  expect(made.profile).toContain("header: X-Key  # a request in a.sh");
});

test("the address is that of the requests, if it is one", async () => {
  const one = savedFiles({ "a.txt": `curl https://gpus.acme.com/base/api/v1/deployments\n${LIST}` });
  expect((await one.run(["init", "--yes", "--account", "shared", "--from", "a.txt"])).code).toBe(0);
  expect(one.read("fleet.yaml")).toContain("baseUrl: https://gpus.acme.com/base");
  const none = savedFiles({ "a.txt": `curl http://gpus.acme.com/api/v1/deployments\n${LIST}` });
  expect((await none.run(["init", "--yes", "--account", "shared", "--from", "a.txt"])).stderr).toContain(
    "--base-url URL",
  );
});

test("a price that by its name is not of an hour is asked about, with its value, and not proposed", async () => {
  const offers = [{ plan: "h100-x8", vendor: "north", region: "oslo", gpu_count: 8, price_monthly: 12_900 }];
  const on = savedFiles({ "list.json": LIST, "offers.json": JSON.stringify(offers) });
  const made = await on.from();
  expect(made.profile).not.toMatch(/pricePer(Gpu)?Hour: .*price_monthly/);
  expect(made.said + made.profile).toContain(
    'is /price_monthly (12900) the price of an hour? Its name says "monthly", and no key of a profile converts that',
  );
});

test("a stop that was answered with an error is said to have stopped nothing", async () => {
  const refused = answer("404 Not Found", JSON.stringify({ error: "nothing_here" }));
  const call = "$ curl -i -X POST https://gpus.acme.com/api/v1/deployments/71/stop";
  const on = savedFiles({ "list.json": LIST, "stop.txt": `${call}\n${refused}`, "answer.txt": refused });
  const made = await on.from(["--from", "list.json", "stop.txt", "stop=answer.txt"]);
  for (const file of ["stop.txt", "answer.txt"])
    expect(made.said).toMatch(
      new RegExp(`${file}: .*an error, status 404: this call stopped nothing, so it may be the wrong one`),
    );
});
