// The language host of Node, Python and Go programs, for an engine that came without one. Where the official host is,
// this one is not used. It speaks the gRPC service pulumirpc.LanguageRuntime (pulumi/pulumi,
// proto/pulumi/language.proto), as far as preview, up, refresh, destroy and policy packs of Node need it.
import { createRequire } from "node:module";
import { Programs } from "./programs.mjs";

const require = createRequire(import.meta.url);
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { LanguageRuntimeService } = sdk("./proto/language_grpc_pb.js");
const messages = sdk("./proto/language_pb.js");
const { PluginInfo } = sdk("./proto/plugin_pb.js");

/** @param {import("./programs.mjs").FindRunner} runnerOf of the programs' language */
export function serve(runnerOf) {
  const engineAddress = process.argv.at(-1) ?? "";
  const programs = new Programs(engineAddress, runnerOf);
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });

  server.addService(LanguageRuntimeService, {
    handshake: answer(() => new messages.LanguageHandshakeResponse()),
    getPluginInfo: answer(() => new PluginInfo().setVersion(sdk("./package.json").version)),
    about: answer(() =>
      new messages.AboutResponse().setExecutable(process.execPath).setVersion(process.version),
    ),
    // Empty: this would only let the engine fetch providers early. It finds them when a resource needs them.
    getRequiredPlugins: answer(() => new messages.GetRequiredPluginsResponse()),
    getRequiredPackages: answer(() => new messages.GetRequiredPackagesResponse()),
    getProgramDependencies: answer(() => new messages.GetProgramDependenciesResponse()),
    run: answer(async (call) => {
      const outcome = await programs.run(call.request, call);
      return new messages.RunResponse().setError(outcome.error ?? "").setBail(outcome.bail ?? false);
    }),
    runPlugin: (/** @type {any} */ call) => programs.runPlugin(call, messages.RunPluginResponse),
  });

  server.bindAsync(
    "127.0.0.1:0",
    grpc.ServerCredentials.createInsecure(),
    (/** @type {Error | null} */ error, /** @type {number} */ port) => {
      if (error) throw error;
      // The engine reads our port from the first line of output.
      process.stdout.write(`${port}\n`);
    },
  );

  // The engine sends SIGINT to its plugins' process group, and kills what is left five seconds later.
  process.on("SIGINT", () => end("SIGINT"));
  process.on("SIGTERM", () => end("SIGTERM"));

  // An engine that is killed sends nothing, but we get another parent. A program without its engine can only
  // wait, so it is ended. The hosts of dynamic providers are not ours: they finish what they have begun.
  const engine = process.ppid;
  setInterval(() => {
    if (process.ppid !== engine) end("SIGTERM");
  }, 500).unref();

  /** @param {NodeJS.Signals} signal */
  async function end(signal) {
    server.forceShutdown();
    await programs.endAll(signal);
    process.exit(0);
  }
}

/**
 * A unary gRPC method from a function that returns its answer, or throws.
 * @param {(call: any) => unknown} respond
 */
function answer(respond) {
  return async (
    /** @type {any} */ call,
    /** @type {(error: unknown, response?: unknown) => void} */ reply,
  ) => {
    try {
      reply(null, await respond(call));
    } catch (error) {
      reply({ code: grpc.status.UNKNOWN, message: error instanceof Error ? error.message : String(error) });
    }
  };
}
