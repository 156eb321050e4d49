import { expect, test } from "vitest";
import type { Service } from "../../service/contract/service.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../service/profile/requirement.ts";
import { failureOf, json, never, ORDER, profileOf, serviceOf } from "./support.ts";

const EVERYTHING_ELSE = { deployments: { fields: { offer: "/o" } } };

test.each<[string, string, (service: Service) => Promise<unknown>]>([
  ["deployments.list", "list the deployments", (service) => service.deployments(never())],
  ["deployments.get", "read one deployment", (service) => service.deployment("d", never())],
  ["offers", "list the offers", (service) => service.offers(never())],
  ["stop", "stop a deployment", (service) => service.stop({ id: "d" }, never())],
])("without %s nothing is sent, and the error says what to add", async (part, operation, call) => {
  const { service, requests } = serviceOf(EVERYTHING_ELSE, []);
  const error = await failureOf(() => call(service));
  expect(error.code).toBe("PROFILE_PART_MISSING");
  expect(error.message).toContain(`To ${operation}, the profile needs the part "${part}"`);
  expect(error.message).toContain("test.profile.yaml");
  expect(requests).toHaveLength(0);
});

test("without launch the outcome says that nothing was sent, and what to add", async () => {
  const { service, requests } = serviceOf(EVERYTHING_ELSE, []);
  const answer = await service.launch(ORDER, never());
  expect(answer).toMatchObject({
    kind: "notSent",
    reason: expect.stringContaining('the profile needs the part "launch"'),
  });
  expect(requests).toHaveLength(0);
});

test("what does not need the part goes on working", async () => {
  const { service } = serviceOf(EVERYTHING_ELSE, [json({ balance: "1.0000", currency: "USD" })]);
  await failureOf(() => service.stop({ id: "d" }, never()));
  expect(await service.balance(never())).toEqual({ balance: "1.0000", currency: "USD" });
});

test("the lines stand below a part that is there already, with its place", async () => {
  const loaded = readProfile("profile: 1\nname: a\n\ndeployments:\n  fields: {offer: /o}\n", "acme.yaml");
  expect((await failureOf(() => requirePart(loaded, REQUIREMENTS.get))).message).toBe(
    `To read one deployment, the profile needs the part "deployments.get", which it does not have: the specification does not show it, so only you can say it. acme.yaml:4:1: add under "deployments:", with your values in place of <...>:
  get:
    item: <JSON Pointer to the deployment, "" if the answer is the deployment>`,
  );
});

test.each(Object.entries(REQUIREMENTS))(
  "the lines for %s, pasted as they are, are YAML that asks to be filled in",
  async (_name, requirement) => {
    const loaded = profileOf({});
    const missing = await failureOf(() => requirePart<unknown>(loaded, requirement));
    const lines = missing.message.split("\n").slice(1).join("\n");
    const error = await failureOf(() => readProfile(`profile: 1\nname: a\n${lines}\n`, "acme.yaml"));
    for (const line of error.message.split("\n")) expect(line).toMatch(/is still to be filled in/);
    expect(error.message.match(/filled in/g)?.length).toBe(lines.match(/<[^<>]+>/g)?.length);
  },
);
