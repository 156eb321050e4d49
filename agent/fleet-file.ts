import { dirname, isAbsolute, resolve } from "node:path";
import { z } from "zod";
import type { PartialConfiguration } from "../launch/configuration.ts";
import type { Problem } from "../service/document.ts";
import { parseDocument } from "../service/document.ts";
import type { FleetDeclaration } from "./fleets.ts";
import { oneSource, wishShape } from "./wish.ts";

const text = z.string().min(1);

const fleetSchema = z
  .strictObject({
    name: text.regex(
      /^[a-z0-9][a-z0-9._-]{0,62}$/i,
      "expected letters, digits, dots, underscores and hyphens",
    ),
    previousName: text.optional().describe("how this fleet was called before: its machines stay its own"),
    ...wishShape,
  })
  .superRefine(oneSource);

/** A fleet file: which service, which account, and the fleets that are wanted there. */
export const fleetFileSchema = z.strictObject({
  service: z
    .strictObject({
      baseUrl: z.url().optional(),
      profile: text.optional().describe("path of the wire profile, relative to this file"),
      ledger: text.optional().describe("path of the ledger, relative to this file"),
      account: z
        .enum(["exclusive", "shared"])
        .optional()
        .describe(
          "exclusive: nobody else launches or stops in this account, no person by hand and no other ledger",
        ),
    })
    .default({}),
  fleets: z.array(fleetSchema),
});

export interface FleetFile {
  /** Who owns its fleets: `file:` and the whole path. */
  readonly source: string;
  readonly configuration: PartialConfiguration;
  readonly fleets: readonly FleetDeclaration[];
}

/** Reads a fleet file. Throws CONFIG with file, line, column, what was expected and the remedy, all problems at once. */
export function parseFleetFile(content: string, path: string): FleetFile {
  const { value } = parseDocument(content, path, fleetFileSchema, (file) => repeatedNames(file.fleets));
  const folder = dirname(resolve(path));
  const inFolder = (name: string | undefined): string | undefined =>
    name === undefined || isAbsolute(name) || name.startsWith("sqlite:") ? name : resolve(folder, name);
  const { baseUrl, profile, ledger, account } = value.service;
  const source = `file:${resolve(path)}`;
  return {
    source,
    configuration: { baseUrl, profile: inFolder(profile), ledger: inFolder(ledger), account },
    fleets: value.fleets.map(({ name, previousName, ...wish }) => ({
      name,
      previousName,
      source,
      wish,
    })),
  };
}

function repeatedNames(fleets: readonly { readonly name: string }[]): readonly Problem[] {
  const names = fleets.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ path: ["fleets", index, "name"], message: `a fleet is called ${name} already: names are unique` }]
      : [],
  );
}
