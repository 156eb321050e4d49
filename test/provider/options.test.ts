import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, it } from "vitest";
import type { FleetkeeperResourceOptions } from "../../provider/index.ts";
import { Deployment, Fleet } from "../../provider/index.ts";
import { COMBINATION } from "./support.ts";

const make = {
  Deployment: (opts: FleetkeeperResourceOptions) => new Deployment("web", COMBINATION, opts),
  Fleet: (opts: FleetkeeperResourceOptions) => new Fleet("web", { gpus: 1, select: {} }, opts),
};

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: () => ({}),
  });
});

it.each(["Deployment", "Fleet"] as const)(
  "both halves of a %s get the options that a component keeps",
  (kind) => {
    const seen: (readonly [string, pulumi.ResourceOptions])[] = [];
    make[kind]({
      deleteBeforeReplace: true,
      retainOnDelete: true,
      ignoreChanges: ["candidates"],
      hideDiffs: ["budget"],
      transformations: [({ type, opts }) => void seen.push([type, opts])],
    });
    const halves = seen.filter(([type]) => type.startsWith("pulumi-nodejs:dynamic/"));
    expect(halves).toHaveLength(2);
    for (const [, opts] of halves)
      expect(opts).toMatchObject({
        deleteBeforeReplace: true,
        retainOnDelete: true,
        ignoreChanges: ["candidates"],
        hideDiffs: ["budget"],
      });
  },
);

it.each(["Deployment", "Fleet"] as const)(
  "a hook of a %s belongs to one half: to the inner one before anything is stopped, to the outer one once all has ended",
  (kind) => {
    const seen = new Map<string, readonly string[]>();
    // Registered nowhere: what is asked is only whose they are.
    const hook = { name: "hook", __pulumiResourceHook: true } as unknown as pulumi.ResourceHook;
    make[kind]({
      hooks: { beforeCreate: [hook], afterUpdate: [hook], beforeDelete: [hook], afterDelete: [hook] },
      transformations: [({ type, opts }) => void seen.set(type, Object.keys(opts.hooks ?? {}))],
    });
    const [outer, inner] = { Deployment: ["Slot", "Machine"], Fleet: ["Fleet", "Wish"] }[kind];
    expect(Object.fromEntries(seen)).toEqual({
      [`fleetkeeper:index:${kind}`]: [],
      [`pulumi-nodejs:dynamic/fleetkeeper:${outer}`]: ["afterDelete"],
      [`pulumi-nodejs:dynamic/fleetkeeper:${inner}`]: ["beforeCreate", "afterUpdate", "beforeDelete"],
    });
  },
);

it.each<[object, string, string]>([
  [{ customTimeouts: { create: "1h" } }, "customTimeouts", "set the argument timeouts"],
  [{ import: "0b6f5a4e" }, "import", "fleetkeeper adopt ID"],
  [{ replaceOnChanges: ["gpus"] }, "replaceOnChanges", "pulumi up --replace"],
  [{ replacementTrigger: 2 }, "replacementTrigger", "pulumi up --replace"],
  [{ replaceWith: [] }, "replaceWith", "triggers"],
  [{ deletedWith: { urn: pulumi.output("a-urn") } }, "deletedWith", "retainOnDelete"],
])("an option that would do nothing is refused, with what to do instead: %o", (opts, name, instead) => {
  for (const kind of ["Deployment", "Fleet"] as const) {
    expect(() => make[kind](opts as FleetkeeperResourceOptions)).toThrow(`the option ${name} has no effect`);
    expect(() => make[kind](opts as FleetkeeperResourceOptions)).toThrow(instead);
  }
});
