import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { leftOf, openedBy } from "../../agent/orders/held-secret.ts";
import { watch } from "../../agent/tell/http/index.ts";
import { KnownSecrets } from "../../agent/tell/http/reach/known-secrets.ts";
import { endShares, makeShare, sharesOf } from "../../agent/tell/http/reach/share.ts";
import type { Shown } from "../../agent/tell/http/services.ts";
import { startServicesServer } from "../../agent/tell/http/services.ts";
import { learn } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import { hold } from "../../launch/facts/hold.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { EventKind } from "../../ledger/event-kind.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { read } from "./markup.ts";
import type { Scene } from "./scene.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

const TOKEN = "correct-horse-battery-staple";
const SECRET = "a-secret-of-a-share-link".padEnd(43, "-");
const OTHER = "the-secret-of-another-link".padEnd(43, "-");
/** A guess of the right form: only the links themselves tell that it is none. */
const GUESS = "guess".padEnd(43, "-");
const SECOND = 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let on: Scene;
beforeEach(async () => {
  on = await scene({ token: TOKEN, balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(5 * MINUTE);
});
afterEach(() => on.close());

const share = (secret = SECRET, lasts = HOUR, id = "one") =>
  on.ledger.decide(on.keeper.account, (draft) =>
    makeShare(draft, { id, secret, lasts }, contextOf(on.keeper)),
  );
const end = (id?: string) =>
  on.ledger.decide(on.keeper.account, (draft) => endShares(draft, id, contextOf(on.keeper)));
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const cookie = (secret: string) => ({ cookie: `fleetkeeper-share=${secret}` });
const status = async (path: string, headers = {}): Promise<number> => (await on.get(path, headers)).status;
const machine = async (): Promise<string> =>
  String((await on.ledger.read(on.keeper.account)).deployments[0]?.id);

it("shows the pages to whoever has its secret, as a cookie, a password or a bearer token, and nothing for programs", async () => {
  await share();
  const basic = { authorization: `Basic ${Buffer.from(`guest:${SECRET}`).toString("base64")}` };
  const pages = [
    "/",
    `/machine?id=${await machine()}`,
    "/fleet?name=training",
    "/search?q=h100",
    "/places",
    "/page.js",
  ];
  for (const path of pages) {
    expect(await status(path), path).toBe(401);
    for (const headers of [bearer(SECRET), cookie(SECRET), basic])
      expect(await status(path, headers), path).toBe(200);
  }
  for (const path of ["/metrics", "/api/status", "/nothing", "/page", "/machine/x", "/services/x/"])
    expect([403, 401], path).toContain(await status(path, bearer(SECRET)));
  expect(await (await on.get("/metrics", cookie(SECRET))).text()).toContain("A share link shows the pages");
});

it("a guest sees neither the account's name, nor the host that keeps it, nor answers of the service, nor the ways of programs", async () => {
  await share();
  await on.limit({ label: { team: "vision" }, total: "4000" });
  await on.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()];
    const [intent] = [...draft.intents.values()];
    if (!row || !intent) throw new Error("nothing was launched");
    draft.putIntent({
      ...intent,
      detail: "the answer said: root@10.9.8.7",
      answer: { at: intent.stamped, id: row.id, reason: "root@10.9.8.7" },
    });
    draft.putDeployment({
      ...row,
      stop: {
        asked: row.firstSeen,
        why: "drained",
        attempts: 1,
        attempted: row.firstSeen,
        accepted: false,
        acceptedIn: "running",
        error: "root@10.9.8.7",
      },
    });
  });
  const { email } = (await on.ledger.read(on.keeper.account)).account;
  const paths = ["/", `/machine?id=${await machine()}`, "/fleet?name=training", "/search"];
  const secrets = [
    email,
    "on test since",
    'href="metrics"',
    "api/status",
    "root@10.9.8.7",
    SECRET,
    TOKEN,
    ":memory:",
  ];
  const owner = (
    await Promise.all(paths.map(async (path) => (await on.get(path, bearer(TOKEN))).text()))
  ).join("");
  expect(owner).toContain('id="budgets"');
  // Control: the owner sees the first five.
  for (const secret of secrets.slice(0, 5)) expect(owner, secret).toContain(secret);
  for (const path of paths) {
    const markup = await (await on.get(path, cookie(SECRET))).text();
    for (const secret of secrets) expect(markup, `${path} ${secret}`).not.toContain(secret);
    expect(markup, path).not.toContain('id="budgets"');
    expect(read(markup)).toContain("You see this by a share link.");
  }
});

