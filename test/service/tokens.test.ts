import { expect, test } from "vitest";
import type { HttpRequest, HttpResponse } from "../../service/contract/transport.ts";
import { TransportError } from "../../service/contract/transport.ts";
import { createRawRead } from "../../service/raw-read.ts";
import {
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

/* OAuth2 client credentials: a token in the header in the place of the credential. */

const TOKEN = {
  path: "/oauth/token",
  as: "form",
  body: { grant_type: "client_credentials", client_id: "{settings.client}", client_secret: "{secret}" },
  value: "/access_token",
  expires: "/expires_in",
};
const PARTS = {
  profile: 2,
  auth: { header: "Authorization", value: "Bearer {token}", token: TOKEN },
  account: { id: "/id" },
  calls: { stop: { method: "DELETE", path: "/machines/{id}" } },
  launch: { ...LAUNCH, refusals: "certain" },
  errors: { code: "/code", message: "/message" },
};
const settings = { client: "me & co" };
const isToken = ({ url }: HttpRequest): boolean => url.endsWith("/oauth/token");

/** Tokens t1, t2, ... that last so many seconds; and answers to all else. */
function tokens(
  others: (request: HttpRequest, token: string) => Partial<HttpResponse> | Error,
  lasts: unknown = 3600,
) {
  let given = 0;
  const replies = (request: HttpRequest) => {
    if (!isToken(request)) return others(request, request.headers.authorization ?? "");
    given += 1;
    return json({ access_token: `t${given}-canary`, token_type: "bearer", expires_in: lasts });
  };
  const fixture = serviceOf(PARTS, replies, { settings });
  const asked = () => fixture.requests.filter(isToken).length;
  return { ...fixture, asked };
}

test("the secret goes into the call for the token alone, and the token into all others", async () => {
  const { service, requests } = tokens(() => json({ id: "a" }));
  await service.account(never());
  expect(requests[0]).toMatchObject({
    method: "POST",
    url: `${BASE_URL}/oauth/token`,
    body: `grant_type=client_credentials&client_id=me+%26+co&client_secret=${SECRET}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(requests[0]?.headers.authorization).toBeUndefined();
  expect(requests[1]?.headers.authorization).toBe("Bearer t1-canary");
  expect(JSON.stringify(requests[1])).not.toContain(SECRET);
});

test("once for all callers, and not again while it is good", async () => {
  const { service, asked } = tokens(() => json({ id: "a" }));
  await Promise.all(Array.from({ length: 20 }, () => service.account(never())));
  await service.account(never());
  expect(asked()).toBe(1);
});

test.each([
  [3600, 3539_000, 3541_000],
  [100, 79_000, 81_000],
])("one of %d s is renewed before it ends", async (lasts, good, late) => {
  const { service, asked, clock } = tokens(() => json({ id: "a" }), lasts);
  await service.account(never());
  await clock.sleep(good, never());
  await service.account(never());
  expect(asked()).toBe(1);
  await clock.sleep(late - good, never());
  await service.account(never());
  expect(asked()).toBe(2);
});

test("a read that a token is refused for is asked once more, with a new one for all", async () => {
  const { service, asked, requests } = tokens((_, token) =>
    token.includes("t1") ? { status: 401 } : json({ id: "a" }),
  );
  await Promise.all([1, 2, 3].map(() => service.account(never())));
  expect(asked()).toBe(2);
  expect(requests.filter((each) => !isToken(each))).toHaveLength(6);
});

test("a second refusal is the credential's, and nothing is asked for ever", async () => {
  const { service, asked } = tokens(() => json({ code: "revoked" }, { status: 401 }));
  const error = await failureOf(() => service.account(never()));
  expect(error).toMatchObject({ code: "CREDENTIAL", status: 401 });
  expect(asked()).toBe(2);
});

test("a launch is sent once, whatever it is answered: 401 is a refusal, and the next one has a new token", async () => {
  const { service, asked, requests } = tokens((_, token) =>
    token.includes("t1") ? json({ code: "expired" }, { status: 401 }) : json({ deployment: { id: "m" } }),
  );
  expect(await service.launch(ORDER, never())).toMatchObject({ kind: "rejected", status: 401 });
  expect(requests.filter((each) => !isToken(each))).toHaveLength(1);
  expect(await service.launch(ORDER, never())).toMatchObject({ kind: "accepted", id: "m" });
  expect(asked()).toBe(2);
});

test("a stop is sent once, too: it is due again in any case", async () => {
  const { service, requests } = tokens(() => ({ status: 401 }));
  expect(await service.stop({ id: "m" }, never())).toMatchObject({ kind: "failed" });
  expect(requests.filter((each) => !isToken(each))).toHaveLength(1);
});

test("a launch that has no token is not sent, and a turn before it has the token ready", async () => {
  const failing = serviceOf(PARTS, [new TransportError("NO_ANSWER", "reset")], { settings });
  const answer = await failing.service.launch(ORDER, never());
  expect(answer).toMatchObject({ kind: "notSent" });
  expect(answer).not.toHaveProperty("permanent");
  expect(failing.requests.every(isToken)).toBe(true);
  await failing.service.turn(never());
  const { service, asked } = tokens(() => json({ deployment: { id: "m" } }));
  await service.turn(never());
  expect(asked()).toBe(1);
});

test("whoever gives up leaves the others their token; when all have, the call ends", async () => {
  const { service, requests } = tokens(() => json({ id: "a" }));
  const ending = new AbortController();
  const first = service.account(ending.signal);
  const second = service.account(never());
  ending.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  expect(await second).toMatchObject({ id: "a" });
  expect(requests.filter(isToken)).toHaveLength(1);
});

test.each<[string, Partial<HttpResponse> | Error, string, string]>([
  ["is down", new TransportError("NOT_SENT", "refused"), "UNREACHABLE", "cannot be reached: refused"],
  ["has an error", { status: 503 }, "REFUSED", "POST https://gpu.example.com/oauth/token answered 503"],
  ["is a page", { body: "<html>t0-canary</html>" }, "UNREADABLE_ANSWER", "not with JSON (a page of HTML)"],
  ["is a form", { body: "access_token=t0-canary&expires_in=9" }, "UNREADABLE_ANSWER", "but not with JSON."],
  [
    "refuses the client",
    json({ error: "invalid_client", error_description: `no ${SECRET}` }, { status: 401 }),
    "CREDENTIAL",
    "refused the credential (401 invalid_client: no [secret]): check fleetkeeper:apiKey",
  ],
  [
    "refuses it as RFC 6749 allows",
    json({ error: "invalid_client" }, { status: 400 }),
    "CREDENTIAL",
    "answered 400 invalid_client",
  ],
  [
    "redirects to another origin",
    { status: 302, headers: { location: "https://login.example.org/token" } },
    "REFUSED",
    "redirects are not followed, and the credential goes to the base URL's own origin alone",
  ],
  ["is elsewhere", { status: 404 }, "REFUSED", "/oauth/token answered 404"],
  ["gives none", json({ token: "t0-canary" }), "UNREADABLE_ANSWER", "no token stands at /access_token"],
  [
    "gives one that is no header",
    json({ access_token: "t0-canary\r\nx: y", expires_in: 60 }),
    "UNREADABLE_ANSWER",
    "cannot stand in a header",
  ],
  [
    "gives no end",
    json({ access_token: "t0-canary" }),
    "UNREADABLE_ANSWER",
    "write what its document says: expires: { value: 3600 }",
  ],
  [
    "gives a moment for an end",
    json({ access_token: "t0-canary", expires_in: 1_790_000_000 }),
    "UNREADABLE_ANSWER",
    "no number of seconds stands at /expires_in",
  ],
  [
    "has the token where the end should be",
    json({ access_token: "t0-canary", expires_in: "t0-canary" }),
    "UNREADABLE_ANSWER",
    "no number of seconds stands at /expires_in",
  ],
])(
  "a token call that %s is an error that says what to do, and shows no token",
  async (_what, reply, code, says) => {
    const { service } = serviceOf(PARTS, [reply], { settings });
    const error = await failureOf(() => service.account(never()));
    expect(error.code).toBe(code);
    expect(error.message).toContain(says);
    expect(error.message).toMatch(/^There is no token: .*\. Check auth\.token in test\.profile\.yaml\.$/);
    expect(`${error.message}${error.stack}${JSON.stringify(error.cause)}`).not.toMatch(/canary/);
  },
);

test("where the service does not say how long a token lasts, the profile does", async () => {
  const token = { ...TOKEN, expires: { value: 100 } };
  const { service, clock, requests } = serviceOf(
    { ...PARTS, auth: { ...PARTS.auth, token } },
    (request) => json(isToken(request) ? { access_token: "t" } : { id: "a" }),
    { settings },
  );
  await service.account(never());
  await clock.sleep(81_000, never());
  await service.account(never());
  expect(requests.filter(isToken)).toHaveLength(2);
});

test("a service that repeats the token in an answer shows it to nobody, the one before it neither", async () => {
  const { service } = tokens((request, token) =>
    request.method === "GET"
      ? json({ message: `no ${token.replace("t2", "t1")}` }, { status: token.includes("t1") ? 401 : 404 })
      : json({ code: token, message: encodeURIComponent(token) }, { status: 400 }),
  );
  const read = await failureOf(() => service.account(never()));
  expect(read.message).toContain("no Bearer [secret]");
  expect(JSON.stringify(await service.launch(ORDER, never()))).not.toContain("canary");
  expect(JSON.stringify(await service.stop({ id: "m" }, never()))).not.toContain("canary");
});

test("raw reads of the doctor have a token, too", async () => {
  const { transport, requests } = fakeTransport((request) =>
    json(isToken(request) ? { access_token: "t", expires_in: 60 } : { x: 1 }),
  );
  const profile = profileOf(PARTS);
  const read = createRawRead({
    baseUrl: BASE_URL,
    secret: SECRET,
    profile,
    settings,
    transport,
    clock: virtualClock(),
  });
  await read({ method: "GET", url: `${BASE_URL}/x`, headers: {} }, never());
  expect(requests[1]?.headers.authorization).toBe("Bearer t");
});

test("a clock that was set back has it renewed", async () => {
  const clock = virtualClock();
  const { service, requests } = serviceOf(
    PARTS,
    (request) => json(isToken(request) ? { access_token: "t", expires_in: 3600 } : { id: "a" }),
    { settings, clock: { ...clock, now: () => clock.now() - (requests.length > 1 ? 86_400_000 : 0) } },
  );
  await service.account(never());
  await service.account(never());
  expect(requests.filter(isToken)).toHaveLength(2);
});

test.each<[string, Record<string, unknown>, string]>([
  ["a token in a profile 1", { ...PARTS.auth, profile: 1 }, "auth.token: is of a profile 2"],
  [
    "a secret beside a token",
    { ...PARTS.auth, value: "{secret}" },
    "auth.value: the placeholder {secret} does not exist",
  ],
  [
    "a token that nobody asks for",
    { header: "X", value: "{token}" },
    "auth.value: the placeholder {token} does not exist",
  ],
  [
    "no secret in the call",
    { ...PARTS.auth, token: { ...TOKEN, body: { a: 1 } } },
    'auth.token.body: sends no "{secret}"',
  ],
  [
    "another origin",
    { ...PARTS.auth, token: { ...TOKEN, path: "https://login.example.org/token" } },
    "auth.token.path: expected a path that begins with /",
  ],
  [
    "the path of a stop",
    { ...PARTS.auth, token: { ...TOKEN, path: "/end" } },
    "auth.token.path: is that of a call that launches or stops",
  ],
  ["no expires", { ...PARTS.auth, token: { ...TOKEN, expires: undefined } }, "auth.token.expires"],
])("a mistake is named: %s", async (_what, { profile = 2, ...auth }, says) => {
  const stop = { method: "POST", path: "/end", body: { id: "{id}" } };
  const calls = profile === 2 ? { calls: { stop } } : {};
  expect((await failureOf(() => profileOf({ profile, auth, ...calls }))).message).toContain(says);
});
