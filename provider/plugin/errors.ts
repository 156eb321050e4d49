import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb.js";
import { cleanLines } from "../../agent/fleet/text/text.ts";
import { type ErrorCode, FleetkeeperError } from "../../service/contract/errors.ts";
import type { NotAsItShouldBe } from "../runtime/inputs/resource-kind.ts";
import { Any, grpc, messages, Status } from "./sdk.ts";

/** What gRPC sends for an error. */
export interface Refusal {
  readonly code: number;
  readonly details: string;
  readonly metadata?: InstanceType<typeof grpc.Metadata>;
}

/** `hide` takes secrets out, before anything is cleaned: a secret that cleaning has changed would not be found. */
export function refusalOf(error: unknown, hide: (text: string) => string): Refusal {
  return { code: grpc.status.UNKNOWN, details: messageOf(error, hide) };
}

/** It exists, but not as it should be: the engine keeps its id and properties, and the reason with them. */
export function initFailed(
  error: NotAsItShouldBe,
  outs: StructMessage,
  hide: (text: string) => string,
): Refusal {
  const reason = messageOf(error, hide);
  const failure = new messages.ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(outs)
    .setReasonsList([reason]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(reason);
  status.addDetails(detail);
  const metadata = new grpc.Metadata();
  // Where gRPC's other languages read details of an error.
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return { code: grpc.status.UNKNOWN, details: reason, metadata };
}

/** Pulumi deletes with the provider that stands in the state, whatever the program or the stack say by now. */
export function ofOldProvider(error: unknown): unknown {
  if (!(error instanceof FleetkeeperError) || !OF_SETTINGS.includes(error.code)) return error;
  const wayOn =
    "Pulumi deletes with the settings that stand in the state. After a change of key or ledger: pulumi up first, or pulumi destroy " +
    "--run-program. Where the resource was given another provider, and that was refused: give it the old one back, and pulumi up.";
  return new FleetkeeperError(error.code, `${error.message} ${wayOn}`, { cause: error });
}

const OF_SETTINGS: readonly ErrorCode[] = ["CREDENTIAL", "WRONG_ACCOUNT", "LEDGER"];

function messageOf(error: unknown, hide: (text: string) => string): string {
  return cleanLines(hide(error instanceof Error ? error.message : String(error)));
}
