import { readFile } from "node:fs/promises";
import { z } from "zod";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { parseDocument } from "../../service/document/document.ts";
import type { DocumentProblem } from "../../service/document/document-problem.ts";
import { nameSchema } from "../../service/text/name.ts";
import { someGpus } from "../fleet/wish/wish.ts";

const ID = "{id}";
const QUANTITY = /^\d+(\.\d+)?(m|[kMGTPE]i?|Ki)?$/;

const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => QUANTITY.test(text), "expected a quantity of Kubernetes, such as 208, 1800Gi or 500m");

const nodeSchema = z.strictObject({
  labels: z.record(z.string(), z.string()).default({}),
  taints: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        value: z.string().default(""),
        effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
      }),
    )
    .default([]),
  allocatable: z.record(z.string(), quantity).describe("what pods may have of it"),
});

const groupSchema = z.strictObject({
  fleet: nameSchema,
  gpusPerNode: someGpus.describe("GPUs of one machine, which is one node: all of the fleet have as many"),
  node: nodeSchema
    .optional()
    .describe("what a new node is like; without it the autoscaler knows that of nodes that are there"),
});
export type Group = z.output<typeof groupSchema>;

const groupsSchema = z.strictObject({
  providerId: z
    .string()
    .refine((text) => text.split(ID).length === 2 && text.length > ID.length, {
      message: `expected a text with ${ID} once, where the deployment's id stands, such as k3s://${ID}`,
    })
    .default(`fleetkeeper://${ID}`)
    .describe("spec.providerID of the node that a machine is"),
  gpuLabel: z.string().default("").describe("the label that nodes with GPUs have"),
  groups: z.array(groupSchema).nonempty("expected at least one group"),
});
export type Groups = z.output<typeof groupsSchema>;

/** Reads the file that says which fleets are node groups. Throws CONFIG, which names the line. */
export async function readGroups(path: string): Promise<Groups> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new FleetkeeperError("CONFIG", `--groups ${path}: it cannot be read: ${cause.message}`, { cause });
  });
  return parseDocument(text, path, groupsSchema, problemsOf).value;
}

const NEEDED = ["cpu", "memory", "pods"];

function problemsOf({ groups }: Groups): readonly DocumentProblem[] {
  return groups.flatMap(({ fleet, node }, index): readonly DocumentProblem[] => {
    const path = ["groups", index];
    const lacking = node ? NEEDED.filter((name) => !(name in node.allocatable)) : [];
    return [
      ...(groups.slice(0, index).some((before) => before.fleet === fleet)
        ? [{ path: [...path, "fleet"], message: `${fleet} is a group before: name each fleet once` }]
        : []),
      ...(lacking.length > 0
        ? [
            {
              path: [...path, "node", "allocatable"],
              message: `lacks ${lacking.join(" and ")}: the autoscaler takes that for 0, and no pod fits`,
            },
          ]
        : []),
    ];
  });
}

/** How the node of a machine calls itself. */
export function providerIdOf({ providerId }: Groups, id: string): string {
  return providerId.replace(ID, () => id);
}

/** Which machine a node is. Undefined: it is none of this file's. */
export function machineNamed({ providerId }: Groups, said: string): string | undefined {
  const [before = "", after = ""] = providerId.split(ID);
  const isOurs =
    said.length > before.length + after.length && said.startsWith(before) && said.endsWith(after);
  return isOurs ? said.slice(before.length, said.length - after.length) : undefined;
}
