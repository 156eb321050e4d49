import { z } from "zod";
import { durationSchema } from "../../../service/text/duration.ts";
import { questionShape } from "./machine-question.ts";

const { address, tcp, command } = questionShape;

/** Where an exporter on the machine shows the use of its GPUs, and below which it is idle. */
function gpuUse(port: number, exporter: string) {
  const below = "expected a percentage above 0, up to 100";
  return z
    .strictObject({
      port: tcp.unwrap().default(port),
      below: z.number({ error: below }).gt(0, below).max(100, below),
    })
    .optional()
    .describe(`idle while ${exporter} on the machine shows each of its GPUs below this percentage`);
}

const WAYS = ["command", "gpud", "dcgm"] as const;

export const idleSchema = z
  .strictObject({
    address: address.optional(),
    command: command.describe(
      "idle if this ends with 0, busy with 1, unknown with any other; FLEETKEEPER_ADDRESS names the machine",
    ),
    gpud: gpuUse(15_132, "gpud"),
    dcgm: gpuUse(9_400, "NVIDIA's DCGM exporter"),
    for: durationSchema.describe("how long it has to be idle without a break"),
    then: z
      .enum(["tell", "stop", "drain"], { error: "expected tell, stop or drain" })
      .default("tell")
      .describe(
        "tell: people are told. stop: the machine is given back, and the count is lowered by it. drain: all machines are, once all are idle",
      ),
    keep: z
      .int({ error: "expected a whole number of 0 or more" })
      .min(0, "expected a whole number of 0 or more")
      .optional()
      .describe("with then: stop, so many GPUs stay, idle or not; 1 by default"),
  })
  .superRefine((idle, context) => {
    const issue = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    if (WAYS.every((way) => idle[way] === undefined))
      context.addIssue({ code: "custom", message: `expected at least one of ${WAYS.join(", ")}` });
    if (idle.keep !== undefined && idle.then !== "stop")
      issue("keep", `expected none beside then: ${idle.then}, as it says what then: stop leaves`);
  })
  .describe(
    "when a machine is idle, and what follows; all of its ways have to say so. Without it nobody looks",
  );

export type Idle = z.output<typeof idleSchema>;

/** What of a wish `idle` has to fit. */
interface Around {
  readonly gpus: number;
  readonly idle?: Idle | undefined;
  readonly ready?: { readonly address: string } | undefined;
  readonly allOrNothing?: unknown;
}

/** Holds `idle` to the rest of its wish, where people write it. */
export function fittingIdle({ gpus, idle, ready, allOrNothing }: Around, context: z.RefinementCtx): void {
  if (!idle) return;
  const issue = (path: string, message: string): void =>
    context.addIssue({ code: "custom", path: ["idle", path], message });
  if ((idle.keep ?? 0) > gpus)
    issue("keep", `expected at most gpus, which is ${gpus}: else nothing would ever be given back`);
  if (idle.then === "stop" && allOrNothing !== undefined)
    issue(
      "then",
      "expected drain or tell: the fleet wants all or nothing (allOrNothing), and stop gives back a part",
    );
  if ((idle.gpud ?? idle.dcgm) && idle.address === undefined && ready === undefined)
    issue(
      "address",
      "expected the connection detail that holds a machine's address: ready, which could say it, is not there",
    );
}
