import { expect, test } from "vitest";
import {
  LONGEST_CURSOR,
  LONGEST_LIST_MS,
  MOST_LIST_BYTES,
  MOST_PAGE_RECORDS,
  MOST_RECORDS,
} from "../../service/contract/limits.ts";
import type { HttpRequest, HttpResponse } from "../../service/contract/transport.ts";
import { failureOf, json, LAUNCH, never, serviceOf } from "./support.ts";

type Record_ = Readonly<{ id: string; status: string }>;

function machines(count: number, from = 0): Record_[] {
  return Array.from({ length: count }, (_, index) => ({ id: `d${from + index}`, status: "running" }));
}

function listOf(pagination: object, replies: Parameters<typeof serviceOf>[1], items = "/items") {
  return serviceOf({ deployments: { list: { items, query: { all: true }, pagination } } }, replies);
}

const query = ({ url }: HttpRequest) => Object.fromEntries(new URL(url).searchParams);
const PAGE = { kind: "page", pageParameter: "page", sizeParameter: "size", first: 1, size: 2 };
const OFFSET = { kind: "offset", offsetParameter: "from", limitParameter: "max", limit: 2 };
const CURSOR = { kind: "cursor", cursorParameter: "after", next: "/next", sizeParameter: "size", size: 2 };

/** A service that pages as it should, with a cap on the page size of its own. */
const paged =
  (all: readonly Record_[], cap = 2, extra: (page: readonly Record_[]) => object = () => ({})) =>
  (request: HttpRequest) => {
    const { page, from, size, max } = query(request);
    const take = Math.min(Number(size ?? max), cap);
    const start = from === undefined ? (Number(page) - 1) * take : Number(from);
    const items = all.slice(start, start + take);
    return json({ items, ...extra(items) });
  };

test("one answer", async () => {
  const { service, requests } = listOf({ kind: "none" }, [json({ items: machines(3) })]);
  expect((await service.deployments(never()))?.map(({ id }) => id)).toEqual(["d0", "d1", "d2"]);
  expect(requests.map(query)).toEqual([{ all: "true" }]);
});

test("pages, until one is empty", async () => {
  const { service, requests } = listOf(PAGE, paged(machines(3)));
  expect(await service.deployments(never())).toHaveLength(3);
  expect(requests.map(query)).toEqual([1, 2, 3].map((page) => ({ all: "true", page: `${page}`, size: "2" })));
});

test("pages that start at 0", async () => {
  const { service, requests } = listOf({ ...PAGE, first: 0 }, [
    json({ items: machines(1) }),
    json({ items: [] }),
  ]);
  await service.deployments(never());
  expect(requests.map((request) => query(request).page)).toEqual(["0", "1"]);
});

test("pages with a total ask for none behind it", async () => {
  const { service, requests } = listOf(
    { ...PAGE, total: "/total" },
    paged(machines(4), 2, () => ({ total: 4 })),
  );
  expect(await service.deployments(never())).toHaveLength(4);
  expect(requests).toHaveLength(2);
});

test.each([
  ["page", { ...PAGE, size: 500 }],
  ["offset", { ...OFFSET, limit: 500 }],
])(
  "%s: a service that gives fewer items a page than it was asked for loses none",
  async (_kind, pagination) => {
    const { service } = listOf(pagination, paged(machines(5), 2));
    expect(await service.deployments(never())).toHaveLength(5);
  },
);

test("offset and limit", async () => {
  const { service, requests } = listOf(OFFSET, paged(machines(3)));
  expect(await service.deployments(never())).toHaveLength(3);
  expect(requests.map((request) => query(request).from)).toEqual(["0", "2", "3"]);
  expect(query(requests[0] as HttpRequest).max).toBe("2");
});

test.each([[null], [""], [undefined]])("a cursor, until it is %j", async (end) => {
  const { service, requests } = listOf(CURSOR, [
    json({ items: machines(2), next: "a b&c" }),
    json({ items: machines(1, 2), next: end }),
  ]);
  expect(await service.deployments(never())).toHaveLength(3);
  expect(requests.map(query)).toEqual([
    { all: "true", size: "2" },
    { all: "true", size: "2", after: "a b&c" },
  ]);
});