it("a guest reads fixed words in place of what the service, the ledger, a file or a check said", async () => {
  await share();
  const host = "db.internal:5432";
  const quoted = "root@10.9.8.7";
  const id = await machine();
  const context = contextOf(on.keeper);
  const { now } = context;
  const longAgo = { ...now, mono: now.mono - 60 * MINUTE, wall: now.wall - 60 * MINUTE };
  const kinds = [
    ...[
      "refused",
      "unknown",
      "held",
      "churned",
      "notReady",
      "stuck",
      "stop",
      "halted",
      "badRecord",
      "unwritable",
    ],
    ...[
      "unreadable",
      "keyRefused",
      "shared",
      "reloaded",
      "notReloaded",
      "targetGone",
      "aKindOfAnotherVersion",
    ],
  ] as EventKind[];
  await on.ledger.decide(on.keeper.account, (draft) => {
    for (const kind of kinds)
      note(draft, context, kind, `the answer said: ${quoted}`, { owner: "fleet:training", deployment: id });
    const [intent] = [...draft.intents.values()];
    const row = draft.deployments.ever(id);
    const fleet = draft.fleets.get("training");
    if (!intent || !row || !fleet) throw new Error("nothing was launched");
    draft.putFleet({
      ...fleet,
      wish: { ...(fleet.wish as object), gpus: 80 },
      holds: [
        hold("tooMany", { detail: `HTTP 429 ${quoted}` }),
        hold("cooling", { place: "h100-80gb-x8 @ aurora/fi-hel" }),
      ],
      reasons: [`the newest tick read ${quoted}`],
    });
    draft.putIntent({
      ...intent,
      detail: `accepted as ${quoted}`,
      answer: { at: now, id: quoted, reason: quoted },
      refusal: { kind: "other", status: 422, code: quoted },
    });
    draft.moveIntent("admit", {
      ...intent,
      id: "unresolved0",
      state: "open",
      deployment: null,
      detail: quoted,
    });
    draft.putDeployment({
      ...row,
      ready: { ok: false, since: now, ever: false, why: `no answer of ${quoted}` },
      flaw: { why: `/hosts/0: ${quoted}`, setAside: false },
      stop: {
        asked: now,
        why: `it was not ready: ${quoted}`,
        attempts: 1,
        attempted: now,
        accepted: false,
        acceptedIn: "running",
        error: quoted,
        calls: { since: longAgo, times: 7, sent: `POST /${quoted}`, said: quoted },
      },
    });
    learn(draft, intent.profile, {
      halted: { reason: `the launch was answered with the id ${quoted}`, id: null },
    });
    draft.putAccount({ ...draft.account, outage: { since: now, told: "unreadable", reason: quoted } });
  });
  const [launch] = (await on.ledger.read(on.keeper.account)).intents;
  const pages = [
    ...["/", `/machine?id=${id}`, `/launch?id=${launch?.id}`, "/fleet?name=training"],
    ...["/deployment?name=x", "/search"],
  ];
  const all = async (headers: Record<string, string>): Promise<readonly string[]> =>
    Promise.all(pages.map(async (path) => (await on.get(path, headers)).text()));
  const failures = [
    () => undefined,
    () => on.fail(new FleetkeeperError("UNREACHABLE", `the service said: ${quoted}`), SECOND),
    () => on.fail(new FleetkeeperError("LEDGER_BUSY", `${host}/fleets: no entry for ${quoted}`), SECOND),
    () => on.problem(`/home/${quoted}/fleet.yaml: fleet training is kept in me@example.com`),
  ];
  for (const [index, happens] of failures.entries()) {
    happens();
    const [status = "", story = "", ofLaunch = "", fleet = ""] = await all(bearer(TOKEN));
    // Control: the owner reads them, on each of these pages.
    for (const page of [status, story, ofLaunch, fleet]) expect(page, String(index)).toContain(quoted);
    for (const markup of await all(cookie(SECRET)))
      for (const said of [quoted, "10.9.8.7", host, "/home/", "me@example.com"])
        expect(markup, `${index} ${said}`).not.toContain(said);
  }
  const seen = read(await (await on.get("/", cookie(SECRET))).text());
  for (const words of [
    "The ledger cannot be written. Nothing new is launched or stopped meanwhile",
    "The settings need a look. Why is told to whoever has the agent's token.",
    "the service refused a launch",
    "Launches are halted. Look at the service's dashboard",
    "training lacks",
    // A hold whose numbers give nothing away.
    "h100-80gb-x8 @ aurora/fi-hel cools",
    `${id} does not stop. Why is told to whoever has the agent's token.`,
  ])
    expect(seen).toContain(words);
});

