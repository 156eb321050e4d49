import { z } from "zod";
import type { DocumentProblem } from "../../../service/document/document-problem.ts";
import { nameSchema } from "../../../service/text/name.ts";
import { isModel, modelProblems, modelsOf, type Wish } from "../wish/wish.ts";

/** What a service calls a model, or each of several names that it has for it. */
const namesSchema = z.union([nameSchema, z.array(nameSchema).nonempty("expected at least one name")]);

/** The key `gpuModels` of a fleet file. */
export const aliasSchema = z
  .record(
    nameSchema,
    z.union([namesSchema, z.record(nameSchema, namesSchema)], {
      error: "expected what the service calls it, a list of such, or with services { SERVICE: NAME }",
    }),
  )
  .default({})
  .describe(
    "what select may call a GPU model, and what the service calls it, or each of services; a model without an entry means itself",
  );
type Names = string | readonly string[];
type Aliases = Readonly<Record<string, Names | Readonly<Record<string, Names>>>>;

/** The wish with the names that its service has for models. */
export function withAliases<Of extends Pick<Wish, "select">>(
  wish: Of,
  aliases: Aliases,
  service: string | undefined,
): Of {
  const { select } = wish;
  if (select?.gpuModel === undefined) return wish;
  const models = modelsOf(select.gpuModel).flatMap((model) => meant(model, aliases, service));
  const worth = Object.entries(select.worth ?? {}).flatMap(([model, each]) =>
    meant(model, aliases, service).map((name) => [name, each] as const),
  );
  const [first = "", ...others] = models;
  const isOne = typeof select.gpuModel === "string" && others.length === 0;
  return {
    ...wish,
    select: {
      ...select,
      gpuModel: isOne ? first : [first, ...others],
      ...(select.worth && { worth: Object.fromEntries(worth) }),
    },
  };
}

function meant(model: string, aliases: Aliases, service: string | undefined): readonly string[] {
  const names = Object.entries(aliases).find(([alias]) => isModel(alias, model))?.[1];
  if (names === undefined) return [model];
  if (typeof names === "string" || Array.isArray(names)) return [names].flat();
  return modelsOf(Object.entries(names).find(([name]) => name === service)?.[1] ?? model);
}

/** What a service calls the models that the file has other names for, where it has any. */
export function aliasesOf(
  aliases: Aliases,
  service: string,
): { readonly gpuModels?: Readonly<Record<string, readonly string[]>> } {
  const models = Object.keys(aliases).map((model) => [model, meant(model, aliases, service)] as const);
  return models.length === 0 ? {} : { gpuModels: Object.fromEntries(models) };
}

/** An alias for a service that the file does not have, and two aliases of a fleet that mean one model. */
export function aliasProblems({
  gpuModels,
  services,
  fleets,
}: {
  readonly gpuModels: Aliases;
  readonly services?: Readonly<Record<string, unknown>> | undefined;
  readonly fleets: readonly (Pick<Wish, "select"> & { readonly service?: string | undefined })[];
}): readonly DocumentProblem[] {
  const there = Object.keys(services ?? {});
  const ofServices = Object.entries(gpuModels).flatMap(([model, names]): readonly DocumentProblem[] => {
    const path = ["gpuModels", model];
    const isForAll = typeof names === "string" || Array.isArray(names);
    if (isForAll) {
      const message = `says nowhere which service calls it so: write { ${there[0]}: NAME }`;
      return services ? [{ path, message }] : [];
    }
    if (!services)
      return [
        { path, message: "names services, and this file has one, without a name: write its NAME alone" },
      ];
    return Object.keys(names)
      .filter((name) => !there.includes(name))
      .map((name) => {
        return {
          path: [...path, name],
          at: "key",
          message: `expected one of services (${there.join(", ")}), got ${name}`,
        };
      });
  });
  const ofFleets = fleets.flatMap(({ service, ...wish }, index) => {
    const { select = {} } = withAliases(wish, gpuModels, service);
    const [first] = modelProblems(select);
    return first && modelProblems(wish.select ?? {}).length === 0
      ? [{ path: ["fleets", index, "select", "gpuModel"], message: `${first.message}, by gpuModels` }]
      : [];
  });
  return [...ofServices, ...ofFleets];
}
