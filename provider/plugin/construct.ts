import type * as wire from "@pulumi/pulumi/proto/provider_pb.js";
import { UNKNOWN } from "../runtime/inputs/unknown.ts";
import {
  connectionOf,
  type Details,
  digestOf,
  halvesOfDeployment,
  hashOfJson,
  MACHINE_OUTPUTS,
  OWN_OF_DEPLOYMENT,
  OWN_OF_FLEET,
  REFUSED_BY_ALL,
  shownPrice,
  WISH_OUTPUTS,
} from "../stack/pair.ts";
import { Monitor } from "./monitor.ts";
import { messages } from "./sdk.ts";
import { asTold, madeOf, marked, plainly, rawOf, structOf, type Told, told } from "./values.ts";

type Values = Readonly<Record<string, Told>>;

interface Constructed {
  readonly urn: string;
  readonly outputs: Values;
}

/** What makes each component out of its halves. The pair stays: see runtime/slot.ts and runtime/machine.ts. */
export const COMPONENTS: Readonly<
  Record<
    string,
    (monitor: Monitor, component: string, name: string, label: string, args: Values) => Promise<Values>
  >
> = {
  "fleetkeeper:index:Deployment": deployment,
  "fleetkeeper:index:Fleet": fleet,
};

/**
 * Makes a component for a program in any language: registers it, and its halves below it. `provider` is the
 * reference of the provider that was asked, and `labels` are the stack's.
 */
export async function construct(
  request: wire.ConstructRequest,
  provider: string,
  labels: Readonly<Record<string, string>>,
): Promise<wire.ConstructResponse> {
  const [type, name] = [request.getType(), request.getName()];
  const make = COMPONENTS[type];
  if (make === undefined)
    throw new Error(
      `fleetkeeper knows no component ${type}. Known are ${Object.keys(COMPONENTS).join(", ")}.`,
    );
  refuseOptions(request);
  const monitor = new Monitor(request, provider);
  const own = argumentsOf(request);
  const labelled = withStackLabels(own, labels);
  const args = { ...own, ...labelled };
  const { urn } = await monitor.register({
    type,
    parent: request.getParent(),
    inputs: { ...registered(request, own), ...labelled },
  });
  const label = `${request.getProject()}/${request.getStack()}/${name}`;
  const outputs = await make(monitor, urn, name, label, args);
  await monitor.registerOutputs(urn, outputs);
  return responseOf({ urn, outputs });
}

async function deployment(
  monitor: Monitor,
  component: string,
  _name: string,
  label: string,
  args: Values,
): Promise<Values> {
  refuse(args, [...OWN_OF_DEPLOYMENT, ...MACHINE_OUTPUTS]);
  const halves = halvesOfDeployment({ ...args, label: plainly(label), triggers: hashed(args.triggers) });
  const slot = await monitor.register({
    half: "Slot",
    parent: component,
    inputs: given(halves.slot),
  });
  const ledger = slot.outputs.ledger ?? plainly(UNKNOWN);
  const within = {
    value: { id: slot.id ?? UNKNOWN, ledger: ledger.value, resource: digestOf(component) },
    secret: false,
    from: [slot.urn],
  };
  const machine = await monitor.register({
    half: "Machine",
    parent: slot.urn,
    inputs: given({ ...halves.machine, slot: within }),
  });
  const of = (key: string): Told =>
    machine.outputs[key] ?? { value: undefined, secret: false, from: [machine.urn] };
  const part = (key: string): Told =>
    args[key] ?? madeOf([of("taken")], ([taken]) => (taken as Details | undefined)?.[key]);
  const shown = [
    "deploymentId",
    "status",
    "failureCode",
    "failureReason",
    "suggestedAction",
    "stopReason",
    "createdAt",
    "readyAt",
  ];
  return {
    ...Object.fromEntries(shown.map((key) => [key, of(key)])),
    ...Object.fromEntries(["offer", "provider", "location"].map((key) => [key, part(key)])),
    pricePerHour: madeOf([of("actualPricePerHour"), args.pricePerHour ?? plainly(undefined)], (prices) =>
      shownPrice(...prices),
    ),
    connection: madeOf([of("connection"), of("secretConnection")], (parts) =>
      connectionOf(parts as (Details | undefined)[]),
    ),
  };
}

