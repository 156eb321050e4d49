import type * as wire from "@pulumi/pulumi/proto/provider_pb.js";
import { dynamicType, type HalfName, isOuter, pluginType } from "../stack/pair.ts";
import { Alias, grpc, monitorMessages, NO_LIMIT, ResourceMonitorClient } from "./sdk.ts";
import { marked, rawOf, structOf, type Told, told } from "./values.ts";

/** The message of a Construct, under another name. */
const Hooks = monitorMessages.RegisterResourceRequest.ResourceHooksBinding;

type Client = InstanceType<typeof ResourceMonitorClient>;

/** A registered resource: what the engine says of it. */
export interface Registered {
  readonly urn: string;
  /** Undefined in a preview of one that is new. */
  readonly id: string | undefined;
  readonly outputs: Readonly<Record<string, Told>>;
}

/** A component, which no provider makes, or a half of one. */
export type Registration =
  | ({ readonly type: string; readonly half?: undefined } & Registering)
  | ({ readonly half: HalfName } & Registering);

interface Registering {
  readonly parent: string;
  readonly inputs: Readonly<Record<string, Told>>;
}

/** The engine's side of one Construct: registers the component and its halves with the options of the program. */
export class Monitor {
  readonly #client: Client;
  readonly #request: wire.ConstructRequest;
  readonly #provider: string;

  /** `provider`: the reference of this very provider, so that the halves are its own. */
  constructor(request: wire.ConstructRequest, provider: string) {
    this.#client = clientOf(request.getMonitorendpoint());
    this.#request = request;
    this.#provider = provider;
  }

  async register(registration: Registration): Promise<Registered> {
    const { parent, half, inputs } = registration;
    const asked = this.#request;
    const request = new monitorMessages.RegisterResourceRequest()
      .setType(half === undefined ? registration.type : pluginType(half))
      .setName(asked.getName())
      .setParent(parent)
      .setCustom(half !== undefined)
      .setIgnorechangesList(asked.getIgnorechangesList())
      .setAcceptsecrets(true)
      .setSupportspartialvalues(true)
      .setAliasspecs(true);
    if (asked.hasProtect()) request.setProtect(asked.getProtect() === true);
    if (asked.hasRetainondelete()) request.setRetainondelete(asked.getRetainondelete() === true);
    if (half === undefined) {
      request.setAliasesList(asked.getAliasesList());
      for (const [name, reference] of asked.getProvidersMap().entries())
        request.getProvidersMap().set(name, reference);
    } else {
      const hooks = asked.getResourceHooks();
      if (hooks) request.setHooks(hooksOf(half, hooks));
      request
        .setProvider(this.#provider)
        .setAliasesList([new Alias().setSpec(new Alias.Spec().setType(dynamicType(half)))])
        .setAdditionalsecretoutputsList(asked.getAdditionalsecretoutputsList());
      if (asked.hasDeletebeforereplace())
        request
          .setDeletebeforereplace(asked.getDeletebeforereplace() === true)
          .setDeletebeforereplacedefined(true);
      const timeouts = asked.getCustomtimeouts();
      if (timeouts)
        request.setCustomtimeouts(
          new monitorMessages.RegisterResourceRequest.CustomTimeouts()
            .setCreate(timeouts.getCreate())
            .setUpdate(timeouts.getUpdate())
            .setDelete(timeouts.getDelete()),
        );
    }
    for (const [key, { from }] of Object.entries(inputs))
      request
        .getPropertydependenciesMap()
        .set(
          key,
          new monitorMessages.RegisterResourceRequest.PropertyDependencies().setUrnsList([...new Set(from)]),
        );
    const all = Object.values(inputs).flatMap(({ from }) => from);
    request.setDependenciesList([...new Set([...asked.getDependenciesList(), ...all])]);
    const fields = Object.entries(inputs).map(([key, value]) => [key, marked(value)]);
    request.setObject(structOf(Object.fromEntries(fields)));
    const response = await new Promise<InstanceType<typeof monitorMessages.RegisterResourceResponse>>(
      (resolve, reject) =>
        this.#client.registerResource(request, (error, answer) => (error ? reject(error) : resolve(answer))),
    );
    const urn = response.getUrn();
    const outputs = Object.entries(rawOf(response.getObject())).map(([key, value]) => {
      const { from, ...output } = told(value);
      return [key, { ...output, from: [urn, ...from] }];
    });
    return { urn, id: response.getId() || undefined, outputs: Object.fromEntries(outputs) };
  }

  async registerOutputs(urn: string, outputs: Readonly<Record<string, Told>>): Promise<void> {
    const fields = Object.entries(outputs).map(([key, value]) => [key, marked(value)]);
    const request = new monitorMessages.RegisterResourceOutputsRequest()
      .setUrn(urn)
      .setOutputs(structOf(Object.fromEntries(fields)));
    await new Promise<void>((resolve, reject) =>
      this.#client.registerResourceOutputs(request, (error) => (error ? reject(error) : resolve())),
    );
  }
}

/** Those of a component's hooks that a half of it has: see `hasHook`. */
function hooksOf(
  half: HalfName,
  given: wire.ConstructRequest.ResourceHooksBinding,
): InstanceType<typeof Hooks> {
  const all = Hooks.deserializeBinary(given.serializeBinary());
  if (!isOuter(half)) return all.setAfterDeleteList([]);
  return new Hooks().setAfterDeleteList(all.getAfterDeleteList()).setOnErrorList(all.getOnErrorList());
}

let last: { readonly address: string; readonly client: Client } | undefined;

/**
 * The Constructs of one update share a client: to set one up costs as much as several calls. One of an earlier update, as
 * under PULUMI_DEBUG_PROVIDERS, is not closed, since a Construct may still use it. Its connection goes with its engine.
 */
function clientOf(address: string): Client {
  if (last?.address !== address)
    last = {
      address,
      client: new ResourceMonitorClient(address, grpc.credentials.createInsecure(), NO_LIMIT),
    };
  return last.client;
}
