import { expect, test } from "vitest";
import type { Transport } from "../../service/contract/transport.ts";
import { ACCOUNT, BALANCE, visit } from "./doctor-support.ts";

const MACHINES = Array.from({ length: 5 }, (_, index) => ({ id: `d${index}`, status: "running" }));
const AUTH = `profile: 1\nname: acme\nauth: { header: X-Key, value: "{secret}" }\n`;
const WHOLE = `${AUTH}deployments: { list: { items: /content, pagination: { kind: none } } }\n`;
const PAGE_SIZE = 2;

type Query = Readonly<Record<string, string>>;

/** A service whose list of five machines is answered as this says. */
function listing(answer: (query: Query) => object): Transport {
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const json =
      pathname === "/api/v1/account"
        ? ACCOUNT
        : pathname === "/api/v1/account/balance"
          ? BALANCE
          : pathname === "/api/v1/deployments"
            ? answer(Object.fromEntries(searchParams))
            : undefined;
    return {
      status: json === undefined ? 404 : 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json ?? { error: "not_found" }),
    };
  };
}

function slice(from: number): object[] {
  return MACHINES.slice(from, from + PAGE_SIZE);
}

const SERVICES: Readonly<Record<string, (query: Query) => object>> = {
  "pages from 0": ({ page = "0" }) => ({
    content: slice(Number(page) * PAGE_SIZE),
    page: Number(page),
    size: PAGE_SIZE,
    totalPages: 3,
    totalElements: 5,
    last: page === "2",
  }),
  "pages from 1": ({ page = "1" }) => ({
    content: slice((Number(page) - 1) * PAGE_SIZE),
    meta: { current_page: Number(page), per_page: PAGE_SIZE, last_page: 3, total: 5 },
  }),
  "hasMore alone, pages from 1": ({ page = "1" }) => ({
    content: slice((Number(page) - 1) * PAGE_SIZE),
    hasMore: page !== "3",
  }),
  "an offset": ({ offset = "0" }) => ({
    content: slice(Number(offset)),
    pagination: { offset: Number(offset), limit: PAGE_SIZE, total: 5 },
  }),
  "a cursor": ({ cursor = "0" }) => ({
    content: slice(Number(cursor)),
    nextCursor: Number(cursor) + PAGE_SIZE < 5 ? String(Number(cursor) + PAGE_SIZE) : null,
  }),
  "how many are left": ({ resume = "0" }) => ({
    content: slice(Number(resume)),
    left: Math.max(0, 5 - Number(resume) - PAGE_SIZE),
    resume: Number(resume) + PAGE_SIZE < 5 ? String(Number(resume) + PAGE_SIZE) : null,
  }),
  "an address in the body": ({ p = "1" }) => ({
    content: slice((Number(p) - 1) * PAGE_SIZE),
    count: 5,
    next: p === "3" ? null : `https://elsewhere.example/api/v1/deployments?p=${Number(p) + 1}`,
  }),
};

test.each([
  ["pages from 0", ["kind: page", "pageParameter: page", "first: 0", "size: 2", "total: /totalElements"]],
  ["pages from 1", ["kind: page", "pageParameter: page", "first: 1", "size: 2", "total: /meta/total"]],
  ["hasMore alone, pages from 1", ["kind: page", "pageParameter: page", "first: 1", "size: 2"]],
  [
    "an offset",
    [
      "kind: offset",
      "offsetParameter: offset",
      "limitParameter: limit",
      "limit: 2",
      "total: /pagination/total",
    ],
  ],
  ["a cursor", ["kind: cursor", "cursorParameter: cursor", "next: /nextCursor"]],
  ["how many are left", ["kind: cursor", "cursorParameter: resume", "next: /resume"]],
  ["an address in the body", ["kind: page", "pageParameter: p", "first: 1", "size: 2", "total: /count"]],
])(
  "%s: one more page shows how the list goes on, and what is proposed reads all of it",
  async (name, lines) => {
    const transport = listing(SERVICES[name]!);
    const bare = await visit({ profile: AUTH, transport });
    const proposed = bare.check("operation.list").remedy?.lines ?? [];
    const pagination = proposed.slice(proposed.findIndex((line) => line.trim() === "pagination:") + 1);
    expect(pagination.map((line) => line.split("  #")[0]?.trim())).toEqual(lines);
    expect(pagination[0]).toMatch(/# seen: \?.* showed 2 others$/);

    const confirmed = await visit({ profile: `${AUTH}${proposed.join("\n")}\n`, transport });
    expect(confirmed.check("deployments.list")).toMatchObject({
      level: "ok",
      says: expect.stringContaining("5 deployments"),
    });
  },
);

test("what is left of credits or requests says nothing of the list", async () => {
  const whole = () => ({ content: MACHINES, quota: { remaining: 7 }, credits: { left: 12 } });
  const { check } = await visit({ profile: WHOLE, transport: listing(whole) });
  expect(check("deployments.list").level).toBe("ok");
  expect(() => check("deployments.pages")).toThrow();
});

test.each(Object.keys(SERVICES))(
  "%s: a profile that says one answer holds it all is a problem",
  async (name) => {
    const { report, check } = await visit({ profile: WHOLE, transport: listing(SERVICES[name]!) });
    expect(report.exitCode).toBe(1);
    const { level, says, remedy } = check("deployments.pages");
    expect(level).toBe("problem");
    expect(says).toMatch(/2 deployments came.* showed 2 others\. A machine on a page .* bought again/);
    expect(remedy).toMatchObject({ proposed: true, at: expect.stringContaining("acme.profile.yaml:4:") });
  },
);

test("a parameter that the service does not know is not proposed", async () => {
  const transport = listing(() => ({ content: slice(0), page: 1, totalPages: 3 }));
  const { check } = await visit({ profile: WHOLE, transport });
  expect(check("deployments.pages").level).toBe("problem");
  expect(check("deployments.pages").remedy?.lines?.join("\n")).toContain(
    "kind: <page, offset or cursor>  # /page: 1, /totalPages: 3, but 2 arrived: there are more pages",
  );
});

test.each([
  ["a cursor that is empty", { next_cursor: null }, /a place for a cursor, which is empty now/],
  ["one page of one", { page: 0, totalPages: 1, totalElements: 5 }, /\/page: 0, \/totalPages: 1/],
  ["hasMore: false", { hasMore: false }, /\/hasMore, which says that nothing follows/],
])("%s: all of it came, and a longer list would be cut, so it is told", async (_name, signs, words) => {
  const { report, requests, check } = await visit({
    profile: WHOLE,
    transport: listing(() => ({ content: MACHINES, ...signs })),
  });
  expect(report.exitCode).toBe(1);
  expect(check("deployments.pages").level).toBe("warning");
  expect(check("deployments.pages").says).toMatch(words);
  expect(check("deployments.list").says).toContain("5 deployments");
  expect(requests.filter(({ url }) => url.includes("?"))).toEqual([]);
});

test("where the profile says how the list goes on, no other query is tried", async () => {
  const pagination = "{ kind: page, pageParameter: page, first: 0, size: 2, total: /totalElements }";
  const { requests } = await visit({
    profile: WHOLE.replace("{ kind: none }", pagination),
    transport: listing(SERVICES["pages from 0"]!),
  });
  const queries = requests.map(({ url }) => new URL(url).search).filter((query) => query !== "");
  expect(queries).toEqual(["?page=0", "?page=1", "?page=2"]);
});