it("a page that was made for the owner is not given to a guest, nor the other way round", async () => {
  await share();
  const { email } = (await on.ledger.read(on.keeper.account)).account;
  for (let times = 0; times < 2; times++) {
    expect(await (await on.get("/", bearer(TOKEN))).text()).toContain(email);
    expect(await (await on.get("/", cookie(SECRET))).text()).not.toContain(email);
  }
});

it("ends by itself, also when the wall clock was set back, and within a second when it is taken back", async () => {
  await share(SECRET, HOUR, "one");
  await share(OTHER, DAY, "two");
  await on.clock.advance(59 * MINUTE);
  expect(await status("/", cookie(SECRET))).toBe(200);
  await on.clock.advance(2 * MINUTE);
  expect(await status("/", cookie(SECRET))).toBe(403);
  expect(await status("/", bearer(SECRET))).toBe(401);
  expect(await status("/", cookie(OTHER))).toBe(200);
  expect(await end("nobody")).toEqual([]);
  expect(await end("two")).toEqual(["two"]);
  await on.clock.advance(SECOND);
  expect(await status("/", cookie(OTHER))).toBe(403);
  const made = on.keeper.clock.now();
  const row = { id: "x", digest: "", made, lasts: HOUR };
  expect(leftOf(row, { ...made, mono: made.mono + HOUR, wall: made.wall - DAY })).toBe(0);
  // A computer that slept: its monotonic clock stood.
  expect(leftOf(row, { ...made, wall: made.wall + HOUR })).toBe(0);
  expect(leftOf(row, { ...made, mono: made.mono + HOUR - 1 })).toBe(1);
});

it("a browser whose link is over is told so, loses its cookie, and is asked for no password in the background", async () => {
  const answer = await on.get("/", { ...cookie("gone"), accept: "text/html,*/*" });
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([403, null]);
  expect(answer.headers.get("set-cookie")).toBe("fleetkeeper-share=; Max-Age=0; HttpOnly; SameSite=Lax");
  // What a page reads in the background keeps it: the next one without would be asked for a password.
  for (const accept of ["*/*", "text/event-stream"]) {
    const inside = await on.get("/", { ...cookie("gone"), accept });
    const { headers } = inside;
    expect([inside.status, headers.get("set-cookie"), headers.get("www-authenticate")]).toEqual([
      403,
      null,
      null,
    ]);
  }
  // The owner's own token counts, whatever cookie stands beside it.
  expect(await status("/", { ...bearer(TOKEN), ...cookie("gone") })).toBe(200);
});

it("hands the cookie over to whoever sends the secret in a header, and only then; no answer and no page holds the secret or the token", async () => {
  await share();
  const opened = await on.get("/share");
  const markup = await opened.text();
  expect([opened.status, opened.headers.get("set-cookie")]).toEqual([200, null]);
  expect(markup).toContain('src="share.js"');
  expect(opened.headers.get("referrer-policy")).toBe("no-referrer");
  expect(opened.headers.get("cache-control")).toBe("no-store");
  const entered = await on.get("/share", bearer(SECRET));
  expect(entered.status).toBe(204);
  expect(entered.headers.get("set-cookie")).toBe(
    `fleetkeeper-share=${SECRET}; Max-Age=3600; HttpOnly; SameSite=Lax`,
  );
  const behindTls = await on.get("/share", { ...bearer(SECRET), "x-forwarded-proto": "https" });
  expect(behindTls.headers.get("set-cookie")).toMatch(/; Secure$/);
  // Neither a guess nor the agent's own token is made a cookie of. A secret in the address is none.
  for (const wrong of [bearer("guess"), bearer(TOKEN), bearer("")]) {
    const refused = await on.get("/share", wrong);
    expect(refused.headers.get("set-cookie") ?? "").not.toContain(TOKEN);
    expect(refused.status).not.toBe(204);
  }
  expect(await status(`/?share=${SECRET}`)).toBe(401);
  expect((await on.get(`/share?${SECRET}`)).headers.get("set-cookie")).toBeNull();
  // A foreign page may not send the header: the browser asks first, and is refused.
  expect((await fetch(`${on.server.url}share`, { method: "OPTIONS" })).status).toBe(405);
});