test("Link headers on the same origin, relative ones too", async () => {
  const { service, requests } = listOf({ kind: "link" }, [
    json({ items: machines(1) }, { headers: { link: '</api/v1/deployments?p=2>; rel="next"' } }),
    json({ items: machines(1, 1) }, { headers: { link: '<https://gpu.example.com/x?p=3>; rel="next"' } }),
    json({ items: machines(1, 2) }, { headers: { link: '</first>; rel="first"' } }),
  ]);
  expect(await service.deployments(never())).toHaveLength(3);
  expect(requests.map(({ url }) => url)).toEqual([
    "https://gpu.example.com/api/v1/deployments?all=true",
    "https://gpu.example.com/api/v1/deployments?p=2",
    "https://gpu.example.com/x?p=3",
  ]);
});

test("an empty list is a list, if it is one", async () => {
  expect(await listOf({ kind: "none" }, [json({ items: [] })]).service.deployments(never())).toEqual([]);
  expect(await listOf({ kind: "none" }, [json([])], "").service.deployments(never())).toEqual([]);
});

const COUNTED = { ...PAGE, total: "/total" };

test("null beside a total of 0 is an empty list, and says that it is one of null", async () => {
  const { service } = listOf(COUNTED, [json({ items: null, total: 0 })]);
  expect(await service.deployments(never())).toBeNull();
  expect(await service.deployments(never())).toBeNull();
  const turned = listOf(COUNTED, [json({ items: [], total: 0 }), json({ items: null, total: 0 })]);
  expect(await turned.service.deployments(never())).toEqual([]);
  expect(await turned.service.deployments(never())).toBeNull();
});

test.each([
  [COUNTED, { items: null, total: 1 }],
  [COUNTED, { items: null }],
  [{ kind: "none" } as const, { items: null, total: 0 }],
])("null elsewhere is no list, and what would make it one is named: %j %j", async (pagination, body) => {
  const { service } = listOf(pagination, [json(body)]);
  const { message } = await failureOf(() => service.deployments(never()));
  expect(message).toContain(
    'has null at /items. That is an empty list only beside a total of 0: map "total"',
  );
});

const A = { id: "a", status: "running", gpus: 8, marker: "m1" };

/** What the second page says of what the first one said, in this order. */
async function listedTwice(one: object, other: object) {
  const profile = {
    deployments: {
      list: { items: "/items", pagination: PAGE },
      fields: { gpus: "/gpus", marker: "/marker" },
    },
    launch: { ...LAUNCH, body: { ...LAUNCH.body, marker: "{marker}" } },
  };
  const replies = [[one, { id: "b", status: "running" }], [other, { id: "c", status: "running" }], []];
  const { service } = serviceOf(
    profile,
    replies.map((items) => json({ items })),
  );
  const [first, ...others] = (await service.deployments(never())) ?? [];
  expect(others.map(({ id }) => id)).toEqual(["b", "c"]);
  return first;
}

test("a thing listed twice is kept once, if both records say the same", async () => {
  expect(await listedTwice(A, { ...A, uptime: 7 })).toEqual(A);
});

test.each<[string, object]>([
  ["status", { status: "failed" }],
  ["gpus", { gpus: 4 }],
  ["marker", { marker: "m2" }],
  ["failureCode", { failure_code: "UNKNOWN" }],
  ["marker, gpus", { gpus: null, marker: "m2" }],
])(
  "two records of one thing that differ say only that it is there, in either order: %s",
  async (what, more) => {
    const said = {
      id: "a",
      contradicts: true,
      unread: expect.stringContaining(`differ in ${what}`),
    };
    expect(await listedTwice(A, { ...A, ...more })).toMatchObject(said);
    expect(await listedTwice({ ...A, ...more }, A)).toMatchObject(said);
    expect(await listedTwice({ ...A, status: {} }, A)).toMatchObject({ id: "a", contradicts: true });
    expect(await listedTwice(A, { ...A, status: {} })).toMatchObject({ id: "a", contradicts: true });
  },
);

const NEXT = { headers: { link: '</more>; rel="next"' } };

