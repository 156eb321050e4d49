import { createRequire } from "node:module";
import { expect, it, onTestFinished } from "vitest";
import { EngineLog } from "../../provider/plugin/engine-log.ts";

const sdk = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
const { EngineService } = sdk(
  "./proto/engine_grpc_pb.js",
) as typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js");
const { Empty } = sdk(
  "google-protobuf/google/protobuf/empty_pb.js",
) as typeof import("google-protobuf/google/protobuf/empty_pb.js");

/** An engine that takes longer for the first line than for those after it. */
async function slowAtFirst(shown: string[]) {
  const engine = new grpc.Server();
  let delay = 100;
  engine.addService(EngineService, {
    log(
      { request }: { request: { getMessage(): string } },
      done: (error: null, answer: InstanceType<typeof Empty>) => void,
    ) {
      setTimeout(() => {
        shown.push(request.getMessage());
        done(null, new Empty());
      }, delay);
      delay = 0;
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  onTestFinished(() => engine.forceShutdown());
  return `127.0.0.1:${port}`;
}

it("lines are shown in the order in which they were said, and a flush waits for all", async () => {
  const shown: string[] = [];
  const log = new EngineLog(await slowAtFirst(shown));
  onTestFinished(() => log.close());
  for (const text of ["launching", "launched as dep-1", "waiting until dep-1 runs"]) log.say("", text);
  await log.flush();
  expect(shown).toEqual(["launching", "launched as dep-1", "waiting until dep-1 runs"]);
});

it("a line that no engine takes holds none back", async () => {
  const log = new EngineLog("127.0.0.1:1");
  onTestFinished(() => log.close());
  for (const text of ["one", "two"]) log.say("", text);
  await log.flush();
});
