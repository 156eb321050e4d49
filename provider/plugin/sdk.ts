import { createRequire } from "node:module";

/**
 * The wire between a Pulumi engine and its plugins, as the SDK has it. gRPC is the SDK's own copy: the package
 * needs none beside its peer, and a package manager may show it to nobody else.
 */
const sdk = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));

export const grpc = sdk("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
export const { ResourceProviderService } = sdk(
  "./proto/provider_grpc_pb.js",
) as typeof import("@pulumi/pulumi/proto/provider_grpc_pb.js");
export const messages = sdk("./proto/provider_pb.js") as typeof import("@pulumi/pulumi/proto/provider_pb.js");
export const { PluginInfo } = sdk(
  "./proto/plugin_pb.js",
) as typeof import("@pulumi/pulumi/proto/plugin_pb.js");
export const { EngineClient } = sdk(
  "./proto/engine_grpc_pb.js",
) as typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js");
export const { LogRequest, LogSeverity } = sdk(
  "./proto/engine_pb.js",
) as typeof import("@pulumi/pulumi/proto/engine_pb.js");
export const { ResourceMonitorClient } = sdk(
  "./proto/resource_grpc_pb.js",
) as typeof import("@pulumi/pulumi/proto/resource_grpc_pb.js");
export const monitorMessages = sdk(
  "./proto/resource_pb.js",
) as typeof import("@pulumi/pulumi/proto/resource_pb.js");
export const { Alias } = sdk("./proto/alias_pb.js") as typeof import("@pulumi/pulumi/proto/alias_pb.js");
export const { Status } = sdk("./proto/status_pb.js") as typeof import("@pulumi/pulumi/proto/status_pb.js");
export const { Struct } = sdk(
  "google-protobuf/google/protobuf/struct_pb.js",
) as typeof import("google-protobuf/google/protobuf/struct_pb.js");
export const { Any } = sdk(
  "google-protobuf/google/protobuf/any_pb.js",
) as typeof import("google-protobuf/google/protobuf/any_pb.js");
export const { Empty } = sdk(
  "google-protobuf/google/protobuf/empty_pb.js",
) as typeof import("google-protobuf/google/protobuf/empty_pb.js");

/** The most that one message may have, in bytes: none, as between an engine and its own plugins. */
export const NO_LIMIT = {
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
} as const;
