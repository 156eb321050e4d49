import type * as wire from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb.js";
import type { PartialConfiguration } from "../../account/index.ts";
import { packageFile } from "../../service/process/package-file.ts";
import { durationOf } from "../../service/text/duration.ts";
import { openEnvironment } from "../runtime/host/open-environment.ts";
import type { UnderWay } from "../runtime/host/under-way.ts";
import { asReason, NotAsItShouldBe, type Properties, sealed } from "../runtime/inputs/resource-kind.ts";
import { isUnknown, UNKNOWN } from "../runtime/inputs/unknown.ts";
import type { Environment } from "../runtime/session/environment.ts";
import { orInterrupted } from "../runtime/session/wait-limit.ts";
import { pluginType } from "../stack/pair.ts";
import { stackLabels } from "../stack/settings.ts";
import { checkConfig, givenBy, keptConfig } from "./config.ts";
import { COMPONENTS, construct } from "./construct.ts";
import { diffResponse } from "./diff.ts";
import { EngineLog } from "./engine-log.ts";
import { initFailed, ofOldProvider, refusalOf } from "./errors.ts";
import { answerOf } from "./functions.ts";
import { HALVES, type Half, previewOf } from "./half-kinds.ts";
import { imported, whyByFile } from "./importing.ts";
import { LISTED, pageOf } from "./listing.ts";
import { idlePaths, schema } from "./names.ts";
import { Empty, messages, PluginInfo } from "./sdk.ts";
import { spellingOf } from "./spelling.ts";
import { plainOf, rawOf, secretAs, structOf } from "./values.ts";

/** What each request about a resource says of it. */
interface About {
  getUrn(): string;
  getType(): string;
}

/** The inputs in it. Of what is secret there, the answer is, too. */
interface Given {
  getProperties?(): StructMessage | undefined;
  getNews?(): StructMessage | undefined;
}

interface Configured {
  readonly env: Environment;
  readonly given: PartialConfiguration;
  readonly labels: ReturnType<typeof stackLabels>;
  readonly urn: string;
  /** How the engine names this provider: URN::ID. */
  readonly reference: string;
}

const TOO_OLD =
  "This Pulumi engine is too old for fleetkeeper's plugin: it does not say which provider it configures. Install Pulumi 3.200 or newer.";

/**
 * One provider: the methods of pulumirpc.ResourceProvider over provider/runtime. An engine starts a process for
 * each provider of a program, so several services and accounts never share an environment. Where it does not, the
 * second one is refused.
 */
export class Provider {
  readonly #underWay: UnderWay;
  #log: EngineLog;
  readonly #spelled = spellingOf(process.cwd());
  #greeted = false;
  #configured: Configured | undefined;

  constructor(engine: string | undefined, underWay: UnderWay) {
    this.#log = new EngineLog(engine);
    this.#underWay = underWay;
  }

  handshake(request: wire.ProviderHandshakeRequest): wire.ProviderHandshakeResponse {
    if (!request.getConfigureWithUrn()) throw new Error(TOO_OLD);
    this.#greeted = true;
    // An engine lets no plugin without secrets make components. It asks here and at Configure.
    return new messages.ProviderHandshakeResponse().setAcceptSecrets(true);
  }

  attach(request: { getAddress(): string }): InstanceType<typeof Empty> {
    this.#log.close();
    this.#log = new EngineLog(request.getAddress());
    return new Empty();
  }

  getPluginInfo(): InstanceType<typeof PluginInfo> {
    return new PluginInfo().setVersion(version());
  }

