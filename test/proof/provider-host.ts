import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { ClientUnaryCall, ServiceError } from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import type { Properties } from "../../provider/kinds.ts";
import { ended, NotMet, spawnKillable } from "./killable.ts";

const require = createRequire(import.meta.url);
// The SDK's own copies: its client takes no others.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const { credentials, status }: typeof import("@grpc/grpc-js") = sdk("@grpc/grpc-js");
const { Struct }: typeof import("google-protobuf/google/protobuf/struct_pb.js") = sdk(
  "google-protobuf/google/protobuf/struct_pb.js",
);

/** From there `fleetkeeper` is what the set-up has built. */
const CLONE = resolve(import.meta.dirname, "../..");

/**
 * The process in which Pulumi runs dynamic providers, as the engine starts and calls it: the SDK's own program, by the
 * protocol of providers, with the provider's text in the properties.
 */
export class ProviderHost {
  readonly process: ChildProcess;
  readonly #port: string;
  readonly #calls = new Set<ClientUnaryCall>();
  #client: InstanceType<typeof services.ResourceProviderClient>;

  private constructor(process: ChildProcess, port: string) {
    this.process = process;
    this.#port = port;
    this.#client = this.#connected();
  }

  /** `engine`: the address at which the host may ask for its engine. */
  static async start(
    config: Properties,
    env: NodeJS.ProcessEnv,
    engine = "the engine's address",
  ): Promise<ProviderHost> {
    const program = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
    const child = spawnKillable([program, engine], { cwd: CLONE, env, stdout: "pipe" });
    const [port] = await Promise.race([
      once(createInterface(child.stdout!), "line"),
      ended(child).then(() => Promise.reject(new Error("the host ended before it named its port"))),
    ]);
    const host = new ProviderHost(child, port);
    const request = new messages.ConfigureRequest().setArgs(struct(config));
    await host.#answerOf((reply) => host.#client.configure(request, reply));
    return host;
  }

  async check(olds: Properties, news: Properties): Promise<Properties> {
    const request = new messages.CheckRequest().setOlds(struct(olds)).setNews(struct(news));
    const answer = await this.#answerOf<messages.CheckResponse>((reply) =>
      this.#client.check(request, reply),
    );
    const [failure] = answer.getFailuresList();
    if (failure) throw new Error(`${failure.getProperty()}: ${failure.getReason()}`);
    return properties(answer.getInputs());
  }

  async diff(
    id: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ readonly changes: boolean; readonly replaces: boolean }> {
    const request = new messages.DiffRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
    const answer = await this.#answerOf<messages.DiffResponse>((reply) => this.#client.diff(request, reply));
    const changes = answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
    return { changes, replaces: answer.getReplacesList().length > 0 };
  }

  async create(inputs: Properties): Promise<{ readonly id: string; readonly outs: Properties }> {
    const request = new messages.CreateRequest().setProperties(struct(inputs));
    const answer = await this.#answerOf<messages.CreateResponse>((reply) =>
      this.#client.create(request, reply),
    );
    return { id: answer.getId(), outs: properties(answer.getProperties()) };
  }

  async update(id: string, olds: Properties, news: Properties): Promise<Properties> {
    const request = new messages.UpdateRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
    const answer = await this.#answerOf<messages.UpdateResponse>((reply) =>
      this.#client.update(request, reply),
    );
    return properties(answer.getProperties());
  }

  async delete(id: string, outs: Properties): Promise<void> {
    const request = new messages.DeleteRequest().setId(id).setProperties(struct(outs));
    await this.#answerOf((reply) => this.#client.delete(request, reply));
  }

  /** Waits until the process kills itself during these calls. Anything else that ends them is thrown. */
  async diesIn(calls: Promise<unknown>): Promise<void> {
    const end: unknown = await calls.then(
      () => new NotMet("it lived to the end of its calls"),
      (error) => error,
    );
    if ((end as Partial<ServiceError>).code !== status.UNAVAILABLE) throw end;
    // Before its parent knows of the end, others may still see it live.
    await ended(this.process);
  }

  /** Closes the connection: as the engine does after half an hour without a call, and the system does for one that dies. */
  hangUp(): void {
    for (const call of this.#calls) call.cancel();
    this.#client.close();
  }

  comeBack(): void {
    this.#client = this.#connected();
  }

  /** Nobody reads any more what it prints. */
  stopReading(): void {
    this.process.stdout?.destroy();
  }

  #answerOf<T>(begin: (reply: Reply<T>) => ClientUnaryCall): Promise<T> {
    return new Promise((resolve, reject) => {
      const call = begin((error, answer) => {
        this.#calls.delete(call);
        if (error) reject(error);
        else resolve(answer);
      });
      this.#calls.add(call);
    });
  }

  #connected(): InstanceType<typeof services.ResourceProviderClient> {
    return new services.ResourceProviderClient(`127.0.0.1:${this.#port}`, credentials.createInsecure());
  }

  async kill(): Promise<void> {
    this.#client.close();
    this.process.kill("SIGKILL");
    await ended(this.process);
  }
}

type Reply<T> = (error: Error | null, answer: T) => void;

function struct(values: Properties): InstanceType<typeof Struct> {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
}

function properties(values: InstanceType<typeof Struct> | undefined): Properties {
  return values?.toJavaScript() ?? {};
}
