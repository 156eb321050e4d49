import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { agentAddress } from "../../agent/remote/agent-address.ts";
import { createAgentClient } from "../../agent/remote/agent-client.ts";
import type { FleetkeeperError } from "../../service/contract/errors.ts";

const TOKEN = "fk_never-print-me-81";
const anything = z.looseObject({});
const never = new AbortController().signal;

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** Something that listens, and a client of it. */
async function with_(
  answer: Answer,
  environment: Readonly<Record<string, string>> = { FLEETKEEPER_TOKEN: TOKEN },
) {
  const asked: { readonly path: string; readonly headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((request, response) => {
    const seen = { path: `${request.method} ${request.url}`, headers: request.headers, body: "" };
    asked.push(seen);
    const nth = asked.length;
    request.setEncoding("utf8").on("data", (text: string) => {
      seen.body += text;
    });
    request.on("end", () => answer(request, response, nth));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createAgentClient(agentAddress(url, "--agent", environment), {});
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, asked, url };
}

const says =
  (status: number, body: unknown, type = "application/json", headers = {}): Answer =>
  (_, response) =>
    response
      .writeHead(status, { "content-type": type, ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
const problem = (status: number, detail: string, more = {}, headers = {}): Answer =>
  says(status, { title: "t", status, detail, ...more }, "application/problem+json", headers);

async function failure(work: Promise<unknown>): Promise<FleetkeeperError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as FleetkeeperError,
  );
  expect(error).toBeInstanceOf(Error);
  const { message, cause, stack } = error as Error;
  expect(`${message} ${String(cause)} ${stack}`).not.toContain(TOKEN);
  return error as FleetkeeperError;
}

test.each([
  ["https://keeper.example.com", "https://keeper.example.com"],
  ["https://keeper.example.com/", "https://keeper.example.com"],
  ["https://example.com/keeper//", "https://example.com/keeper"],
  ["https://example.com/@team/keeper", "https://example.com/@team/keeper"],
  ["http://127.0.0.1:9470/", "http://127.0.0.1:9470"],
  ["http://localhost:9470", "http://localhost:9470"],
  ["http://[::1]:9470", "http://[::1]:9470"],
])("takes %s as %s", (given, url) => {
  expect(agentAddress(given, "--agent", {})).toEqual({ url, token: undefined });
});

test.each([
  ["keeper.example.com", /is no address of an agent. Write it whole, such as https:/],
  ["keeper.example.com:9470", /is no address of an agent/],
  ["", /is no address of an agent/],
  ["ftp://keeper.example.com", /is no address of an agent/],
  ["http://keeper.example.com", /would send the token unencrypted.*Write https:/s],
  ["http://127.0.0.1.example.com", /would send the token unencrypted/],
  ["http://10.0.0.7:9470", /would send the token unencrypted/],
  [
    "https://me:hunter2@keeper.example.com",
    /a user name or a password stands in this address.*FLEETKEEPER_TOKEN/s,
  ],
  ["me:hunter2//x@y", /a user name or a password stands in this address/],
  ["me:hunter2@keeper.example.com", /a user name or a password stands in this address/],
  ["https://me:hunter2/x@keeper.example.com", /a user name or a password stands in this address/],
  [
    "https://keeper.example.com/?token=hunter2",
    /^--agent: https:\/\/keeper.example.com\/ has a query or a fragment/,
  ],
  ["keeper.example.com#hunter2", /is no address of an agent/],
  ["https://keeper.example.com/api/v1", /Write the address of its page: https:\/\/keeper.example.com\.$/],
  [
    "https://keeper.example.com/k/services/north/api/v1/",
    /page: https:\/\/keeper.example.com\/k, and --service north/,
  ],
  ["https://keeper.example.com/services/north/", /page: https:\/\/keeper.example.com, and --service north/],
])("refuses %j, and says what to do", (given, text) => {
  const refused = () => agentAddress(given, "--agent", {});
  expect(refused).toThrow(text);
  expect(refused).not.toThrow(/hunter2/);
});

test("refuses a token that no header can carry, and shows nothing of it", () => {
  for (const token of ["two words", "row\nrow", "é"])
    expect(() => agentAddress("https://a.example.com", "--agent", { FLEETKEEPER_TOKEN: token })).toThrow(
      expect.objectContaining({
        code: "CREDENTIAL",
        message: expect.not.stringMatching(/two words|row|é/),
      }) as Error,
    );
});

test("sends an order once, with a key of its own, and reads its answer", async () => {
  const { client, asked } = await with_(says(200, { phase: "paused" }));
  const answer = z.object({ phase: z.string() });
  const order = { path: "/fleets/a/pause", body: { why: "x", not: undefined } };
  expect(await client.order(order, answer, never, "/services/north")).toEqual({ phase: "paused" });
  await client.order(order, answer, never);
  await client.order({ ...order, dryRun: true }, answer, never);
  expect(asked.map(({ path }) => path)).toEqual([
    "POST /services/north/api/v1/fleets/a/pause",
    "POST /api/v1/fleets/a/pause",
    "POST /api/v1/fleets/a/pause?dryRun=true",
  ]);
  const keys = asked.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBeUndefined();
  expect(asked[0]).toMatchObject({ body: '{"why":"x"}', headers: { authorization: `Bearer ${TOKEN}` } });
});

test("sends an order again with the same key where its answer was lost, on the way or by a proxy", async () => {
  const { client, asked } = await with_((request, response, nth) => {
    if (nth === 1) request.socket.destroy();
    else if (nth === 2) says(502, "<h1>Bad Gateway</h1>", "text/html")(request, response, nth);
    else says(200, {})(request, response, nth);
  });
  await client.order({ path: "/fleets/a/pause" }, anything, never);
  expect(asked).toHaveLength(3);
  expect(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
});

test("waits as long as Retry-After says, if that is short", async () => {
  const { client, asked } = await with_((request, response, nth) =>
    (nth === 1 ? problem(429, "too much", {}, { "retry-after": "0" }) : says(200, {}))(
      request,
      response,
      nth,
    ),
  );
  await client.read("/plan", anything, never);
  expect(asked).toHaveLength(2);
  const long = await with_(
    problem(429, "token:ci asks for too much: again in 60 s.", {}, { "retry-after": "60" }),
  );
  expect(await failure(long.client.read("/plan", anything, never))).toMatchObject({
    code: "REFUSED",
    status: 429,
    retryAfter: 60,
  });
  expect(long.asked).toHaveLength(1);
});

test.each([
  [
    problem(401, "It is over."),
    "CREDENTIAL",
    /does not take the token in FLEETKEEPER_TOKEN: It is over\. Beside.*token list/,
  ],
  [problem(403, "token:ci may read"), "CREDENTIAL", /^token:ci may read$/],
  [problem(404, "x: no such fleet", { code: "CONFIG" }), "CONFIG", /^x: no such fleet$/],
  [
    problem(404, "The API has no such path"),
    "UNREADABLE_ANSWER",
    /of an older version.*it has no GET \/api\/v1\/a\. Use/,
  ],
  [problem(409, "busy", { code: "BUSY" }), "BUSY", /^busy$/],
  [problem(409, "no", { code: "toString" }), "CONFIG", /^no$/],
  [problem(422, "x: a wish", { code: "PROFILE_PART_MISSING" }), "PROFILE_PART_MISSING", /^x: a wish$/],
  [problem(502, "down", { code: "UNREACHABLE" }), "UNREACHABLE", /^down$/],
  [problem(503, "later"), "BUSY", /^later$/],
  [problem(500, `${TOKEN} broke\u001b[31m`), "REFUSED", /^\[secret\] broke\\u001b\[31m$/],
  [says(401, "<h1>Sign in</h1>", "text/html"), "CREDENTIAL", /no agent with this API.*proxy/],
  [
    says(404, "nothing here", "text/plain"),
    "UNREADABLE_ANSWER",
    /no agent with this API: GET \/api\/v1\/a brought 404, text\/plain/,
  ],
  [
    says(200, "<h1>Hello</h1>", "text/html"),
    "UNREADABLE_ANSWER",
    /no agent with this API.*it begins "<h1>Hello/,
  ],
  [says(200, "{", "application/json"), "UNREADABLE_ANSWER", /no agent with this API/],
  [says(200, "", "text/plain"), "UNREADABLE_ANSWER", /it is empty/],
  [says(200, { other: 1 }), "UNREADABLE_ANSWER", /of another version than this command.*\(needed: /],
] as const)("an answer of another kind is a clear error (%#)", async (answer, code, text) => {
  const { client } = await with_(answer);
  const error = await failure(client.read("/a?b=c", z.object({ needed: z.string() }), never));
  expect(error).toMatchObject({ code });
  expect(error.message).toMatch(text);
});

test("without a token says where one is set", async () => {
  const { client, asked } = await with_(problem(401, "no"), {});
  const error = await failure(client.read("/a", anything, never));
  expect(error.message).toMatch(/asks for a token: set FLEETKEEPER_TOKEN, or FLEETKEEPER_TOKEN_FILE/);
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

test("follows no redirect: the token is sent nowhere else", async () => {
  const other = await with_(says(200, {}));
  const { client } = await with_(says(307, "", "text/html", { location: `${other.url}/login?secret=x` }));
  for (const work of [client.read("/a", anything, never), client.order({ path: "/a" }, anything, never)]) {
    const error = await failure(work);
    expect(error.message).toMatch(
      /with 307, a redirect to http:\/\/127.0.0.1:\d+\/login: the token is not sent on/,
    );
  }
  expect(other.asked).toHaveLength(0);
});

test("a connection that is refused is told at once, with the address", async () => {
  const client = createAgentClient(
    agentAddress("http://127.0.0.1:1", "--agent", { FLEETKEEPER_TOKEN: TOKEN }),
    {},
  );
  onTestFinished(() => client.close());
  const error = await failure(client.read("/a", anything, never));
  expect(error).toMatchObject({ code: "UNREACHABLE" });
  expect(error.message).toMatch(/^The agent at http:\/\/127.0.0.1:1 cannot be reached: .*ECONNREFUSED/);
});

test("what does not speak TLS is told as that", async () => {
  const { url } = await with_(says(200, {}));
  const client = createAgentClient(agentAddress(url.replace("http:", "https:"), "--agent", {}), {});
  onTestFinished(() => client.close());
  expect((await failure(client.read("/a", anything, never))).message).toMatch(
    /does not speak TLS: check port and scheme/,
  );
});

test("what goes to this machine passes no proxy, whatever its address here", async () => {
  const proxy = await with_(says(200, {}));
  const client = createAgentClient(
    { url: "http://127.0.0.2:9", token: TOKEN },
    { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url },
  );
  onTestFinished(client.close);
  expect((await failure(client.read("/status", anything, never))).code).toBe("UNREACHABLE");
  expect(proxy.asked).toEqual([]);
});

test("nothing of an answer that is not understood reaches a terminal as it is", async () => {
  const { client } = await with_(says(200, { [`\u001b[2J${TOKEN}`]: 1 }));
  const { message } = await failure(client.read("/status", z.strictObject({}), never));
  expect(message).toContain("\\u001b[2J[secret]");
});
