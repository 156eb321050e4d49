import { expect, test } from "vitest";
import type { HttpRequest } from "../../service/contract/transport.ts";
import { oneOf, seeded } from "./seeded.ts";
import { failureOf, json, never, serviceOf } from "./support.ts";

/* A list is read faster where it says what it said. It is never read otherwise. */

interface Machine {
  readonly id?: string;
  readonly status: string;
  readonly price: string | number;
  /** Nobody reads it. */
  readonly uptime?: number;
}

const SIZE = 4;
const PAGE = { kind: "page", pageParameter: "page", first: 0, size: SIZE, total: "/total" };
const PARTS = {
  deployments: { list: { items: "/items", pagination: PAGE }, fields: { pricePerHour: "/price" } },
};

function pageOf(all: readonly Machine[], { url }: HttpRequest) {
  const page = Number(new URL(url).searchParams.get("page"));
  return json({ items: all.slice(page * SIZE, (page + 1) * SIZE), total: new Set(all).size });
}

/** The list of a while later: a few are new, changed, gone, or stand elsewhere. */
function later(all: readonly Machine[], random: () => number, fresh: () => Machine): readonly Machine[] {
  const next = [...all];
  const at = (): number => Math.floor(random() * next.length);
  for (let changes = Math.floor(random() * 4); changes > 0; changes--) {
    const kind = Math.floor(random() * 7);
    if (kind === 6) next.splice(0, next.length, ...next.map((each) => ({ ...each, uptime: random() })));
    if (kind === 0) next.unshift(fresh());
    if (kind === 1) next.push(fresh());
    if (kind === 2) next.splice(at(), 1);
    if (kind === 3 && next.length > 0)
      next.splice(at(), 1, { ...(next[at()] as Machine), id: `x${random()}` });
    if (kind === 4 && next.length > 0) next.splice(at(), 0, ...next.splice(at(), 1));
    if (kind === 5 && next.length > 0) {
      const changed = at();
      const machine = next[changed] as Machine;
      const price = oneOf(random, ["3.00", 2.5, "cheap", 1]);
      if (machine.id !== undefined) next[changed] = { ...machine, price };
    }
  }
  return next;
}

test.each([1, 2, 3, 4, 5])(
  "a list that is read again and again is what it would be at first: %d",
  async (seed) => {
    const random = seeded(seed);
    let made = 0;
    const fresh = (): Machine => {
      made += 1;
      // One in ten cannot be read.
      if (random() < 0.1) return { status: "running", price: `${made}` };
      return { id: `m${made}`, status: "running", price: random() < 0.2 ? 2.5 : "2.4900" };
    };
    let all: readonly Machine[] = Array.from({ length: 10 }, fresh);
    const again = serviceOf(PARTS, (request) => pageOf(all, request)).service;
    let before: readonly object[] = [];
    for (let round = 0; round < 60; round++) {
      const first = await serviceOf(PARTS, (request) => pageOf(all, request)).service.deployments(never());
      const list = (await again.deployments(never())) ?? [];
      expect(list).toStrictEqual(first);
      // An equal machine is the very same one, wherever it stands now.
      const strings = new Map(before.map((each) => [JSON.stringify(each), each]));
      for (const each of list)
        if (!("unread" in each) && each.flaw === undefined)
          expect(strings.get(JSON.stringify(each)) ?? each).toBe(each);
      before = list;
      all = later(all, random, fresh);
    }
  },
);

test("a list that says what it said is the very same list", async () => {
  let all: readonly Machine[] = Array.from({ length: 9 }, (_, at) => ({
    id: `${at}`,
    status: "a",
    price: "1",
  }));
  const { service, requests } = serviceOf(PARTS, (request) => pageOf(all, request));
  const list = (await service.deployments(never())) ?? [];
  expect(await service.deployments(never())).toBe(list);
  expect(requests).toHaveLength(6);
  all = all.slice(0, 8);
  expect(await service.deployments(never())).toEqual(list.slice(0, 8));
  all = [...all, { id: "8", status: "a", price: "1" }];
  expect(await service.deployments(never())).toEqual(list);
});

test("records that differ in what nobody reads are the very same list, page by page", async () => {
  let uptime = 0;
  let total = 9;
  const all: readonly Machine[] = Array.from({ length: 9 }, (_, at) => ({
    id: `${at}`,
    status: "a",
    price: "1",
  }));
  const { service, requests } = serviceOf(PARTS, ({ url }) => {
    const page = Number(new URL(url).searchParams.get("page"));
    const items = all.slice(page * SIZE, (page + 1) * SIZE).map((each) => ({ ...each, uptime }));
    return json({ items, total });
  });
  const list = (await service.deployments(never())) ?? [];
  for (uptime = 1; uptime < 4; uptime++) expect(await service.deployments(never())).toBe(list);
  expect(requests).toHaveLength(12);
  // Nothing changed but the total: the list says that there is one record more.
  total = 10;
  expect(await failureOf(() => service.deployments(never()))).toMatchObject({ code: "LIST_INCOMPLETE" });
});

test("a record that was added at the end of the only page is in the list", async () => {
  let all: readonly Machine[] = [{ id: "0", status: "a", price: "1" }];
  const list = { items: "/items", pagination: { kind: "none" } };
  const { service } = serviceOf({ deployments: { list } }, () => json({ items: all }));
  expect(await service.deployments(never())).toHaveLength(1);
  all = [...all, { id: "1", status: "a", price: "1" }];
  expect(await service.deployments(never())).toHaveLength(2);
});

test("two lists that are read at the same time mix nothing", async () => {
  let all: readonly Machine[] = Array.from({ length: 9 }, (_, at) => ({
    id: `${at}`,
    status: "a",
    price: "1",
  }));
  const { service } = serviceOf(PARTS, (request) => pageOf(all, request));
  const first = (await service.deployments(never())) ?? [];
  const other = service.deployments(never());
  await Promise.resolve();
  all = all.map((machine) => ({ ...machine, status: "b" }));
  const both = [await service.deployments(never()), await other];
  for (const [at, { id }] of first.entries()) for (const list of both) expect(list?.[at]?.id).toBe(id);
  expect(await service.deployments(never())).toMatchObject(all.map(({ id }) => ({ id, status: "b" })));
});

test("after a list that failed halfway the next one is whole", async () => {
  let all: readonly Machine[] = Array.from({ length: 9 }, (_, at) => ({
    id: `${at}`,
    status: "a",
    price: "1",
  }));
  let isBroken = false;
  const { service } = serviceOf(PARTS, (request) =>
    isBroken && request.url.endsWith("page=1") ? { status: 404 } : pageOf(all, request),
  );
  const before = (await service.deployments(never())) ?? [];
  isBroken = true;
  all = all.map((machine, at) => (at === 0 ? { ...machine, status: "b" } : machine));
  await failureOf(() => service.deployments(never()));
  isBroken = false;
  const after = (await service.deployments(never())) ?? [];
  expect(after[0]).toMatchObject({ id: "0", status: "b" });
  expect(after.slice(1)).toEqual(before.slice(1));
});
