import { expect, test } from "vitest";
import { isUnread } from "../../service/contract/unread.ts";
import { failureOf, json, never, ORDER, profileOf, serviceOf } from "./support.ts";

/* What a launch sends of an offer beside its combination: the offer's own, as it stands there, or nothing is sent. */

const LIST = { items: "/list", pagination: { kind: "none" } };
const FIELDS = { id: "/id", provider: { value: "acme" }, location: "/zone", gpus: { value: 1 } };
const EXTRA = { cloud: "/cloudId", spot: "/spot", disk: "/disk" };
const PARTS = {
  profile: 2,
  calls: { launch: { method: "POST", path: "/clouds/{offer.cloud}/pods" } },
  launch: {
    body: {
      offer: "{offer}",
      cloud: "{offer.cloud}",
      spot: "{offer.spot}",
      text: "x{offer.cloud}",
      disk: { number: "{offer.disk}" },
    },
    id: "/id",
  },
  offers: { list: LIST, fields: { ...FIELDS, extra: EXTRA } },
};
const offered = (records: readonly object[] | string) =>
  serviceOf(PARTS, [
    typeof records === "string" ? { body: records } : json({ list: records }),
    json({ id: "m" }, { status: 201 }),
  ]);

test("an extra is the offer's value with its type, in path and body, a number to its last digit", async () => {
  const { service, requests } = offered(
    '{"list":[{"id":"a","zone":"x","cloudId":7,"spot":true,"disk":90071992547409931234.50}]}',
  );
  const [offer] = await service.offers(never());
  expect(offer).toMatchObject({ extra: { cloud: 7, spot: true, disk: "90071992547409931234.50" } });
  if (offer === undefined || isUnread(offer)) throw new Error("unread");
  await service.launch({ ...ORDER, ...offer }, never());
  expect(requests[1]?.url).toBe("https://gpu.example.com/clouds/7/pods");
  expect(requests[1]?.body).toBe(
    '{"offer":"a","cloud":7,"spot":true,"text":"x7","disk":90071992547409931234.50}',
  );
  expect(service.abilities.extra).toEqual(["cloud", "spot", "disk"]);
});

test.each([
  ["is missing", {}, "extra.cloud (/cloudId) should be a text, a number or a boolean, but is missing"],
  ["is nothing", { cloudId: null }, "extra.cloud (/cloudId) should be a text, a number or a boolean"],
  ["is a mapping", { cloudId: { a: 1 } }, "extra.cloud (/cloudId) should be a text, a number or a boolean"],
])("an offer whose extra %s cannot be read, and says why", async (_what, more, says) => {
  const good = { id: "a", zone: "x", cloudId: "c", spot: false, disk: 1 };
  const { service } = offered([good, { id: "b", zone: "x", spot: false, disk: 1, ...more }]);
  const [, other] = await service.offers(never());
  expect(other).toMatchObject({ unread: expect.stringContaining(says) });
});

test("two offers of one combination whose extras differ are none: the field is named", async () => {
  const one = { id: "a", zone: "x", cloudId: "c", spot: false, disk: 1 };
  const { service } = offered([one, { ...one, cloudId: "d" }, { ...one, id: "b" }, { ...one, id: "b" }]);
  expect(await service.offers(never())).toMatchObject([
    { unread: expect.stringContaining("differ in extra.cloud (c, and d), so a launch may get either") },
    { offer: "b" },
  ]);
});

test("a launch without the extra of its offer is not sent", async () => {
  const { service, requests } = offered([]);
  const { number: _, ...extra } = { number: 1, cloud: "c", spot: true };
  const answer = await service.launch({ ...ORDER, extra }, never());
  expect(answer).toMatchObject({ kind: "notSent", reason: expect.stringContaining("{offer.disk}") });
  expect(requests).toEqual([]);
});

test("an extra two levels above its offer", async () => {
  const fields = { ...FIELDS, id: "2#", extra: { key: "2/key" } };
  const offers = { list: { ...LIST, items: "/types/*/zones/*" }, fields };
  const types = { big: { key: "k", zones: [{ zone: "x" }] } };
  const { service } = serviceOf({ profile: 2, offers }, [json({ types })]);
  expect(await service.offers(never())).toMatchObject([{ offer: "big", extra: { key: "k" } }]);
  // Nothing sends it, so no launch needs it.
  expect(service.abilities.extra).toBeUndefined();
});

test.each<[string, Record<string, unknown>, string]>([
  ["a profile 1", { profile: 1, offers: PARTS.offers }, "offers.fields.extra: is of a profile 2"],
  [
    "one that no offer has",
    { ...PARTS, offers: { list: LIST, fields: FIELDS } },
    "launch.body.cloud: the placeholder {offer.cloud} does not exist: say where an offer has it, as cloud under offers.fields.extra",
  ],
])("a mistake is named: extras of %s", async (_what, parts, says) => {
  expect((await failureOf(() => profileOf(parts))).message).toContain(says);
});

test("where GPUs are sold in any number, a launch sends the type and the number of its offer", async () => {
  const { service, requests } = serviceOf(
    {
      profile: 2,
      launch: { body: { gpu: { id: "{offer.gpu}", count: "{offer.count}" } }, id: "/id" },
      offers: {
        list: LIST,
        counts: [1, 4],
        fields: {
          ...FIELDS,
          id: { text: "{/id} x{count}" },
          gpus: { count: true },
          extra: { gpu: "/id", count: { count: true } },
        },
      },
    },
    [json({ list: [{ id: "a", zone: "x" }] }), json({ id: "m" }, { status: 201 })],
  );
  const [, four] = await service.offers(never());
  if (four === undefined || isUnread(four)) throw new Error("unread");
  await service.launch({ ...ORDER, ...four }, never());
  expect([four.offer, requests[1]?.body]).toEqual(["a x4", '{"gpu":{"id":"a","count":4}}']);
});
