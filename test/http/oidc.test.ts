import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { type Actor, isStill } from "../../agent/orders/actor.ts";
import { OidcTokens } from "../../agent/orders/oidc.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { MINUTE, NORTH, type Scene, scene } from "./scene.ts";

const ISSUER = "https://ci.example";
/** Two issuers on one host. */
const REALMS = [`${ISSUER}/realms/one`, `${ISSUER}/realms/two`];
const REPO = "acme/train";
let on: Scene;
let keys: { readonly kid: string; readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }[];
let asked: string[];
let answers: Map<string, unknown>;
let oidc: OidcTokens;
/** Wall time of the scene. */
let now: () => number;

beforeEach(async () => {
  keys = [];
  asked = [];
  await newKey("one");
  oidc = new OidcTokens({
    now: () => now(),
    fetchText: async (url) => {
      asked.push(url);
      const found = answers.get(url);
      if (found === undefined) throw new Error("answered HTTP 404");
      return JSON.stringify(found);
    },
  });
  oidc.trusted = trusted();
  on = await scene({ token: "correct-horse-battery-staple", oidc });
  now = () => on.keeper.clock.now().wall;
  await on.declare({ "train-a": { gpus: 0, candidates: [NORTH] }, web: { gpus: 0, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(MINUTE);
});
afterEach(() => on.close());

async function newKey(kid: string): Promise<void> {
  keys.push({ kid, ...(await generateKeyPair("RS256")) });
  const set = await Promise.all(
    keys.map(async (each) => ({ ...(await exportJWK(each.publicKey)), kid: each.kid, alg: "RS256" })),
  );
  const answersOf = (issuer: string) =>
    [
      [`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: `${issuer}/keys` }],
      [`${issuer}/keys`, { keys: set }],
    ] as const;
  answers = new Map<string, unknown>([ISSUER, ...REALMS].flatMap(answersOf));
}

function trusted(more: object = {}) {
  const oidc = [
    {
      issuer: ISSUER,
      audience: "fleetkeeper",
      claims: { repository: REPO },
      may: "operate",
      fleets: ["train-*"],
      ...more,
    },
  ];
  return parseFleetFile(JSON.stringify({ api: { oidc }, fleets: [] }), "fleet.yaml").trusted;
}

interface Said {
  readonly claims?: Record<string, unknown>;
  readonly kid?: string;
  readonly lasts?: number;
  readonly audience?: string;
  readonly issuer?: string;
}

async function signed({
  claims = {},
  kid = "one",
  lasts = 300,
  audience = "fleetkeeper",
  issuer = ISSUER,
}: Said = {}): Promise<string> {
  const key = keys.find((each) => each.kid === kid)?.privateKey;
  if (!key) throw new Error("no such key");
  const seconds = Math.floor(now() / 1000);
  return new SignJWT({ repository: REPO, ...claims })
    .setProtectedHeader({ alg: "RS256", kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject("repo:acme/train:ref:refs/heads/main")
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lasts)
    .sign(key);
}

async function pause(
  token: string,
  fleet = "train-a",
): Promise<{ readonly status: number; readonly detail: string }> {
  const answer = await fetch(`${on.server.url}api/v1/fleets/${fleet}/pause`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const { detail = "" } = (await answer.json()) as { readonly detail?: string };
  return { status: answer.status, detail };
}

const paused = async () =>
  (await on.ledger.read(on.keeper.account)).fleets.filter((each) => each.paused).map(({ name }) => name);

it("a job of a CI orders what its issuer's entry allows, without a secret, and its subject stands beside it", async () => {
  expect(await pause(await signed())).toMatchObject({ status: 200 });
  expect((await on.ledger.events(on.keeper.account, 1))[0]).toMatchObject({
    kind: "paused",
    actor: "oidc:ci.example:repo:acme/train:ref:refs/heads/main",
  });
  expect(await pause(await signed(), "web")).toMatchObject({ status: 403 });
  // The keys of both were asked for once.
  expect(asked).toHaveLength(2);
});

it("of two issuers on one host, the same subject is another actor", async () => {
  oidc.trusted = REALMS.flatMap((issuer) => trusted({ issuer }));
  const sub = "repo:acme/train:ref:refs/heads/main";
  for (const [issuer, name] of [
    [REALMS[0], `oidc:ci.example/realms/one:${sub}`],
    [REALMS[1], `oidc:ci.example/realms/two:${sub}`],
  ] as const)
    expect(await oidc.actorOf(await signed({ issuer: issuer ?? "" }))).toMatchObject({ name });
});

it("that is over by the time its order is carried out orders nothing", async () => {
  const known = await oidc.actorOf(await signed({ lasts: 10 }));
  const draft = await readDraft(on.keeper);
  const at = (seconds: number) => ({ ...on.keeper.clock.now(), wall: now() + seconds * 1000 });
  expect([isStill(known as Actor, draft, at(39)), isStill(known as Actor, draft, at(41))]).toEqual([
    true,
    false,
  ]);
});

describe("is refused, and nothing is done", () => {
  it.each<[string, Said, RegExp]>([
    ["another repository", { claims: { repository: "mallory/train" } }, /fits its audience and claims/],
    ["a claim that is no text", { claims: { repository: [REPO] } }, /fits its audience and claims/],
    ["another audience", { audience: "somebody-else" }, /fits its audience and claims/],
    ["a token that is over", { lasts: -60 }, /"exp" claim/],
  ])("%s", async (_, said, why) => {
    const { status, detail } = await pause(await signed(said));
    expect([status, detail]).toEqual([401, expect.stringMatching(why)]);
    expect(await paused()).toEqual([]);
  });

  it("a key that the issuer does not have", async () => {
    const stranger = await generateKeyPair("RS256");
    const [first] = keys;
    if (first) keys[0] = { ...first, privateKey: stranger.privateKey };
    expect((await pause(await signed())).detail).toContain("signature verification failed");
  });

  it("no signature, and one by a secret", async () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = {
      iss: ISSUER,
      aud: "fleetkeeper",
      sub: "x",
      repository: REPO,
      exp: Math.floor(now() / 1000) + 300,
    };
    expect((await pause(`${part({ alg: "none" })}.${part(claims)}.x`)).status).toBe(401);
    const secret = new TextEncoder().encode("a secret that everybody could make up");
    const hmac = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret);
    expect((await pause(hmac)).status).toBe(401);
    expect(await paused()).toEqual([]);
  });

  it("another issuer, which nobody asks anything", async () => {
    oidc.trusted = trusted({ issuer: "https://other.example" });
    expect((await pause(await signed())).detail).toContain("api.oidc");
    expect(asked).toEqual([]);
  });

  it("whatever the issuer's configuration says of another one's keys", async () => {
    answers.set(`${ISSUER}/.well-known/openid-configuration`, {
      issuer: "https://mallory.example",
      jwks_uri: `${ISSUER}/keys`,
    });
    expect((await pause(await signed())).detail).toContain("names another issuer");
    await on.clock.advance(10_000);
    answers.set(`${ISSUER}/.well-known/openid-configuration`, {
      issuer: ISSUER,
      jwks_uri: "http://mallory.example/keys",
    });
    expect((await pause(await signed())).detail).toContain("by https");
  });

  it("while its keys cannot be had; they are asked for again every ten seconds", async () => {
    const all = answers;
    answers = new Map();
    expect((await pause(await signed())).detail).toContain("answered HTTP 404");
    answers = all;
    await pause(await signed());
    expect(asked).toHaveLength(1);
    await on.clock.advance(10_000);
    expect((await pause(await signed())).status).toBe(200);
  });
});

it("a new key is asked for once a token names it, and at most once a minute", async () => {
  expect((await pause(await signed())).status).toBe(200);
  const before = asked.length;
  await newKey("two");
  await pause(await signed({ kid: "two" }));
  await pause(await signed({ kid: "two" }));
  expect(asked).toHaveLength(before);
  await on.clock.advance(MINUTE);
  expect((await pause(await signed({ kid: "two" }), "train-a")).status).toBe(200);
  expect(asked).toHaveLength(before + 2);
});

it.each([
  [{ issuer: "http://ci.example" }, "issuer"],
  [{ issuer: "https://user:pass@ci.example" }, "issuer"],
  [{ claims: {} }, "claims"],
  [{ claims: { repository: "*" } }, "claims"],
  [{ may: "all" }, "may"],
  [{ fleets: [] }, "fleets"],
  [{ secret: "x" }, "secret"],
])("an entry %j is a mistake that names %s", (more, key) =>
  expect(() => trusted(more)).toThrow(new RegExp(key)),
);
