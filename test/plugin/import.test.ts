import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/index.ts";
import { createSimulator, dialectProfilePath, type Simulator } from "../../simulator/index.ts";
import { Plugin, struct, wire } from "./plugin.ts";

const H100 = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };
const COMPONENT = "urn:pulumi:dev::project::fleetkeeper:index:Deployment::web";
const SLOT = COMPONENT.replace("::web", "$fleetkeeper:half:Slot::web");
const MACHINE = SLOT.replace("::web", "$fleetkeeper:half:Machine::web");
const FLEET = "urn:pulumi:dev::project::fleetkeeper:index:Fleet::training";

let folder: string;
let simulator: Simulator;
let plugin: Plugin;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plugin-import-"));
  simulator = createSimulator({ apiKey: "key", dialect: "plain", settings: { stoppingSeconds: [900, 900] } });
  const { url } = await simulator.listen();
  plugin = await Plugin.start({ HOME: folder });
  await plugin.configure({
    baseUrl: url,
    profile: dialectProfilePath("plain"),
    ledger: join(folder, "ledger.db"),
    account: "exclusive",
    apiKey: "key",
  });
});
afterAll(async () => {
  await plugin.close();
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What an engine asks for an import: a read without properties. */
const imported = (urn: string, id: string) =>
  plugin.call<InstanceType<typeof wire.ReadResponse>>("read", new wire.ReadRequest().setUrn(urn).setId(id));

const plain = (value: { toJavaScript(): object } | undefined) => value?.toJavaScript();

it("gives both halves the same slot, and claims nothing: an engine asks the same in a preview", async () => {
  const id = simulator.control.launchByHand(H100);
  const [slot, machine] = [await imported(SLOT, id), await imported(MACHINE, id)];
  expect(plain(slot.getInputs())).toEqual({ label: "project/dev/web", ...H100 });
  expect(machine.getId()).toBe(id);
  expect(plain(machine.getInputs())).toMatchObject({ label: "project/dev/web", slot: slot.getId(), ...H100 });
  expect(plain(machine.getProperties())).toMatchObject({ deploymentId: id, claim: "certain" });
  const ledger = openSqliteLedger({ path: join(folder, "ledger.db"), newId: "unused", now: Date.now() });
  const [account] = await ledger.accounts();
  const { deployments, slots } = await ledger.read(account!.key);
  ledger.close();
  expect({ claims: deployments.map(({ claim }) => claim), slots }).toEqual({ claims: [null], slots: [] });
  const other = await imported(SLOT.replace("::web", "::other"), id);
  expect(other.getId()).not.toBe(slot.getId());
});

it("refuses a machine that is not there, has ended, is stopping or is somebody else's", async () => {
  await expect(imported(MACHINE, "nothing")).rejects.toThrow("does not show nothing in this account");
  const lost = simulator.control.launchByHand(H100);
  simulator.control.interrupt(lost, { now: true });
  await expect(imported(MACHINE, lost)).rejects.toThrow(`${lost} has ended`);
  const stopping = simulator.control.launchByHand(H100);
  simulator.control.stopByHand(stopping);
  await expect(imported(SLOT, stopping)).rejects.toThrow(`${stopping} is stopping`);
  const slot = await plugin.call<InstanceType<typeof wire.CreateResponse>>(
    "create",
    new wire.CreateRequest().setUrn(SLOT).setProperties(struct({ label: "project/dev/web", ...H100 })),
  );
  const { ledger } = plain(slot.getProperties()) as { readonly ledger: string };
  const held = simulator.control.launchByHand(H100);
  const given = {
    label: "project/dev/web",
    ...H100,
    slot: slot.getId(),
    ledger,
    resource: "abc",
    adopt: held,
    awaitRunning: false,
  };
  await plugin.call("create", new wire.CreateRequest().setUrn(MACHINE).setProperties(struct(given)));
  await expect(imported(SLOT.replaceAll("web", "other"), held)).rejects.toThrow(
    `${held} belongs to deployment project/dev/web in this ledger`,
  );
  expect(simulator.truth().launches).toEqual([]);
});

it("names the file for a Deployment, and the way for a Fleet", async () => {
  const resources = [
    { type: "fleetkeeper:index:Deployment", name: "web", component: true },
    { type: "fleetkeeper:half:Slot", name: "web-slot", logicalName: "web", id: "abc", parent: "web" },
    {
      type: "fleetkeeper:half:Machine",
      name: "web-machine",
      logicalName: "web",
      id: "abc",
      parent: "web-slot",
    },
  ];
  // Without their parents, nobody knows which Deployment they are of.
  const alone = "urn:pulumi:dev::project::fleetkeeper:half:Machine::web";
  for (const urn of [COMPONENT, alone])
    await expect(imported(urn, "abc")).rejects.toThrow(JSON.stringify({ resources }));
  const halves = [FLEET, FLEET.replace("::training", "$fleetkeeper:half:Fleet::training")];
  for (const urn of halves)
    await expect(imported(urn, "abc")).rejects.toThrow("fleetkeeper adopt ID --fleet NAME");
});

it("lists what nobody has, a page at a time, and nothing else", async () => {
  const free = [1, 2, 3].map(() => simulator.control.launchByHand(H100));
  const all = new wire.ListRequest().setToken("fleetkeeper:index:Deployment");
  const ids = async (request: typeof all) =>
    (await plugin.list(request)).flatMap((each) => each.getResult()?.getId() ?? []);
  const found = await ids(all);
  // The one of the first test, and no other.
  expect(found).toHaveLength(4);
  expect(found).toEqual(expect.arrayContaining(free));
  const first = await plugin.list(new wire.ListRequest().setToken(all.getToken()).setPageSize(3));
  const token = first.at(-1)?.getContinuation()?.getContinuationToken() ?? "";
  const second = new wire.ListRequest().setToken(all.getToken()).setPageSize(3).setContinuationToken(token);
  expect(await ids(second)).toEqual(found.slice(3));
  expect(await plugin.list(new wire.ListRequest().setToken(all.getToken()).setLimit(2))).toHaveLength(2);
  await expect(plugin.list(new wire.ListRequest().setToken("fleetkeeper:index:Fleet"))).rejects.toThrow(
    "fleetkeeper lists no fleetkeeper:index:Fleet",
  );
});
