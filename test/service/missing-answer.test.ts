import { expect, test } from "vitest";
import { impossibleId } from "../../service/no-such-deployment.ts";
import { failureOf, json, never, serviceOf } from "./support.ts";

/*
 * What a profile 2 says to mean "no such deployment" (deployments.get.missing). It is believed only if an id that cannot
 * exist is answered so, too, and one that lists show is not.
 */

const ERRORS = { code: "/error/code" };
const NO_SUCH = json({ error: { code: "no_such" } }, { status: 400 });
const shown = (id: string) => json({ machine: { id, status: "running" } });

/** A service that shows `living`, and answers any other id as given. */
function serviceWith(missing: unknown, denial: unknown, living: readonly string[] = ["vm-2"]) {
  const deployments = { get: { item: "/machine", ...(missing === undefined ? {} : { missing }) } };
  return serviceOf({ profile: 2, errors: ERRORS, deployments }, ({ url }) => {
    const id = url.split("/").at(-1) as string;
    return living.includes(id)
      ? shown(id)
      : typeof denial === "function"
        ? denial(id)
        : (denial as ReturnType<typeof json>);
  });
}

const beside = (living: string | undefined) => () => Promise.resolve(living);
const asked = (requests: readonly { readonly url: string }[]) =>
  requests.map(({ url }) => url.split("/").at(-1));

const BY_CODE = { statuses: [400], codes: ["no_such"] };

test.each([
  ["a status and a code", BY_CODE, NO_SUCH],
  ["a code alone", { codes: ["no_such"] }, NO_SUCH],
  ["null", { empty: true }, json({ machine: null })],
  ["nothing at its place", { empty: true }, json({})],
  ["an empty record", { empty: true }, json({ machine: {} })],
])(
  "%s is no machine, once an impossible id is answered so and a living one is not",
  async (_, missing, denial) => {
    const { service, requests } = serviceWith(missing, denial);
    expect(await service.deployment("vm-1", never(), beside("vm-2"))).toBeUndefined();
    expect(asked(requests)).toEqual(["vm-1", "vm-0", "vm-2"]);
  },
);

test("a machine that is shown is asked for alone", async () => {
  const { service, requests } = serviceWith(BY_CODE, NO_SUCH);
  expect(await service.deployment("vm-2", never(), beside("vm-3"))).toMatchObject({ id: "vm-2" });
  expect(requests).toHaveLength(1);
});

test("without a living one, an impossible id has to do", async () => {
  const { service, requests } = serviceWith(BY_CODE, NO_SUCH);
  expect(await service.deployment("vm-1", never(), beside(undefined))).toBeUndefined();
  expect(asked(requests)).toEqual(["vm-1", "vm-0"]);
});

test("what is said of a living one, too, says nothing", async () => {
  const { service } = serviceWith(BY_CODE, NO_SUCH, []);
  const { message } = await failureOf(() => service.deployment("vm-1", never(), beside("vm-2")));
  expect(message).toMatch(/vm-1 is answered as deployments\.get\.missing.*so is vm-2, which lists show/);
});

test("what is not said of an id that cannot exist says nothing of absence", async () => {
  const { service } = serviceWith(BY_CODE, (id: string) =>
    id === "vm-1" ? NO_SUCH : json({}, { status: 404 }),
  );
  const { message } = await failureOf(() => service.deployment("vm-1", never(), beside("vm-2")));
  expect(message).toMatch(/vm-0, which cannot exist, is answered otherwise: GET .* answered 404/);
});

test("nothing is proven while the living one cannot be asked for", async () => {
  const { service } = serviceOf(
    { profile: 2, errors: ERRORS, deployments: { get: { item: "/machine", missing: BY_CODE } } },
    ({ url }) => (url.endsWith("vm-2") ? json({}, { status: 503 }) : NO_SUCH),
  );
  const error = await failureOf(() => service.deployment("vm-1", never(), beside("vm-2")));
  expect(error).toMatchObject({ code: "REFUSED", status: 503 });
});

test.each([
  ["another code", json({ error: { code: "bad_key" } }, { status: 400 })],
  ["another status", json({ error: { code: "no_such" } }, { status: 422 })],
  // As a service was seen to answer a revoked key: a 404 is believed only where the profile says so.
  ["a 404 that it does not name", json({ error: { code: "auth_error" } }, { status: 404 })],
  ["an empty answer that it does not name", json({ machine: null })],
])("%s is no such word", async (_, denial) => {
  const { service } = serviceWith(BY_CODE, denial);
  await failureOf(() => service.deployment("vm-1", never(), beside("vm-2")));
});

test("without the statement it is a 404, which needs no proof", async () => {
  const { service, requests } = serviceWith(undefined, json({}, { status: 404 }), []);
  expect(await service.deployment("vm-1", never(), beside("vm-2"))).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test("the answer of a stop is never judged by it", async () => {
  const { service } = serviceOf(
    {
      profile: 2,
      errors: ERRORS,
      calls: { stop: { method: "DELETE", path: "/api/v1/deployments/{id}" } },
      deployments: { get: { item: "/machine", missing: { ...BY_CODE, empty: true } } },
    },
    [NO_SUCH],
  );
  expect(await service.stop({ id: "vm-1" }, never())).toMatchObject({ kind: "failed" });
});

test.each([
  ["4711", "0000"],
  ["vm-4711", "vm-0000"],
  ["dep_aB3", "dep_000"],
  ["1f0c2d3e-aaaa-4bbb-8ccc-0123456789ab", "00000000-0000-0000-0000-000000000000"],
  ["", ""],
])("%s has the form of %s", (id, none) => expect(impossibleId(id)).toBe(none));