it("the ledger holds a digest, and no secret; its history says that a link was made and ended", async () => {
  await share();
  const { account } = await on.ledger.read(on.keeper.account);
  expect(JSON.stringify(account)).not.toContain(SECRET);
  expect(account.shares?.[0]?.digest).toBe(createHash("sha256").update(SECRET).digest("hex"));
  await end();
  const events = await on.ledger.events(on.keeper.account, 10);
  expect(events.filter(({ kind }) => kind === "shared").map(({ text }) => text)).toEqual([
    "share links to the status page were ended: one",
    "a share link to the status page was made: one, for 60 min",
  ]);
  expect(JSON.stringify(events)).not.toContain(SECRET);
});

/** Counts what is read of the ledger from now on. */
const countReads = (): (() => number) => {
  const { ledger } = on;
  const read = ledger.read.bind(ledger);
  let reads = 0;
  Object.assign(ledger, {
    read: (account: string) => {
      reads += 1;
      return read(account);
    },
  });
  return () => reads;
};

it("who has no right costs the ledger nothing by a secret without the right form, and one read a second by any number of guesses", async () => {
  await share();
  const reads = countReads();
  const knock = async (path: string, headers = {}): Promise<readonly number[]> => {
    const all = await Promise.all(Array.from({ length: 20 }, () => status(path, headers)));
    return [...new Set(all)];
  };
  for (const wrong of ["guess", `${SECRET}x`, SECRET.slice(1), `${SECRET.slice(1)}.`]) {
    expect(await knock("/metrics", { ...bearer(wrong), ...cookie(wrong) })).toEqual([401]);
    expect(await knock("/share", bearer(wrong))).toEqual([403]);
  }
  expect(reads()).toBe(0);
  for (const path of ["/metrics", "/", "/events"])
    expect(await knock(path, { ...bearer(GUESS), ...cookie(OTHER) })).toEqual([401]);
  expect(await knock("/share", bearer(GUESS))).toEqual([403]);
  expect(reads()).toBe(1);
  // Control: who has the secret is let in, by the same read.
  expect(await knock("/share", bearer(SECRET))).toEqual([204]);
  expect(reads()).toBe(1);
  // The loop reads, too: only reads of these requests are counted.
  await on.clock.advance(SECOND);
  const atFirst = reads();
  expect(await knock("/metrics", bearer(GUESS))).toEqual([401]);
  expect(reads() - atFirst).toBe(1);
});

it("a ledger that cannot be read is asked for links once a second, and one that is slow once at a time", async () => {
  await share();
  const { ledger } = on;
  let reads = 0;
  let fail: (why: Error) => void = () => undefined;
  const shares = new KnownSecrets({
    ...on.keeper,
    ledger: {
      ...ledger,
      read: () => {
        reads += 1;
        return new Promise((_, reject) => {
          fail = reject;
        });
      },
    } as unknown as Ledger,
  });
  const asked = [shares.share(SECRET), shares.share(GUESS)];
  await on.clock.advance(10 * SECOND);
  asked.push(shares.share(SECRET));
  expect(reads).toBe(1);
  fail(new Error("the ledger is away"));
  for (const each of await Promise.allSettled(asked)) expect(each.status).toBe("rejected");
  await on.clock.advance(SECOND);
  void shares.share(SECRET).catch(() => undefined);
  void shares.share(SECRET).catch(() => undefined);
  expect(reads).toBe(2);
});

