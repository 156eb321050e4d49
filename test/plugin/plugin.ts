import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";

const sdk = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
export const wire = sdk("./proto/provider_pb.js") as typeof import("@pulumi/pulumi/proto/provider_pb.js");
const { ResourceProviderClient } = sdk(
  "./proto/provider_grpc_pb.js",
) as typeof import("@pulumi/pulumi/proto/provider_grpc_pb.js");
const { EngineService } = sdk(
  "./proto/engine_grpc_pb.js",
) as typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js");
const { LogSeverity } = sdk("./proto/engine_pb.js") as typeof import("@pulumi/pulumi/proto/engine_pb.js");
export const { PluginAttach } = sdk(
  "./proto/plugin_pb.js",
) as typeof import("@pulumi/pulumi/proto/plugin_pb.js");
export const { Struct } = sdk(
  "google-protobuf/google/protobuf/struct_pb.js",
) as typeof import("google-protobuf/google/protobuf/struct_pb.js");
const { Empty } = sdk(
  "google-protobuf/google/protobuf/empty_pb.js",
) as typeof import("google-protobuf/google/protobuf/empty_pb.js");

const EXECUTABLE = join(import.meta.dirname, "../../dist/bundle/pulumi-resource-fleetkeeper.js");

/** A line that the plugin had its engine show. */
export interface Line {
  readonly urn: string;
  readonly text: string;
  /** Absent: it informs. */
  readonly isWarning?: true;
}

type Client = InstanceType<typeof ResourceProviderClient>;

/** The plugin's own executable, between an engine of ours and a client of gRPC. */
export class Plugin {
  readonly process: ChildProcess;
  readonly lines: Line[];
  readonly #client: Client;
  readonly #engine: InstanceType<typeof grpc.Server>;

  private constructor(
    process: ChildProcess,
    client: Client,
    engine: InstanceType<typeof grpc.Server>,
    lines: Line[],
  ) {
    this.process = process;
    this.#client = client;
    this.#engine = engine;
    this.lines = lines;
  }

  static async start(env: NodeJS.ProcessEnv = {}, cwd?: string): Promise<Plugin> {
    const lines: Line[] = [];
    const { engine, address } = await startEngine(lines);
    const { PATH, HOME, NODE_COMPILE_CACHE, RUN_OF_TESTS } = process.env;
    const plugin = spawn(process.execPath, [EXECUTABLE, address], {
      env: { PATH, HOME, NODE_COMPILE_CACHE, RUN_OF_TESTS, ...env },
      stdio: ["ignore", "pipe", "inherit"],
      ...(cwd === undefined ? {} : { cwd }),
    });
    const [line] = (await once(createInterface(plugin.stdout as Readable), "line")) as [string];
    const client = new ResourceProviderClient(`127.0.0.1:${line}`, grpc.credentials.createInsecure());
    return new Plugin(plugin, client, engine, lines);
  }

  /** One call, by the method's name at the client. */
  call<T>(method: keyof Client, request: object = new Empty()): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = this.#client[method] as (
        request: object,
        done: (error: unknown, answer: T) => void,
      ) => void;
      run.call(this.#client, request, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  }

  /** One call that is answered with a stream: all of its answers. */
  list(
    request: InstanceType<typeof wire.ListRequest>,
  ): Promise<readonly InstanceType<typeof wire.ListResponse>[]> {
    const answers: InstanceType<typeof wire.ListResponse>[] = [];
    return new Promise((resolve, reject) =>
      this.#client
        .list(request)
        .on("data", (each) => answers.push(each))
        .on("error", reject)
        .on("end", () => resolve(answers)),
    );
  }

  handshake(): Promise<unknown> {
    return this.call("handshake", new wire.ProviderHandshakeRequest().setConfigureWithUrn(true));
  }

  async configure(args: Properties): Promise<void> {
    await this.handshake();
    await this.call(
      "configure",
      new wire.ConfigureRequest().setArgs(struct(args)).setUrn(PROVIDER_URN).setId("provider-id"),
    );
  }

  /** The engine is gone, as after kill -9: nobody listens at its address, and its connections are closed. */
  engineDies(): void {
    this.#engine.forceShutdown();
    this.#client.close();
  }

  async close(): Promise<void> {
    this.engineDies();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }
}

/** Takes what a plugin has its engine show. */
export async function startEngine(
  lines: Line[],
): Promise<{ readonly engine: InstanceType<typeof grpc.Server>; readonly address: string }> {
  const engine = new grpc.Server();
  engine.addService(EngineService, {
    // biome-ignore lint/suspicious/noExplicitAny: the service's own types name methods that are not served.
    log: (call: any, reply: any) => {
      const isWarning = call.request.getSeverity() === LogSeverity.WARNING;
      const line = { urn: call.request.getUrn(), text: call.request.getMessage() };
      lines.push(isWarning ? { ...line, isWarning } : line);
      reply(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { engine, address: `127.0.0.1:${port}` };
}

export const PROVIDER_URN = "urn:pulumi:dev::project::pulumi:providers:fleetkeeper::default";

export function struct(values: Properties): InstanceType<typeof Struct> {
  return Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);
}