  getSchema(): wire.GetSchemaResponse {
    return new messages.GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version: version() }));
  }

  checkConfig(request: wire.CheckRequest): wire.CheckResponse {
    const news = plainOf(request.getNews());
    const [, project = ""] = request.getUrn().split("::");
    return checkResponse(secretAs(request.getNews(), keptConfig(news)), checkConfig(news, project));
  }

  diffConfig(request: wire.DiffRequest): wire.DiffResponse {
    const [olds, news] = [plainOf(request.getOldInputs() ?? request.getOlds()), plainOf(request.getNews())];
    // Never a replacement: each machine's own account in the state refuses another one's key.
    const changes = JSON.stringify(keptConfig(olds)) !== JSON.stringify(keptConfig(news));
    return diffResponse({ changes, replaces: [] }, olds, news);
  }

  configure(request: wire.ConfigureRequest): wire.ConfigureResponse {
    if (!this.#greeted) throw new Error(TOO_OLD);
    const urn = request.getUrn() ?? "";
    // With the second one's key the first one's machines would be rented in another account.
    if (this.#configured && this.#configured.urn !== urn) throw new Error(another(this.#configured.urn, urn));
    const args = plainOf(request.getArgs());
    const given = givenBy(args);
    this.#configured = {
      given,
      labels: isUnknown(args.labels) ? {} : stackLabels(args.labels),
      urn,
      reference: `${urn}::${request.getId() || UNKNOWN}`,
      env: openEnvironment({
        given,
        variables: process.env,
        say: (text, name) => this.#say("", name === undefined ? text : `${name}: ${text}`),
        signal: this.#underWay.signal,
      }),
    };

    return new messages.ConfigureResponse().setSupportspreview(true).setAcceptsecrets(true);
  }

  check(request: wire.CheckRequest): Promise<wire.CheckResponse> {
    return this.#about(request, async ({ kind }, env) => {
      const { inputs, failures } = await kind.check(
        env,
        plainOf(request.getNews()),
        plainOf(request.getOlds()),
      );
      const reasons = failures.map(asReason);
      return checkResponse(
        secretAs(request.getNews(), inputs),
        reasons.map(({ property, reason }) => ({ property, reason: this.#spelled(reason) })),
      );
    });
  }

  diff(request: wire.DiffRequest): Promise<wire.DiffResponse> {
    return this.#about(request, async ({ kind }, env) => {
      const [olds, news] = [plainOf(request.getOlds()), plainOf(request.getNews())];
      const difference = await kind.diff(env, request.getId(), olds, news);
      return diffResponse(difference, plainOf(request.getOldInputs()), news);
    });
  }

  create(request: wire.CreateRequest): Promise<wire.CreateResponse> {
    return this.#about(request, async (half, env) => {
      const inputs = plainOf(request.getProperties());
      const response = new messages.CreateResponse();
      if (request.getPreview())
        return response.setProperties(kept(half, request.getProperties(), previewOf(half, inputs)));
      const { id, outs } = await half.kind.create(env, timed(inputs, "create", request.getTimeout()));
      return response.setId(id).setProperties(kept(half, request.getProperties(), outs));
    });
  }

  read(request: wire.ReadRequest): Promise<wire.ReadResponse> {
    return this.#about(request, async (half, env) => {
      const props = plainOf(request.getProperties());
      if (props.label === undefined) {
        const { id, inputs, outs } = await imported(
          typeOf(request.getUrn()),
          request.getUrn(),
          request.getId(),
          env,
        );
        return new messages.ReadResponse()
          .setId(id)
          .setInputs(structOf(inputs))
          .setProperties(structOf(sealed(half.kind, outs)));
      }
      const found = await half.kind.read(env, request.getId(), timed(props, "update", request.getTimeout()));
      const response = new messages.ReadResponse();
      if (!found) return response;
      const inputs = request.getInputs();
      if (inputs) response.setInputs(inputs);
      return response.setId(request.getId()).setProperties(kept(half, request.getProperties(), found));
    });
  }

  update(request: wire.UpdateRequest): Promise<wire.UpdateResponse> {
    return this.#about(request, async (half, env) => {
      const [olds, news] = [plainOf(request.getOlds()), plainOf(request.getNews())];
      const response = new messages.UpdateResponse();
      if (request.getPreview())
        return response.setProperties(kept(half, request.getNews(), previewOf(half, news, olds)));
      const given = timed(news, "update", request.getTimeout());
      const outs = await half.kind.update(env, request.getId(), olds, given);
      return response.setProperties(kept(half, request.getNews(), outs));
    });
  }

  /** A page of ids that can be imported. */
  async list(request: wire.ListRequest): Promise<readonly wire.ListResponse[]> {
    const { env } = this.#ready();
    const token = request.getToken();
    if (token !== LISTED) throw new Error(`fleetkeeper lists no ${token}. Known is ${LISTED}.`);
    const filters = Object.keys(rawOf(request.getQuery()));
    if (filters.length > 0) throw new Error(`${filters.join(", ")}: a list of ${LISTED} takes no input.`);
    try {
      const all = (await HALVES[pluginType("Machine")]?.kind.list?.(env)) ?? [];
      return pageOf(all, request);
    } catch (error) {
      throw refusalOf(error, (text) => this.#spelled(env.hide(text)));
    }
  }

  delete(request: wire.DeleteRequest): Promise<InstanceType<typeof Empty>> {
    return this.#about(request, async ({ kind }, env) => {
      const props = plainOf(request.getProperties());
      const given = timed(props, "delete", request.getTimeout());
      await kind.delete(env, request.getId(), given).catch((error: unknown) => {
        throw ofOldProvider(error);
      });
      return new Empty();
    });
  }

  async invoke(request: wire.InvokeRequest): Promise<wire.InvokeResponse> {
    const { env, given } = this.#ready();
    try {
      const answer = await answerOf(request.getTok(), plainOf(request.getArgs()), given);
      return new messages.InvokeResponse().setReturn(structOf(answer));
    } catch (error) {
      throw refusalOf(error, env.hide);
    }
  }

  async construct(request: wire.ConstructRequest): Promise<wire.ConstructResponse> {
    const { env, reference, labels } = this.#ready();
    for (const text of idlePaths(request.getType(), request.getIgnorechangesList()))
      this.#log.say("", `${request.getName()}: ${text}`);
    try {
      return await construct(request, reference, labels);
    } catch (error) {
      throw refusalOf(error, (text) => this.#spelled(env.hide(text)));
    }
  }

  /** At a first Ctrl-C. The engine waits for the answers that this makes, and keeps ids among them. */
  cancel(): InstanceType<typeof Empty> {
    this.#underWay.cut();
    return new Empty();
  }

  /** Works on one half. Its lines stand beside its URN, and its errors show no secret. */
  async #about<T>(about: About & Given, work: (half: Half, env: Environment) => Promise<T>): Promise<T> {
    const type = about.getType() || typeOf(about.getUrn());
    const half = HALVES[type];
    // A component has no provider: it is asked about where it is imported, and by pulumi do.
    if (type in COMPONENTS)
      throw new Error(
        about instanceof messages.ReadRequest
          ? whyByFile(type, about.getUrn(), about.getId())
          : `${type} is made, changed and deleted by a program alone: write one, and run pulumi up.`,
      );
    if (half === undefined)
      throw new Error(`fleetkeeper knows no resource ${type}: the stack was made by a newer version`);
    const { env } = this.#ready();
    const own: Environment = {
      ...env,
      cutAtOnce: true,
      say: (text, _name, level) => this.#say(about.getUrn(), text, level),
    };
    const shown = (text: string): string => this.#spelled(env.hide(text));
    try {
      return await this.#underWay.during(work(half, own), () => undefined);
    } catch (error) {
      throw error instanceof NotAsItShouldBe
        ? initFailed(error, kept(half, about.getProperties?.() ?? about.getNews?.(), error.outs), shown)
        : refusalOf(orInterrupted(error, env.signal, about instanceof messages.DeleteRequest), shown);
    } finally {
      await this.#log.flush();
    }
  }

  #say(urn: string, text: string, level?: "warning"): void {
    this.#log.say(urn, this.#spelled(text), level);
  }

  #ready(): Configured {
    if (this.#configured) return this.#configured;
    throw new Error("fleetkeeper's plugin was not configured: an engine calls Configure first.");
  }
}

