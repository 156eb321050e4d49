import { expect, test } from "vitest";
import { createService } from "../../service/client.ts";
import { isUnread } from "../../service/contract/unread.ts";
import { type LoadedProfile, readProfile } from "../../service/profile/profile-file.ts";
import { createSimulator, SIMULATOR_URL, VirtualClock } from "../../simulator/index.ts";

/* A service with tokens that end, a project in its paths, and offers with more than a combination. */

const PROFILE = `
profile: 2
name: projects
auth:
  header: Authorization
  value: "Bearer {token}"
  token:
    path: /oauth/token
    as: form
    body: { grant_type: client_credentials, client_id: "{settings.client}", client_secret: "{secret}" }
    value: /access_token
    expires: /expires_in
calls:
  list: { path: "/projects/{settings.project}/machines" }
  get: { path: "/projects/{settings.project}/machines/{id}" }
  launch: { method: POST, path: "/projects/{settings.project}/clouds/{offer.cloud}/machines" }
  stop: { method: DELETE, path: "/projects/{settings.project}/machines/{id}" }
launch:
  body: { offer: "{offer}", provider: "{provider}", location: "{location}", label: "{marker}", key: "{offer.key}" }
  id: /id
deployments:
  list: { items: /machines, pagination: { kind: none } }
  get: { item: "" }
  fields: { offer: /offer, provider: /provider, location: /location, marker: /label }
  states: { terminal: [over] }
offers:
  list: { items: /offers, pagination: { kind: none } }
  fields: { id: /id, provider: /provider, location: /location, gpus: /gpus, extra: { cloud: /cloudId, key: /more/key } }
errors: { code: /code, message: /message }
`;

function started(more: Partial<Parameters<typeof createService>[0]> = {}, text = PROFILE) {
  const profile: LoadedProfile = readProfile(text, "projects.yaml");
  const clock = new VirtualClock();
  const simulator = createSimulator({ clock, dialect: profile.profile });
  const service = createService({
    baseUrl: SIMULATOR_URL,
    secret: simulator.apiKey,
    profile,
    settings: { project: "red", client: "me" },
    transport: simulator.transport,
    clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
    ...more,
  });
  const never = new AbortController().signal;
  return { clock, simulator, service, never };
}

test("the credential in the query, and none of another key", async () => {
  const inQuery = PROFILE.replace(
    /auth:[\s\S]*?\ncalls:/,
    'auth: { query: ticket, value: "{secret}" }\ncalls:',
  );
  const { clock, service, simulator, never } = started({}, inQuery);
  expect(await clock.run(service.offers(never))).not.toEqual([]);
  expect(await clock.run(service.deployments(never))).toEqual([]);
  const { transport } = simulator;
  const other = started({ transport, secret: "another" }, inQuery);
  await expect(other.clock.run(other.service.deployments(never))).rejects.toThrow("refused the credential");
});

test("a machine's whole life, across tokens that end", async () => {
  const { clock, simulator, service, never } = started();
  const [offer] = await clock.run(service.offers(never));
  if (offer === undefined || isUnread(offer)) throw new Error("unread");
  const order = { ...offer, marker: "m-1", parameters: {} };
  const wrong = { ...order, extra: { ...offer.extra, key: "another" } };
  expect(await clock.run(service.launch(wrong, never))).toMatchObject({
    message: "The offer has another key.",
  });
  const answer = await clock.run(service.launch(order, never));
  if (answer.kind !== "accepted") throw new Error(JSON.stringify(answer));
  for (let hours = 0; hours < 3; hours++) {
    await clock.advance(3_600_000);
    expect(await clock.run(service.deployments(never))).toMatchObject([{ id: answer.id, status: "running" }]);
  }
  expect(await clock.run(service.stop({ id: answer.id }, never))).toMatchObject({ kind: "accepted" });
  await clock.advance(3_600_000);
  expect(await clock.run(service.deployment(answer.id, never))).toMatchObject({ status: "over" });
  expect(simulator.truth().machines).toHaveLength(1);
});

test("a wrong secret gives no token, and a token is no key", async () => {
  const { clock, service, never } = started({ secret: "another" });
  await expect(clock.run(service.account(never))).rejects.toThrow(/^There is no token: .*401 invalid_client/);
});

test("a token that ends before the client thinks so is renewed by a 401", async () => {
  const { clock, simulator, never } = started();
  const text = PROFILE.replace("expires: /expires_in", "expires: { value: 86400 }");
  const { service } = started({
    transport: simulator.transport,
    profile: readProfile(text, "projects.yaml"),
  });
  await clock.run(service.deployments(never));
  await clock.advance(3_600_000);
  expect(await clock.run(service.deployments(never))).toEqual([]);
});