async function fleet(
  monitor: Monitor,
  component: string,
  name: string,
  label: string,
  args: Values,
): Promise<Values> {
  refuse(args, [...OWN_OF_FLEET, ...WISH_OUTPUTS]);
  const common = { label: plainly(label), name: args.name ?? plainly(name) };
  const declared = await monitor.register({
    half: "Fleet",
    parent: component,
    inputs: common,
  });
  const source = declared.id === undefined ? UNKNOWN : `stack:${declared.id}`;
  const ledger = declared.outputs.ledger ?? plainly(UNKNOWN);
  const wish = await monitor.register({
    half: "Wish",
    parent: declared.urn,
    inputs: given({
      ...args,
      ...common,
      triggers: hashed(args.triggers),
      source: { ...plainly(source), from: [declared.urn] },
      ledger: { ...ledger, from: [declared.urn] },
    }),
  });
  return Object.fromEntries(WISH_OUTPUTS.map((key) => [key, wish.outputs[key] ?? plainly(undefined)]));
}

/** Only a hash of triggers is kept: they may be secrets. */
function hashed(triggers: Told | undefined): Told | undefined {
  return triggers && madeOf([triggers], ([value]) => hashOfJson(value));
}

function given(inputs: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    (Object.entries(inputs) as [string, Told | undefined][]).filter(
      (entry): entry is [string, Told] => entry[1] !== undefined,
    ),
  );
}

function argumentsOf(request: wire.ConstructRequest): Values {
  const dependencies = request.getInputdependenciesMap();
  const all = Object.entries(rawOf(request.getInputs())).map(([key, raw]) => {
    const { from, ...value } = told(raw);
    return [key, { ...value, from: [...from, ...(dependencies.get(key)?.getUrnsList() ?? [])] }] as const;
  });
  return Object.fromEntries(all.filter(([, { value }]) => value !== null && value !== undefined));
}

/** What the component registers, for policies and transforms: as the classes do, with each mark where it stood. */
function registered(request: wire.ConstructRequest, args: Values): Values {
  const raw = rawOf(request.getInputs());
  const all = Object.entries(args).map(([key, { from }]) => [key, { ...plainly(asTold(raw[key])), from }]);
  return given({ ...Object.fromEntries(all), triggers: hashed(args.triggers) });
}

/** As the classes do it: see arguments.ts. */
function withStackLabels({ labels }: Values, common: Readonly<Record<string, string>>): Values {
  if (Object.keys(common).length === 0) return {};
  return { labels: madeOf([labels ?? plainly({})], ([own]) => ({ ...common, ...(own as object) })) };
}

/** Names that the halves use between them would overwrite a program's value in silence. */
function refuse(args: Values, own: readonly string[]): void {
  if (args.timeouts !== undefined)
    throw new Error("timeouts: is no argument here: set the resource's option customTimeouts instead.");
  const lost = own.find((name) => args[name] !== undefined);
  if (lost !== undefined) throw new Error(`${lost}: is not an argument: take it out.`);
}

function refuseOptions(request: wire.ConstructRequest): void {
  const named: Readonly<Record<keyof typeof REFUSED_BY_ALL, boolean>> = {
    replaceOnChanges: request.getReplaceonchangesList().length > 0,
    replacementTrigger: request.hasReplacementTrigger(),
    replaceWith: request.getReplaceWithList().length > 0,
    deletedWith: request.getDeletedwith() !== "",
  };
  for (const [name, instead] of Object.entries(REFUSED_BY_ALL))
    if (named[name as keyof typeof named])
      throw new Error(`the option ${name} has no effect on this resource: ${instead}.`);
}

function responseOf({ urn, outputs }: Constructed): wire.ConstructResponse {
  const response = new messages.ConstructResponse().setUrn(urn);
  for (const [key, { from }] of Object.entries(outputs))
    response
      .getStatedependenciesMap()
      .set(key, new messages.ConstructResponse.PropertyDependencies().setUrnsList([...new Set(from)]));
  const state = Object.entries(outputs).map(([key, value]) => [key, marked(value)]);
  return response.setState(structOf(Object.fromEntries(state)));
}
