import { expect, test } from "vitest";
import { failureOf, LAUNCH, never, ORDER, profileOf, serviceOf } from "./support.ts";

const LIST = { items: "", pagination: { kind: "none" } };
const ACME = { value: "acme" };

test("an offer of a service with one provider has it from the profile", async () => {
  const fields = {
    id: "/id",
    provider: ACME,
    location: "/at",
    gpus: { value: 8 },
    available: { value: true },
  };
  const body = '[{"id": "a", "at": "oslo"}, {"id": "a", "at": "rome"}]';
  const { service } = serviceOf({ offers: { list: LIST, fields } }, [{ body }]);
  expect(await service.offers(never())).toEqual([
    { offer: "a", provider: "acme", location: "oslo", gpus: 8, available: true },
    { offer: "a", provider: "acme", location: "rome", gpus: 8, available: true },
  ]);
});

test("a deployment has it, too, and it tells nothing apart", async () => {
  const fields = { offer: "/o", provider: ACME, location: "/l" };
  const parts = { launch: LAUNCH, deployments: { list: LIST, fields } };
  const { service } = serviceOf(parts, [{ body: '[{"id": "a", "status": "running", "o": "x", "l": "y"}]' }]);
  expect(await service.deployments(never())).toEqual([
    { id: "a", status: "running", offer: "x", provider: "acme", location: "y" },
  ]);
  expect(service.abilities).toMatchObject({ combination: true, constants: ["provider"] });
});

test("where all is the same for all, nothing is left that tells two launches apart", () => {
  const fields = { offer: ACME, provider: ACME, location: ACME };
  expect(serviceOf({ deployments: { fields } }, []).service.abilities.combination).toBe(false);
});

test("it is sent as what the service shows would be", async () => {
  const { service, requests } = serviceOf({ launch: LAUNCH }, [
    { status: 201, body: '{"deployment":{"id":"d"}}' },
  ]);
  await service.launch({ ...ORDER, provider: "acme" }, never());
  expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ provider: "acme" });
});

test.each([
  [
    "a marker, which only a launch gives",
    { deployments: { fields: { marker: ACME } } },
    "deployments.fields.marker",
  ],
  [
    "the price of a machine",
    { deployments: { fields: { pricePerHour: { value: "2" } } } },
    "deployments.fields.pricePerHour",
  ],
  [
    "no GPUs",
    { deployments: { fields: { gpus: { value: "many" } } } },
    "or { value: 8 } where the service shows no field",
  ],
  [
    "a value of its own and a pointer",
    { deployments: { fields: { offer: { value: "a", pointer: "/b" } } } },
    "deployments.fields.offer",
  ],
])("no value of the profile may stand for %s", async (_what, parts, text) => {
  expect((await failureOf(async () => profileOf(parts))).message).toContain(text);
});