/** Only PULUMI_DEBUG_PROVIDERS has an engine use one process for several. */
function another(first: string, second: string): string {
  return (
    `This process of fleetkeeper's plugin is one provider, ${first}, and ${second} is another one. Under PULUMI_DEBUG_PROVIDERS ` +
    "a program can have one provider of fleetkeeper: take the others out, or start the process anew for another stack."
  );
}

function checkResponse(
  inputs: Properties,
  failures: readonly { readonly property: string; readonly reason: string }[],
): wire.CheckResponse {
  const list = failures.map(({ property, reason }) =>
    new messages.CheckFailure().setProperty(property).setReason(reason),
  );
  return new messages.CheckResponse().setInputs(structOf(inputs)).setFailuresList(list);
}

/** The option `customTimeouts` of the program, in seconds; 0: none. It goes before what the state may have. */
function timed(props: Properties, method: "create" | "update" | "delete", seconds: number): Properties {
  if (!(seconds > 0)) return props;
  const { timeouts } = props as { readonly timeouts?: Properties };
  return { ...props, timeouts: { ...timeouts, [method]: durationOf(seconds * 1000) } };
}

/** Outputs for the state: with the marks of what was given, and without the engine's own timeouts. */
function kept({ kind }: Half, given: StructMessage | undefined, outs: Properties): StructMessage {
  const { timeouts } = plainOf(given);
  return structOf(secretAs(given, sealed(kind, { ...outs, timeouts })));
}

/** The resource's own type: in a URN those of its parents come first. */
function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

function version(): string {
  const { version } = JSON.parse(packageFile("package.json").toString()) as { readonly version: string };
  return version;
}