test.each<[string, object, Parameters<typeof serviceOf>[1], string]>([
  [
    "no array at the pointer",
    { kind: "none" },
    [json({ data: [], meta: {} })],
    "has no array at /items. Arrays stand at: /data.",
  ],
  [
    "the answer itself is the array",
    { kind: "none" },
    [json([])],
    'Arrays stand at: "" (the answer itself).',
  ],
  [
    "an object where the array should be",
    { kind: "none" },
    [json({ items: {} })],
    "Arrays stand at: nowhere at its top level.",
  ],
  ["none, but there is a next page", { kind: "none" }, [json({ items: [] }, NEXT)], "Use kind: link"],
  ...[
    { next_token: "x" },
    { next_page_token: 7 },
    { links: { pages: { next: "https://gpu.example.com/?page=2" } } },
    { meta: { links: { next: "bmV4dA" } } },
    { total_count: 2 },
  ].map((sign): [string, object, Partial<HttpResponse>[], string] => [
    `none, but the answer has ${JSON.stringify(sign)}`,
    { kind: "none" },
    [json({ items: machines(1), ...sign })],
    'Say in "pagination" how the list goes on.',
  ]),
  [
    "the last page by the profile links to another",
    { ...PAGE, total: "/n" },
    [json({ items: machines(1), n: 1 }, NEXT)],
    "it links to a next page",
  ],
  [
    "fewer items than the total",
    { ...PAGE, total: "/n" },
    [json({ items: machines(2), n: 3 }), json({ items: [], n: 3 })],
    "3 are there by the answer's total, but only 2 arrived",
  ],
  [
    "duplicates do not make up for what is missing",
    { ...PAGE, total: "/n" },
    [json({ items: machines(2), n: 3 }), json({ items: machines(1, 1), n: 3 }), json({ items: [], n: 3 })],
    "but only 2 arrived",
  ],
  [
    "a total that is not there",
    { ...PAGE, total: "/n" },
    [json({ items: machines(2) })],
    "there is no total at /n",
  ],
  [
    "a total smaller than a page",
    { ...PAGE, total: "/n" },
    [json({ items: machines(2), n: 1 })],
    "the total at /n is 1, but one page alone holds 2",
  ],
  [
    "a service that ignores the page",
    PAGE,
    [json({ items: machines(2) })],
    "page 2 holds the same deployments as an earlier page, as if the service did not know the parameter of the page",
  ],
  [
    "the same in another order",
    PAGE,
    [json({ items: machines(2) }), json({ items: machines(2).reverse() })],
    "page 2 holds the same",
  ],
  ["a service that ignores the offset", OFFSET, [json({ items: machines(2) })], "page 2 holds the same"],
  [
    "a cursor that repeats",
    CURSOR,
    [json({ items: machines(1), next: "a" }), json({ items: machines(1, 1), next: "a" })],
    "points back to a page that was already read",
  ],
  ["a cursor that is no cursor", CURSOR, [json({ items: machines(1), next: { at: 1 } })], "is no cursor"],
  [
    "a Link that repeats",
    { kind: "link" },
    [json({ items: machines(1) }, { headers: { link: '<?all=true>; rel="next"' } })],
    "points back",
  ],
  [
    "a Link to another origin",
    { kind: "link" },
    [json({ items: machines(1) }, { headers: { link: '<https://evil.example.com/>; rel="next"' } })],
    "links to https://evil.example.com/, which is not at the service's own address",
  ],
  [
    "a Link to another scheme",
    { kind: "link" },
    [json({ items: machines(1) }, { headers: { link: '<http://gpu.example.com/>; rel="next"' } })],
    "not at the service's own address",
  ],
])("LIST_INCOMPLETE: %s", async (_what, pagination, replies, message) => {
  const { service, requests } = listOf(pagination, replies);
  const error = await failureOf(() => service.deployments(never()));
  expect(error.code).toBe("LIST_INCOMPLETE");
  expect(error.message).toContain("The list of deployments cannot be known to be whole: ");
  expect(error.message).toContain(message);
  for (const { url } of requests) expect(new URL(url).origin).toBe("https://gpu.example.com");
});

test("LIST_INCOMPLETE: a list without an end", async () => {
  let page = 0;
  const { service, requests } = listOf(PAGE, () => json({ items: machines(1, page++) }));
  expect((await failureOf(() => service.deployments(never()))).message).toContain(
    "it goes on after 10000 pages",
  );
  expect(requests).toHaveLength(10_000);
});