it("opens nothing by a digest, a damaged row, or half a secret", () => {
  const now = on.keeper.clock.now();
  const digest = createHash("sha256").update(SECRET).digest("hex");
  const account = { shares: [{ id: "one", digest, made: now, lasts: HOUR }] } as unknown as AccountRow;
  const damaged = { shares: [{ id: "one", digest: "", made: now, lasts: HOUR }] } as unknown as AccountRow;
  expect(openedBy(SECRET, account.shares ?? [], now)?.id).toBe("one");
  for (const wrong of ["", digest, SECRET.slice(1), `${SECRET}x`])
    expect(openedBy(wrong, account.shares ?? [], now)).toBeUndefined();
  expect(openedBy("", damaged.shares ?? [], now)).toBeUndefined();
});

it("keeps fifty links at most, and forgets those that are over when another one is made", async () => {
  for (let index = 0; index < 50; index++) await share(String(index).padEnd(43, "-"), HOUR, String(index));
  await expect(share()).rejects.toThrow("50 share links are open: end some first");
  await on.clock.advance(HOUR);
  await share();
  const { account } = await on.ledger.read(on.keeper.account);
  expect(account.shares?.map(({ id }) => id)).toEqual(["one"]);
  expect(sharesOf(account, on.keeper.clock.now())).toHaveLength(1);
});

it("an event stream of a guest ends once its link is taken back", async () => {
  await share();
  const streamOf = async (headers: Record<string, string>) =>
    (await on.get("/events", headers)).body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (reader: Awaited<ReturnType<typeof streamOf>>) => (await reader?.read())?.value;
  const guest = await streamOf(cookie(SECRET));
  expect(await next(guest)).toBe("retry: 3000\n\n");
  await on.clock.advance(MINUTE);
  expect(await next(guest)).toMatch(/^data: \d+/);
  await end("one");
  await on.clock.advance(2 * SECOND);
  // Control: the owner, who comes only now, is told what the guest must not be told any more.
  const owner = await streamOf(bearer(TOKEN));
  expect(await next(owner)).toBe("retry: 3000\n\n");
  await on.clock.advance(MINUTE);
  const [told = ""] = /data: \d+\n/.exec((await next(owner)) ?? "") ?? [];
  expect(told).not.toBe("");
  for (let text = await next(guest); text !== undefined; text = await next(guest))
    expect(text).not.toContain(told);
});

it("of several services, a link opens the pages of its own account and no other's", async () => {
  await share();
  const other = await scene();
  const watched = [on, other].map((each) =>
    watch({ keeper: each.keeper, history: each.ledger, version: "1" }),
  );
  const sites = watched.map((each, index) => each.pages(`/services/s${index}`));
  const services = new Map<string, Shown>(sites.map((pages, index) => [`s${index}`, { pages }]));
  const server = await startServicesServer({
    address: { host: "127.0.0.1", port: 0 },
    token: TOKEN,
    services,
  });
  const at = async (path: string, headers = {}): Promise<number> =>
    (await fetch(server.url.slice(0, -1) + path, { headers, redirect: "manual" })).status;
  try {
    expect(await at("/services/s0/", bearer(SECRET))).toBe(200);
    expect(await at("/services/s0/search", cookie(SECRET))).toBe(200);
    expect(await at("/services/s0/share", bearer(SECRET))).toBe(204);
    for (const path of [
      "/services/s1/",
      "/",
      "/services/s1/share",
      "/services/s0",
      "/metrics",
      "/services/s0/metrics",
    ])
      expect([401, 403], path).toContain(await at(path, bearer(SECRET)));
    for (const odd of [
      "/services/s0/../s1/",
      "/services/s0/%2e%2e/s1/",
      "/services/s0%2F..%2Fs1/",
      "//services/s1/",
      "/services/s0//",
    ])
      expect(await at(odd, bearer(SECRET)), odd).not.toBe(200);
    expect(await at("/services/s1/", bearer(TOKEN))).toBe(200);
  } finally {
    await server.close();
    await Promise.all(watched.map((each) => each.close()));
    await other.close();
  }
});

it("says nothing of the ledger's place to a guest, or to who only knocks, where the ledger cannot be read", async () => {
  await share();
  on.ledger.close();
  for (const headers of [cookie(SECRET), bearer(SECRET), cookie(GUESS)]) {
    const answer = await on.get("/", headers);
    expect([answer.status, await answer.text()]).toEqual([503, "The page could not be made.\n"]);
  }
  expect(await (await on.get("/", bearer(TOKEN))).text()).toContain(":memory:");
  on = await scene();
});
