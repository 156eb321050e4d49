import type { handleServerStreamingCall, handleUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js";
import type { ListRequest, ListResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Provider } from "./provider.ts";
import { grpc, NO_LIMIT, ResourceProviderService } from "./sdk.ts";

const METHODS = [
  ...([
    "handshake",
    "attach",
    "getPluginInfo",
    "getSchema",
    "checkConfig",
    "diffConfig",
    "configure",
  ] as const),
  ...(["check", "diff", "create", "read", "update", "delete", "invoke", "construct", "cancel"] as const),
] satisfies readonly (keyof Provider)[];

/**
 * Serves the engine that started this process, with its own address as the last argument. The engine reads the port
 * from the first line of stdout. All that the methods need is loaded after that line: an engine waits for it before it
 * does anything else.
 */
export function serveEngine(): void {
  const engine = process.argv.slice(2).findLast((argument) => !argument.startsWith("-"));
  const server = new grpc.Server(NO_LIMIT);
  const loaded = Promise.withResolvers<Provider>();
  const methods = METHODS.map((name) => [name, answering(loaded.promise, name)]);
  server.addService(ResourceProviderService, {
    ...Object.fromEntries(methods),
    list: listing(loaded.promise),
  } as unknown as UntypedServiceImplementation);
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
    loaded.resolve(load(engine));
  });
}

async function load(engine: string | undefined): Promise<Provider> {
  const [{ Provider }, { UnderWay }] = await Promise.all([
    import("./provider.ts"),
    import("../runtime/host/under-way.ts"),
  ]);
  return new Provider(engine, new UnderWay(engine));
}

/** One method for gRPC. Its error is a refusal already (errors.ts), or a message. */
function answering(
  loaded: Promise<Provider>,
  name: (typeof METHODS)[number],
): handleUnaryCall<unknown, unknown> {
  return ({ request }, reply) => {
    loaded
      .then((provider) => Reflect.apply(provider[name] as (request: unknown) => unknown, provider, [request]))
      .then(
        (response) => reply(null, response),
        (error: unknown) => reply(refused(error)),
      );
  };
}

/** The one method that answers with a stream. Newer engines ask it. */
function listing(loaded: Promise<Provider>): handleServerStreamingCall<ListRequest, ListResponse> {
  return (call) => {
    loaded
      .then((provider) => provider.list(call.request))
      .then(
        (answers) => {
          for (const each of answers) call.write(each);
          call.end();
        },
        (error: unknown) => call.emit("error", refused(error)),
      );
  };
}

function refused(error: unknown): object {
  return error instanceof Error ? { code: grpc.status.UNKNOWN, details: error.message } : (error as object);
}