test("a page that fails fails the list", async () => {
  const { service } = listOf(PAGE, [json({ items: machines(2) }), { status: 404 }]);
  expect((await failureOf(() => service.deployments(never()))).code).toBe("REFUSED");
});

test("pages that are too much together are no list, and the limit is named", async () => {
  const part = MOST_LIST_BYTES / 8;
  const { service, requests } = listOf(PAGE, ({ url }) => {
    const { page } = query({ url } as HttpRequest);
    return json({ items: [{ id: `d${page}`, status: "running", ballast: "x".repeat(part) }] });
  });
  const error = await failureOf(() => service.deployments(never()));
  expect(error).toMatchObject({ code: "LIST_INCOMPLETE" });
  expect(error.message).toContain(`at most ${MOST_LIST_BYTES} are read`);
  expect(requests).toHaveLength(8);
});

test("more records than one list may have are no list, and the limit and the remedy are named", async () => {
  let page = 0;
  const { service, requests } = listOf(PAGE, () =>
    json({ items: machines(MOST_PAGE_RECORDS, MOST_PAGE_RECORDS * page++) }),
  );
  const { message } = await failureOf(() => service.deployments(never()));
  expect(message).toContain(`more than ${MOST_RECORDS} records`);
  expect(message).toContain('with "query" in this list of the profile');
  expect(requests).toHaveLength(MOST_RECORDS / MOST_PAGE_RECORDS + 1);
});

test("more records than one page may have are no list, and none of them is read", async () => {
  const { service } = listOf({ kind: "none" }, [json({ items: Array(MOST_PAGE_RECORDS + 1).fill(0) })]);
  expect((await failureOf(() => service.deployments(never()))).message).toContain(
    `page 1 has ${MOST_PAGE_RECORDS + 1} records, and at most ${MOST_PAGE_RECORDS} are read of one`,
  );
});

test("a list that goes on for too long is none, and the limit is named", async () => {
  const listing = listOf(PAGE, ({ url }) => {
    const { page } = query({ url } as HttpRequest);
    void listing.clock.sleep(LONGEST_LIST_MS / 4, never());
    return json({ items: machines(1, Number(page)) });
  });
  const error = await failureOf(() => listing.service.deployments(never()));
  expect(error.message).toContain("page 5 came 10 minutes after it was begun, and it goes on");
});

test("a cursor that no address can carry is none, and the limit is named", async () => {
  const { service, requests } = listOf(CURSOR, [
    json({ items: machines(1), next: "c".repeat(LONGEST_CURSOR + 1) }),
  ]);
  expect((await failureOf(() => service.deployments(never()))).message).toContain(
    `at most ${LONGEST_CURSOR} are sent`,
  );
  expect(requests).toHaveLength(1);
});

test("a page of records that nobody can read is known again when it is repeated", async () => {
  const { service } = listOf(PAGE, [json({ items: [{}, {}] })]);
  expect((await failureOf(() => service.deployments(never()))).message).toContain(
    "page 2 holds the same deployments",
  );
});

test("records that nobody can read count towards the total", async () => {
  const { service } = listOf({ ...PAGE, total: "/total" }, [json({ items: [{}, {}], total: 2 })]);
  expect(await service.deployments(never())).toHaveLength(2);
});

test.each([
  { next_token: null, next_page_token: "", links: {}, meta: { links: { next: "" } }, total_count: 2 },
  { total_count: 1 },
  { next: "x", total: 9 },
])("one answer holds everything where nothing says that more follows: %j", async (said) => {
  const { service } = listOf({ kind: "none" }, [json({ items: machines(2), ...said })]);
  expect(await service.deployments(never())).toHaveLength(2);
});

test("a total beside records below others says nothing, since nobody knows what it counts", async () => {
  const types = [{ zones: [{ z: 1 }] }];
  const fields = { id: { value: "a" }, provider: { value: "p" }, location: "/z", gpus: { value: 1 } };
  const offers = { list: { items: "/types/*/zones/*", pagination: { kind: "none" } }, fields };
  const { service } = serviceOf({ profile: 2, offers }, [json({ types, total_count: 4 })]);
  expect(await service.offers(never())).toHaveLength(1);
});
