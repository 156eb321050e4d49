import { expect, test } from "vitest";
import { AUTH, failureOf, json, LAUNCH, never, ORDER, profileOf, serviceOf } from "./support.ts";

/* What a user says beside a profile 2, and what follows where nobody does. */

const LIST = { items: "/list", pagination: { kind: "none" } };
const PROJECT = {
  profile: 2,
  account: { id: "/id" },
  calls: {
    account: { path: "/me" },
    list: { path: "/projects/{settings.project}/machines", query: { zone: "{settings.zone}" } },
    launch: { path: "/projects/{settings.project}/machines", headers: { "x-zone": "{settings.zone}" } },
    stop: { method: "DELETE", path: "/projects/{settings.project}/machines/{id}" },
  },
  launch: {
    ...LAUNCH,
    body: { ...LAUNCH.body, image: "{settings.image}", size: { number: "{settings.size}" } },
  },
  deployments: { list: LIST },
};
const SETTINGS = { project: "red/7", zone: "a b", image: "{offer}", size: "90071992547409931" };

test("settings stand in path, query, headers and body, and nothing in them is read as a placeholder", async () => {
  const { service, requests } = serviceOf(
    PROJECT,
    [json({ list: [] }), json({ deployment: { id: "m" } }), { status: 204 }],
    { settings: SETTINGS },
  );
  await service.deployments(never());
  await service.launch(ORDER, never());
  await service.stop({ id: "m" }, never());
  expect(requests.map(({ url }) => url.replace("https://gpu.example.com", ""))).toEqual([
    "/projects/red%2F7/machines?zone=a+b",
    "/projects/red%2F7/machines",
    "/projects/red%2F7/machines/m",
  ]);
  expect(requests[1]?.headers["x-zone"]).toBe("a b");
  expect(requests[1]?.body).toContain('"image":"{offer}","size":90071992547409931');
});

test("a setting that nobody gives is an error at once: which, where, and what to write", async () => {
  const { zone: _, ...given } = SETTINGS;
  const error = await failureOf(() => serviceOf(PROJECT, [], { settings: given }));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toMatch(
    /^The profile test\.profile\.yaml needs settings that nobody gives: test\.profile\.yaml:1:\d+ uses \{settings\.zone\}\. Given are project, image, size\. Write settings: \{ zone: \.\.\. \} beside "profile" in the fleet file, or fleetkeeper:settings in the stack\.$/,
  );
  expect((await failureOf(() => serviceOf(PROJECT, []))).message).toContain("Given are none.");
});

test.each([".", ".."])("a setting %j in a path leads nowhere else", async (project) => {
  const { service, requests } = serviceOf(PROJECT, [], { settings: { ...SETTINGS, project } });
  expect((await failureOf(() => service.deployments(never()))).message).toContain("cannot stand in the path");
  expect(requests).toEqual([]);
});

test("what the calls reach is the account: another project is another one, another image is not", async () => {
  const account = async (settings: object, parts: object = {}) =>
    (
      await serviceOf({ ...PROJECT, ...parts }, [json({ id: "a-1" })], {
        settings: { ...SETTINGS, ...settings },
      }).service.account(never())
    ).id;
  const id = await account({});
  expect(id).toMatch(/^key:[0-9a-f]{32}$/);
  expect(await account({ image: "other", size: "1" })).toBe(id);
  expect(await account({ project: "blue" })).not.toBe(id);
  const none = { auth: AUTH, account: { none: true } };
  expect(await account({}, none)).not.toBe(id);
  expect(await account({ zone: "b" }, none)).not.toBe(await account({}, none));
});

test("other settings are another meaning of the profile, and none are what it was", () => {
  const hash = (settings: object) => serviceOf(PROJECT, [], { settings: { ...SETTINGS, ...settings } });
  expect(hash({}).service.profileHash).not.toBe(hash({ image: "other" }).service.profileHash);
  expect(hash({}).service.profileHash).toBe(hash({ unused: "x" }).service.profileHash);
  const plain = { launch: LAUNCH };
  expect(serviceOf(plain, []).service.profileHash).toBe(profileOf(plain).hash);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "a setting in a profile 1",
    { profile: 1, launch: { ...LAUNCH, body: { ...LAUNCH.body, a: "{settings.a}" } } },
    "launch.body.a: the placeholder {settings.a} does not exist",
  ],
  [
    "a setting without a name",
    { profile: 2, calls: { list: { path: "/{settings}" } } },
    "calls.list.path: the placeholder {settings} does not exist: known here are {settings.NAME}",
  ],
])("a mistake is named: %s", async (_what, parts, says) => {
  expect((await failureOf(() => profileOf(parts))).message).toContain(says);
});
