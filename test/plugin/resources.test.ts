import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { priced } from "../../provider/stack/pair.ts";
import { createSimulator, dialectProfilePath, type Simulator } from "../../simulator/index.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";
import { type Line, Plugin, PluginAttach, startEngine, struct, wire } from "./plugin.ts";

const KEY = "canary-key-5e1f";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const H100 = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };
const A100 = { offer: "a100-80gb-x1", provider: "cirrus", location: "us-east" };
const SLOT = "urn:pulumi:dev::project::fleetkeeper:index:Deployment$fleetkeeper:half:Slot::web";
const MACHINE = SLOT.replace("Slot::", "Slot$fleetkeeper:half:Machine::");
const LABEL = "project/dev/web";

let folder: string;
let simulator: Simulator;
let clock: StoppableClock;
let plugin: Plugin;
let config: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plugin-"));
  clock = new StoppableClock();
  simulator = createSimulator({
    clock,
    apiKey: KEY,
    dialect: "plain",
    settings: {
      initializingSeconds: [0.1, 0.1],
      provisioningSeconds: [0.1, 0.1],
      connectingSeconds: [0.1, 0.1],
      stoppingSeconds: [0.1, 0.1],
    },
  });
  const { url } = await simulator.listen();
  config = {
    baseUrl: url,
    profile: dialectProfilePath("plain"),
    ledger: join(folder, "ledger.db"),
    account: "exclusive",
    apiKey: KEY,
  };
  plugin = await start();
});
afterEach(async () => {
  await plugin.close();
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A profile that maps no price: what the program says counts. */
function unpriced(): string {
  const file = join(folder, "unpriced.yaml");
  writeFileSync(
    file,
    readFileSync(dialectProfilePath("plain"), "utf8").replace(/^ *pricePerHour: .*\n/gm, ""),
  );
  return file;
}

function start(cwd?: string, more: Readonly<Record<string, string>> = {}): Promise<Plugin> {
  const FLEETKEEPER_PROTOCOL = JSON.stringify({ poll: 200, settle: 1_000, postTimeout: 20_000, gone: 500 });
  return Plugin.start({ FLEETKEEPER_PROTOCOL, HOME: folder, ...more }, cwd);
}

type Response = InstanceType<typeof wire.CreateResponse>;
const alive = () => simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
const propsOf = (response: { getProperties(): { toJavaScript(): object } | undefined }): Properties =>
  (response.getProperties()?.toJavaScript() ?? {}) as Properties;

async function create(urn: string, inputs: Properties, preview = false): Promise<Response> {
  return plugin.call(
    "create",
    new wire.CreateRequest().setUrn(urn).setProperties(struct(inputs)).setPreview(preview),
  );
}

async function checked(urn: string, news: Properties, olds: Properties = {}) {
  const response = await plugin.call<InstanceType<typeof wire.CheckResponse>>(
    "check",
    new wire.CheckRequest().setUrn(urn).setNews(struct(news)).setOlds(struct(olds)),
  );
  const failures = response.getFailuresList().map((each) => each.getReason());
  return { failures, inputs: (response.getInputs()?.toJavaScript() ?? {}) as Properties };
}

interface Pair {
  readonly slot: { readonly id: string; readonly outs: Properties };
  readonly machine: { readonly id: string; readonly inputs: Properties; readonly outs: Properties };
}

/** What an engine does for a new deployment. */
async function deploy(wish: Properties = H100): Promise<Pair> {
  const made = await create(SLOT, { label: LABEL, ...wish });
  const slot = { id: made.getId(), outs: propsOf(made) };
  const given = { label: LABEL, ...wish, slot: { id: slot.id, ledger: slot.outs.ledger, resource: "abc" } };
  const { inputs, failures } = await checked(MACHINE, given);
  expect(failures).toEqual([]);
  const machine = await create(MACHINE, inputs);
  return { slot, machine: { id: machine.getId(), inputs, outs: propsOf(machine) } };
}

async function diff(urn: string, id: string, olds: Properties, inputs: Properties, news: Properties) {
  const response = await plugin.call<InstanceType<typeof wire.DiffResponse>>(
    "diff",
    new wire.DiffRequest()
      .setUrn(urn)
      .setId(id)
      .setOlds(struct(olds))
      .setOldInputs(struct(inputs))
      .setNews(struct(news)),
  );
  const detailed: Record<string, number> = {};
  response.getDetaileddiffMap().forEach((each, path) => {
    detailed[path] = each.getKind();
  });
  return {
    changes: response.getChanges() === wire.DiffResponse.DiffChanges.DIFF_SOME,
    replaces: response.getReplacesList(),
    detailed,
  };
}

const { Kind } = wire.PropertyDiff;

it("launches one machine, and says so beside its URN", async () => {
  await plugin.configure(config);
  const { machine } = await deploy();
  expect(alive().map(({ id }) => id)).toEqual([machine.id]);
  expect(machine.outs).toMatchObject({ deploymentId: machine.id, status: "running", claim: "certain" });
  expect(plugin.lines).toContainEqual({ urn: MACHINE, text: `${machine.id} is running` });
});

/** A program in the plugin's folder. */
function program(name: string, ...lines: readonly string[]): readonly string[] {
  writeFileSync(join(folder, name), ["#!/bin/sh", ...lines].join("\n"), { mode: 0o755 });
  return [`./${name}`];
}

it("asks the running machine by a command in the program's folder, which is given no key, until it is ready", async () => {
  await plugin.close();
  plugin = await start(folder, { FLEETKEEPER_API_KEY: KEY });
  await plugin.configure(config);
  const command = program("check.sh", "env > seen", "[ -e asked ] || { : > asked; echo booting; exit 1; }");
  const { machine } = await deploy({ ...H100, ready: { address: "host", command } });
  expect(machine.outs.readyAt).toMatch(/Z$/);
  expect(plugin.lines.map(({ text }) => text)).toContain(
    `${machine.id} runs and is not ready: ./check.sh: it ended with 1: booting`,
  );
  const seen = readFileSync(join(folder, "seen"), "utf8");
  expect(seen).toContain(`FLEETKEEPER_DEPLOYMENT=${machine.id}\n`);
  expect(seen).toMatch(/^FLEETKEEPER_ADDRESS=.+/m);
  expect(seen).not.toContain(KEY);
});

it("stops it at delete, and ends with nothing", async () => {
  await plugin.configure(config);
  const { slot, machine } = await deploy();
  for (const [urn, { id, outs }] of [
    [MACHINE, machine],
    [SLOT, slot],
  ] as const)
    await plugin.call("delete", new wire.DeleteRequest().setUrn(urn).setId(id).setProperties(struct(outs)));
  expect(alive()).toEqual([]);
});

it("runs beforeStop in the program's folder before that, and warns of one that fails", async () => {
  await plugin.close();
  plugin = await start(folder, { FLEETKEEPER_API_KEY: KEY });
  await plugin.configure(config);
  const command = program("save.sh", "env > seen", "echo the disk is full", "exit 3");
  const { slot, machine } = await deploy({ ...H100, beforeStop: { command } });
  await plugin.call(
    "delete",
    new wire.DeleteRequest().setUrn(SLOT).setId(slot.id).setProperties(struct(slot.outs)),
  );
  expect(alive()).toEqual([]);
  const text = `the beforeStop of ${machine.id} failed, and the machine is stopped: ./save.sh: it ended with 3: the disk is full`;
  expect(plugin.lines).toContainEqual({ urn: SLOT, text, isWarning: true });
  const seen = readFileSync(join(folder, "seen"), "utf8");
  expect(seen).toContain("FLEETKEEPER_WHY=its resource is deleted\n");
  expect(seen).not.toContain(KEY);
});

it("keeps the machine where the key in the state is refused at delete, and names the way on", async () => {
  await plugin.configure(config);
  const { slot } = await deploy();
  await plugin.close();
  plugin = await start();
  await plugin.configure({ ...config, apiKey: "of-before" });
  const request = new wire.DeleteRequest().setUrn(SLOT).setId(slot.id).setProperties(struct(slot.outs));
  const error = await plugin.call("delete", request).catch((reason: Error) => reason);
  expect(String(error)).toContain("pulumi up first, or pulumi destroy --run-program");
  expect(alive()).toHaveLength(1);
});

it("previews without a launch: what a create will add is unknown", async () => {
  await plugin.configure(config);
  const made = await create(MACHINE, { label: LABEL, ...H100, slot: UNKNOWN, ledger: UNKNOWN }, true);
  expect(made.getId()).toBe("");
  expect(propsOf(made)).toMatchObject({
    ...H100,
    deploymentId: UNKNOWN,
    status: UNKNOWN,
    connection: UNKNOWN,
  });
  expect(simulator.truth().launches).toEqual([]);
});

it("says by path what differs, and that an interrupted machine is replaced", async () => {
  await plugin.configure(config);
  const { slot, machine } = await deploy();
  const before = { label: LABEL, ...H100, parameters: { image: "a", disk: 1 } };
  const after = { label: LABEL, ...A100, parameters: { image: "b", disk: 1 } };
  expect((await diff(SLOT, slot.id, { ...slot.outs, ...before }, before, after)).detailed).toMatchObject({
    offer: Kind.UPDATE_REPLACE,
    "parameters.image": expect.any(Number),
  });
  const same = () => diff(MACHINE, machine.id, machine.outs, machine.inputs, machine.inputs);
  expect(await same()).toEqual({ changes: false, replaces: [], detailed: {} });
  simulator.control.interrupt(machine.id, { now: true });
  await plugin.close();
  plugin = await start();
  await plugin.configure(config);
  expect(await same()).toEqual({
    changes: true,
    replaces: ["deploymentId"],
    detailed: { deploymentId: Kind.UPDATE_REPLACE },
  });
});

it("names a bad input by its path, and shows no key", async () => {
  await plugin.configure({ ...config, apiKey: "not-the-right-key-at-all" });
  const { failures } = await checked(SLOT, {
    label: LABEL,
    ...H100,
    offr: "x",
    candidates: [{ ...A100, gpus: "two" }],
  });
  expect(failures.join("\n")).toContain("candidates.0.gpus");
  expect(failures.join("\n")).toMatch(/offr.*offer/s);
  const made = await create(SLOT, { label: LABEL, ...H100 });
  const machine = { label: LABEL, ...H100, slot: made.getId(), ledger: propsOf(made).ledger };
  const error = await create(MACHINE, machine).catch((reason: Error) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).not.toContain("not-the-right-key-at-all");
  expect(simulator.truth().launches).toEqual([]);
});

it("names it in Python as the program does, in errors and in lines", async () => {
  await plugin.close();
  writeFileSync(
    join(folder, "Pulumi.yaml"),
    "name: project\nruntime:\n  options: { virtualenv: venv }\n  name: python\n",
  );
  mkdirSync(join(folder, "src"));
  plugin = await start(join(folder, "src"));
  await plugin.configure(config);
  const wrong = { ...H100, budget: { perHour: "x", flor: 1 }, onDelete: "keep" };
  const { failures } = await checked(SLOT, { label: LABEL, ...H100, onDelete: "keep" });
  expect(failures).toEqual(['on_delete: expected "stop" or "abandon", got "keep"']);
  const inSlot = { slot: "s", ledger: "l", resource: "r" };
  expect((await checked(MACHINE, { label: LABEL, ...wrong, ...inSlot })).failures).toEqual([
    expect.stringContaining("on_delete: "),
    expect.stringContaining("budget.per_hour: "),
    'budget.flor: is not a known key: did you mean "floor"?',
  ]);
  // A setting is called so in every language.
  await plugin.close();
  plugin = await start(join(folder, "src"));
  await plugin.configure({});
  expect((await checked(SLOT, { label: LABEL, ...H100 })).failures.join()).toContain("fleetkeeper:baseUrl");
});

it("says that a path in ignoreChanges does nothing, and which one does", async () => {
  await plugin.configure(config);
  const paths = [
    "budget.per_hour",
    "ofer",
    "candidates[0].offer",
    "candidates[*].gpus",
    "parameters.x.y",
    "*",
    "triggers",
  ];
  const request = new wire.ConstructRequest().setType("fleetkeeper:index:Deployment").setName("web");
  // It ends at the option that is refused, before anything is registered.
  request.setIgnorechangesList(paths).setDeletedwith(SLOT);
  await plugin.call("construct", request).catch(() => undefined);
  const said = () => plugin.lines.map(({ text }) => text);
  await expect
    .poll(said)
    .toEqual([
      "web: ignoreChanges: budget.per_hour does nothing, because no argument is called so: within an argument Pulumi takes the " +
        "schema's names, so write budget.perHour",
      "web: ignoreChanges: ofer does nothing, because no argument is called so",
    ]);
});

it("takes prices and a budget as numbers, and gives each price in one form", async () => {
  await plugin.configure({ ...config, profile: unpriced() });
  const { machine } = await deploy({ ...H100, pricePerHour: 2.5, budget: { perHour: 3 } });
  expect(alive().map(({ id }) => id)).toEqual([machine.id]);
  expect(
    [2.5, "2.50", "18", "0.1234567", "2.4900"].map(
      (pricePerHour) => priced({ pricePerHour: String(pricePerHour) }).pricePerHour,
    ),
  ).toEqual([...["2.5000", "2.5000", "18.0000", "0.1234567", "2.4900"]]);
});

it("waits no longer than customTimeouts of the program say, and keeps the id of what does not run yet", async () => {
  await plugin.configure(config);
  const made = await create(SLOT, { label: LABEL, ...H100 });
  const machine = { label: LABEL, ...H100, slot: made.getId(), ledger: propsOf(made).ledger };
  simulator.control.setCapacity(H100, 0);
  const error = await plugin
    .call("create", new wire.CreateRequest().setUrn(MACHINE).setProperties(struct(machine)).setTimeout(1))
    .catch((reason: Error) => reason);
  expect(String(error)).toContain("after 1 s (timeouts)");
});

it("is cut at Cancel: the answer comes at once, with the id for the state", async () => {
  await plugin.configure(config);
  const made = await create(SLOT, { label: LABEL, ...H100 });
  const machine = { label: LABEL, ...H100, slot: made.getId(), ledger: propsOf(made).ledger };
  // From now on no machine comes any further.
  clock.stop();
  const creating = create(MACHINE, machine).catch((reason: Error) => reason);
  const isWaiting = () => plugin.lines.some(({ text }) => text.startsWith("waiting until"));
  await expect.poll(isWaiting).toBe(true);
  await plugin.call("cancel");
  const error = (await creating) as Error & { metadata?: { get(name: string): readonly Buffer[] } };
  expect(error).toBeInstanceOf(Error);
  const details = error.metadata?.get("grpc-status-details-bin")[0]?.toString("latin1");
  expect(details).toContain("pulumirpc.ErrorResourceInitFailed");
  expect(details).toContain(
    `interrupted: ${alive()[0]?.id} is launched and bills; the next up or destroy goes on`,
  );
  // It did not end with it: the engine closes it.
  expect(plugin.process.exitCode).toBeNull();
});

it("is cut at Cancel of a delete, and says that the machine bills until it has ended", async () => {
  await plugin.configure(config);
  const { slot } = await deploy();
  clock.stop();
  const request = new wire.DeleteRequest().setUrn(SLOT).setId(slot.id).setProperties(struct(slot.outs));
  const deleting = plugin.call("delete", request).catch((reason: Error) => reason);
  const isStopping = () => plugin.lines.some(({ text }) => text.includes("is stopping"));
  await expect.poll(isStopping).toBe(true);
  await plugin.call("cancel");
  expect(String(await deleting)).toContain(
    "interrupted: what is being stopped bills until it has ended; the next up or destroy goes on",
  );
});

it("ends when its engine is gone", async () => {
  await plugin.configure(config);
  plugin.engineDies();
  await expect.poll(() => plugin.process.exitCode).not.toBeNull();
});

it("reads what the service shows", async () => {
  await plugin.configure(config);
  const { machine } = await deploy();
  const read = (props: Properties) =>
    plugin.call<InstanceType<typeof wire.ReadResponse>>(
      "read",
      new wire.ReadRequest().setUrn(MACHINE).setId(machine.id).setProperties(struct(props)),
    );
  expect(propsOf(await read(machine.outs))).toMatchObject({ status: "running" });
});

it("has a parameter that is a secret encrypted in its outputs, too", async () => {
  await plugin.configure(config);
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "s3cret" };
  const made = await create(SLOT, { label: LABEL, ...H100, parameters: { token: secret } });
  expect(propsOf(made)).toMatchObject({
    offer: H100.offer,
    parameters: {
      "4dabf18193072939515e22adb298388d": secret["4dabf18193072939515e22adb298388d"],
      value: { token: "s3cret" },
    },
  });
});

it("answers the functions of the schema, from the provider's own service", async () => {
  await plugin.configure(config);
  const { machine } = await deploy();
  const ask = async (name: string, args: Properties = {}) => {
    const request = new wire.InvokeRequest().setTok(`fleetkeeper:index:${name}`).setArgs(struct(args));
    const response = await plugin.call<InstanceType<typeof wire.InvokeResponse>>("invoke", request);
    return response.getReturn()?.toJavaScript();
  };
  expect(await ask("getAccount")).toMatchObject({
    email: expect.stringContaining("@"),
    displayName: expect.any(String),
  });
  expect(await ask("getBalance")).toMatchObject({ currency: "USD" });
  expect(await ask("getDeployment", { id: machine.id })).toMatchObject({ id: machine.id, offer: H100.offer });
  expect(await ask("getDeployments")).toMatchObject({ deployments: [{ id: machine.id }] });
  expect(await ask("getOffers")).toMatchObject({
    offers: expect.arrayContaining([expect.objectContaining(H100)]),
  });
  await expect(ask("getDeployment")).rejects.toThrow("expected the id");
  await expect(ask("getNothing")).rejects.toThrow("fleetkeeper:index:getBalance");
});

const update = (
  news: Properties,
  machine: Pair["machine"],
  options: { preview?: boolean; timeout?: number } = {},
) =>
  plugin.call<InstanceType<typeof wire.UpdateResponse>>(
    "update",
    new wire.UpdateRequest()
      .setUrn(MACHINE)
      .setId(machine.id)
      .setOlds(struct(machine.outs))
      .setNews(struct(news))
      .setPreview(options.preview === true)
      .setTimeout(options.timeout ?? 0),
  );

it("previews an update without a request: what stays is known, and the rest is unknown", async () => {
  await plugin.configure(config);
  const { machine } = await deploy();
  const { requests } = simulator.truth();
  const news = { ...machine.inputs, budget: { perHour: "9.00" } };
  const shown = propsOf(await update(news, machine, { preview: true }));
  expect(shown).toMatchObject({ deploymentId: machine.id, budget: { perHour: "9.00" }, status: UNKNOWN });
  expect(simulator.truth().requests).toEqual(requests);
});

it("keeps the state of an update that runs out of customTimeouts, with the reason", async () => {
  await plugin.configure(config);
  clock.stop();
  const { machine } = await deploy({ ...H100, awaitRunning: false });
  const { awaitRunning: _, ...news } = machine.inputs;
  const error = (await update(news, machine, { timeout: 1 }).catch((reason: Error) => reason)) as Error & {
    metadata?: { get(name: string): readonly Buffer[] };
  };
  const details = error.metadata?.get("grpc-status-details-bin")[0]?.toString("latin1");
  expect(details).toContain("pulumirpc.ErrorResourceInitFailed");
  expect(details).toContain(machine.id);
  expect(details).toContain("after 1 s (timeouts)");
});

it("takes a half as the classes wrote it, and keeps nothing of the dynamic provider", async () => {
  await plugin.configure(config);
  const { machine } = await deploy();
  const text = { __provider: "exports.handler = () => ({})" };
  const [outs, inputs] = [machine.outs, machine.inputs].map((each) => ({ ...each, ...text }));
  expect(await diff(MACHINE, machine.id, outs!, inputs!, machine.inputs)).toEqual({
    changes: false,
    replaces: [],
    detailed: {},
  });
  const read = await plugin.call<InstanceType<typeof wire.ReadResponse>>(
    "read",
    new wire.ReadRequest().setUrn(MACHINE).setId(machine.id).setProperties(struct(outs!)),
  );
  expect(propsOf(read)).toEqual(machine.outs);
  const changed = { ...machine.inputs, budget: { perHour: "9.00" } };
  expect((await diff(MACHINE, machine.id, outs!, inputs!, changed)).detailed).toEqual({ budget: Kind.ADD });
  const updated = await update(changed, { ...machine, outs: outs! });
  expect(propsOf(updated)).toEqual({ ...machine.outs, budget: { perHour: "9.00" } });
});

it("says its lines to the engine that attaches to it", async () => {
  const lines: Line[] = [];
  const { engine, address } = await startEngine(lines);
  try {
    await plugin.call("attach", new PluginAttach().setAddress(address));
    await plugin.configure(config);
    const { machine } = await deploy();
    expect(lines).toContainEqual({ urn: MACHINE, text: `${machine.id} is running` });
    expect(plugin.lines).toEqual([]);
  } finally {
    engine.forceShutdown();
  }
});

it.each<[string, (request: InstanceType<typeof wire.ConstructRequest>) => unknown, string]>([
  ["deletedWith", (request) => request.setDeletedwith(SLOT), "retainOnDelete"],
  ["replaceWith", (request) => request.setReplaceWithList([SLOT]), "triggers"],
  ["replaceOnChanges", (request) => request.setReplaceonchangesList(["gpus"]), "--replace"],
])("refuses the option %s, and says what to do instead", async (name, set, instead) => {
  await plugin.configure(config);
  const request = new wire.ConstructRequest().setType("fleetkeeper:index:Deployment").setName("web");
  set(request);
  const refusal = plugin.call("construct", request);
  await expect(refusal).rejects.toThrow(`the option ${name} has no effect`);
  await expect(refusal).rejects.toThrow(instead);
});
