import { dirname, resolve } from "node:path";
import { z } from "zod";
import { EXCLUSIVE_MEANS, ledgerAddress, type PartialConfiguration } from "../../../account/configuration.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { hasPassword, isPostgresUrl } from "../../../ledger/postgres/address.ts";
import type { Policy } from "../../../policy/rules.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { parseDocument } from "../../../service/document/document.ts";
import type { DocumentProblem, Path } from "../../../service/document/document-problem.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { profileSettingsSchema, type Settings } from "../../../service/profile/settings.ts";
import { isShipped } from "../../../service/profile/shipped.ts";
import { durationSchema, EXPECTED_DURATION, milliseconds } from "../../../service/text/duration.ts";
import type { Budget } from "../declare/budgets.ts";
import type { FleetDeclaration } from "../declare/fleets.ts";
import { policyProblems, policySchema } from "../declare/policies.ts";
import { DEFAULT_SHORT_RUNWAY_MS } from "../money/runway.ts";
import { partName } from "../phase/part.ts";
import { fittingWish } from "../wish/fitting-wish.ts";
import { fromVariable } from "../wish/from-variable.ts";
import { metricProblems } from "../wish/metric-wish.ts";
import { amongProblem, SPREAD_ALONE, servicesShape } from "../wish/services-wish.ts";
import { fittingSize, largestSize, sizeOf, sizeShape } from "../wish/sized.ts";
import { addressedChecks, pricedCandidates, wishShape } from "../wish/wish.ts";
import { budgetProblems, budgetsSchema } from "./budgets-file.ts";
import { aliasesOf, aliasProblems, aliasSchema, withAliases } from "./model-aliases.ts";
import { type NotifySettings, notifyProblems, notifySchema } from "./notify-settings.ts";
import { apiSchema, type TrustedIssuer } from "./trusted-issuers.ts";

const text = z.string().min(1);

const shortName = text.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  "expected letters, digits, dots, underscores and hyphens",
);

const fleetSchema = z
  .strictObject({
    name: shortName,
    service: text.optional().describe("which one of services it is kept in"),
    ...servicesShape,
    previousName: text.optional().describe("how this fleet was called before: its machines stay its own"),
    ...wishShape,
    ...sizeShape,
  })
  .superRefine((fleet, context) => fittingSize(fleet, context))
  .superRefine(pricedCandidates)
  .superRefine((fleet, context) => fittingWish({ ...fleet, gpus: largestSize(fleet) }, context))
  .superRefine(addressedChecks)
  // For editors only. `sourceProblems` checks the same, with a message that says what to do.
  .meta({
    oneOf: ["candidates", "select"].map((key) => ({
      type: "object",
      properties: { [key]: {} },
      required: [key],
    })),
  });

const baseUrl = text.describe("address of the service, such as https://gpu.example.com");
const profile = text.describe(
  "path of the wire profile, relative to this file; or the name of one that ships, as fleetkeeper clouds shows it",
);
const ledger = text
  .optional()
  .describe("path of the ledger, relative to this file; or postgres://USER@HOST:PORT/DATABASE");
const account = z.enum(["exclusive", "shared"]).describe(`exclusive: ${EXCLUSIVE_MEANS}`);

// `writeOnly`: a credential that is written here all the same stands in no message.
const apiKey = fromVariable.meta({
  description: "the variable that holds the credential; with _FILE behind it, it names a file",
  writeOnly: true,
});

/** One of several services. Each says all of it: a variable of the environment would be one for all. */
const oneOfServices = z.strictObject({
  baseUrl,
  profile,
  settings: profileSettingsSchema.optional(),
  account,
  apiKey,
});

/** A fleet file: which services, which accounts, and the fleets that are wanted there. */
export const fleetFileSchema = z.strictObject({
  service: z
    .strictObject({
      baseUrl: baseUrl.optional(),
      profile: profile.optional(),
      settings: profileSettingsSchema.optional(),
      ledger,
      account: account.optional(),
      apiKey: apiKey.optional(),
    })
    .optional(),
  services: z
    .record(shortName, oneOfServices)
    .optional()
    .describe("several services in the place of service: name and settings of each"),
  ledger: ledger.describe("with services: the ledger of all of them"),
  previousPath: text.optional().describe("where this file was before it was moved: its fleets stay its own"),
  alerts: z
    .strictObject({
      runway: z
        .union([z.literal("never"), durationSchema], { error: `${EXPECTED_DURATION}, or never` })
        .optional()
        .describe("people are told when the balance lasts less than this; never: they are not"),
      // The older form of `runway`, from before there were durations.
      runwayHours: z
        .number()
        .min(0)
        .max(8760)
        .optional()
        .meta({ deprecated: true, description: "see runway" }),
    })
    .prefault({}),
  notify: notifySchema.describe("who is told what happens"),
  gpuModels: aliasSchema,
  budgets: budgetsSchema,
  policy: policySchema,
  api: apiSchema.describe("who may order over HTTP beside those who have a token of fleetkeeper token"),
  fleets: z.array(fleetSchema),
});

/** Of a fleet file only where its services, their accounts and the ledger are. */
const settingsSchema = fleetFileSchema.extend({
  alerts: z
    .unknown()
    .optional()
    .transform((): FileValue["alerts"] => ({})),
  notify: z
    .unknown()
    .optional()
    .transform(() => notifySchema.parse(undefined)),
  gpuModels: z
    .unknown()
    .optional()
    .transform((): FileValue["gpuModels"] => ({})),
  budgets: z
    .unknown()
    .optional()
    .transform((): FileValue["budgets"] => []),
  policy: z
    .unknown()
    .optional()
    .transform((): FileValue["policy"] => []),
  api: z
    .unknown()
    .optional()
    .transform((): FileValue["api"] => ({ oidc: [] })),
  fleets: z
    .unknown()
    .optional()
    .transform((): FileValue["fleets"] => []),
});

/** The JSON Schema of a fleet file, for editors. */
export function fleetFileJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(fleetFileSchema, { io: "input" });
}

export interface FleetFile {
  /** Who owns its fleets: `file:` and the whole path. */
  readonly source: string;
  /** Who owned them at the path where the file was before, if it says so. */
  readonly previousSource?: string;
  readonly configuration: PartialConfiguration;
  /** The variable that holds the credential, where the file names one. */
  readonly apiKeyFrom?: string;
  /** Milliseconds: people are told when the balance lasts less. */
  readonly shortRunway: number;
  /** The file itself says so. */
  readonly saysRunway: boolean;
  readonly notify: NotifySettings;
  readonly budgets: readonly FileBudget[];
  /** What each fleet has to say that is declared in its accounts. */
  readonly policies: readonly Policy[];
  /** Whose OpenID Connect tokens may order over HTTP. */
  readonly trusted: readonly TrustedIssuer[];
  readonly fleets: readonly FileFleet[];
  /** Of fleets that several services keep: their parts in those that they do not name. */
  readonly leaving: readonly FileFleet[];
  /** All services of a file with several. Then `configuration` has the ledger alone. See `ofService`. */
  readonly services: readonly FileService[];
  /** The one of them that `configuration` and `fleets` are of. */
  readonly service?: FileService;
  /** Fleets of the others, and the name of the service that each is of. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

interface FileFleet extends FleetDeclaration {
  /** Only in a file with several services. */
  readonly service?: string | undefined;
}

interface FileBudget extends Budget {
  /** Only in a file with several services. */
  readonly service?: string | undefined;
}

/** One of several services of a file. */
export interface FileService {
  readonly name: string;
  readonly baseUrl: string;
  /** The whole path. */
  readonly profile: string;
  readonly settings?: Settings | undefined;
  readonly account: "exclusive" | "shared";
  /** The variable that holds its credential. */
  readonly apiKeyFrom: string;
  /** What it calls the models that the file has other names for. */
  readonly gpuModels?: Readonly<Record<string, readonly string[]>>;
}

/** Throws CONFIG with all problems at once: file, line, column, what was expected, and the remedy. */
export function parseFleetFile(content: string, path: string): FleetFile {
  return fileOf(parse(content, path, fleetFileSchema), path);
}

/** What fleets alone may name: the services of an agent, and what each calls the models that its own file has other names for. */
export type Among = ReadonlyMap<string, NonNullable<FileService["gpuModels"]>>;

const amongSchema = fleetFileSchema.extend({ services: z.record(shortName, z.unknown()).optional() });

/**
 * The fleets of a file that has nothing else: an agent has the rest. `among`: empty where the agent has one service. Throws
 * CONFIG with all problems at once.
 */
export function parseFleets(
  fleets: readonly unknown[],
  among: Among,
  { source, path }: { readonly source: string; readonly path: string },
): Pick<FleetFile, "fleets" | "leaving"> {
  const models = [...among].flatMap(([service, names]) =>
    Object.entries(names).map(([model, its]) => [model, service, its] as const),
  );
  const gpuModels = Object.fromEntries(
    [...Map.groupBy(models, ([model]) => model)].map(([model, its]) => [
      model,
      Object.fromEntries(its.map(([, service, names]) => [service, names])),
    ]),
  );
  const services = among.size > 0 && {
    services: Object.fromEntries([...among.keys()].map((name) => [name, {}])),
  };
  const content = JSON.stringify({ fleets, gpuModels, ...services });
  const all = fleetsOf(parse(content, path, amongSchema as unknown as z.ZodType<FileValue>), source);
  return {
    fleets: all.filter(({ part }) => !part?.leaves),
    leaving: all.filter(({ part }) => part?.leaves),
  };
}

/**
 * A fleet file without its fleets, and whatever is wrong with these: what declares nothing needs only to know where
 * the services and the ledger are. Throws CONFIG.
 */
export function parseSettings(content: string, path: string): FleetFile {
  return fileOf(parse(content, path, settingsSchema), path);
}

function fileOf(value: FileValue, path: string): FleetFile {
  const folder = dirname(resolve(path));
  const inFolder = (name: string): string => resolve(folder, name);
  const profileIn = (said: string): string => (isShipped(said) ? said : inFolder(said));
  const { baseUrl, profile, settings, ledger = value.ledger, account, apiKey } = value.service ?? {};
  const source = `file:${resolve(path)}`;
  const all = fleetsOf(value, source);
  return {
    source,
    ...(value.previousPath !== undefined && { previousSource: `file:${inFolder(value.previousPath)}` }),
    ...(apiKey && { apiKeyFrom: apiKey.env }),
    shortRunway: shortRunwayOf(value.alerts),
    // Of several services, some may show a balance.
    saysRunway:
      value.services === undefined && value.alerts.runway !== "never" && Object.keys(value.alerts).length > 0,
    configuration: {
      baseUrl,
      profile: profile && profileIn(profile),
      settings,
      // Not by the working directory: each would have a ledger of its own, and two ledgers rent twice.
      ledger: ledger && placeFrom(ledger, inFolder),
      account,
    },
    notify: value.notify,
    trusted: value.api.oidc,
    budgets: value.budgets,
    policies: value.policy,
    fleets: all.filter(({ part }) => !part?.leaves),
    leaving: all.filter(({ part }) => part?.leaves),
    services: Object.entries(value.services ?? {}).map(([name, { apiKey, ...each }]) => {
      const gpuModels = aliasesOf(value.gpuModels, name);
      return { name, ...each, profile: profileIn(each.profile), apiKeyFrom: apiKey.env, ...gpuModels };
    }),
    elsewhere: new Map(),
  };
}

/** The fleets of a file; of one that several services keep, a part in each, those that it does not name last. */
function fleetsOf(value: FileValue, source: string): readonly FileFleet[] {
  return value.fleets.flatMap(({ name, service, services, spread, previousName, ...rest }): FileFleet[] => {
    const fleet = { name, previousName, source };
    const { schedule: _schedule, metric: _metric, ...unsized } = rest;
    const wish = { ...unsized, ...sizeOf(rest) };
    const named = (at: string | undefined) => ({ wish: withAliases(wish, value.gpuModels, at) });
    if (services === undefined)
      return [{ ...fleet, ...named(service), ...(service !== undefined && { service }) }];
    const its = namesOf(services, value);
    const others = Object.keys(value.services ?? {}).filter((each) => !its.includes(each));
    return [...its, ...others].map((each, index) => ({
      ...fleet,
      ...named(each),
      name: partName(name, each, index),
      service: each,
      part: {
        ...{ of: name, service: each, ...(spread && { atLeast: spread.atLeast }) },
        ...(index >= its.length && { leaves: true }),
      },
    }));
  });
}

function namesOf(
  services: "all" | readonly string[],
  { services: all = {} }: Pick<FileValue, "services">,
): readonly string[] {
  return services === "all" ? Object.keys(all) : services;
}

function placeFrom(setting: string, inFolder: (name: string) => string): string {
  const place = ledgerAddress(setting);
  return isPostgresUrl(place) ? place : inFolder(place);
}

type FileValue = z.output<typeof fleetFileSchema>;

function parse(content: string, path: string, schema: z.ZodType<FileValue>): FileValue {
  try {
    return parseDocument(content, path, schema, problemsOf, aboutUnknown).value;
  } catch (error) {
    if (!(error instanceof FleetkeeperError)) throw error;
    throw new FleetkeeperError(error.code, withExample(error.message), { cause: error });
  }
}

const EXAMPLE = `A fleet file looks like this:
fleets:
  - name: training
    gpus: 8
    select:
      gpuModel: H100`;

/** Adds an example where the file never was a fleet file. */
function withExample(message: string): string {
  const isForeign = /:\d+ (fleets: (is missing|expected)|the file is empty|expected a mapping)/.test(message);
  return isForeign ? `${message}\n${EXAMPLE}` : message;
}

/** Finds a credential, which the schema cannot know. In `notify` or a fleet such a key is another secret. */
function aboutUnknown(path: Path): string | undefined {
  if (path[0] === "services" && path.at(-1) === "ledger")
    return "one ledger has all services: write it beside services";
  const isPlace = path.length === 1 || path[0] === "service" || path[0] === "services";
  if (!isPlace || !/key|secret|token|password|credential/i.test(String(path.at(-1)))) return undefined;
  if (path[0] === "services")
    return "the credential never stands in a fleet file: take it out, and name the variable that holds it, with apiKey: { env: NAME }";
  return "the credential never stands in a fleet file: take it out, and set FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE";
}

function shortRunwayOf({ runway, runwayHours }: FileValue["alerts"]): number {
  if (runway !== undefined) return runway === "never" ? 0 : milliseconds(runway);
  return runwayHours === undefined ? DEFAULT_SHORT_RUNWAY_MS : runwayHours * HOUR_MS;
}

function problemsOf(value: FileValue): readonly DocumentProblem[] {
  const { service = {}, services = {}, ledger, previousPath, alerts, notify, fleets } = value;
  const isTwice = alerts.runway !== undefined && alerts.runwayHours !== undefined;
  const twice = "stands beside runway, which says the same: keep runway";
  return [
    ...settingsProblems(["service"], service),
    ...Object.entries(services).flatMap(([name, each]) => settingsProblems(["services", name], each)),
    ...settingsProblems([], { ledger, previousPath }),
    ...formProblems(value),
    ...sameAccounts(services),
    ...(isTwice ? [{ path: ["alerts", "runwayHours"], at: "key" as const, message: twice }] : []),
    ...notifyProblems(notify, "notify"),
    ...fleetServices(value),
    ...aliasProblems(value),
    ...budgetProblems(value),
    ...policyProblems(value.policy, fleets),
    ...sourceProblems(fleets),
    ...fleets.flatMap(({ metric }, index) =>
      metric ? metricProblems(metric, ["fleets", index, "metric"]) : [],
    ),
    ...repeatedNames(fleets),
  ];
}

/** What is said of one service, or of all. */
interface Said {
  readonly baseUrl?: string | undefined;
  readonly profile?: string | undefined;
  readonly ledger?: string | undefined;
  readonly previousPath?: string | undefined;
}

function settingsProblems(at: Path, said: Said): readonly DocumentProblem[] {
  return [...addressProblems(at, said), ...pathProblems(at, said), ...passwordProblems(at, said)];
}

function addressProblems(at: Path, { baseUrl }: Said): readonly DocumentProblem[] {
  const message = baseUrl === undefined ? undefined : addressProblem(baseUrl);
  return message === undefined ? [] : [{ path: [...at, "baseUrl"], message }];
}

function addressProblem(baseUrl: string): string | undefined {
  try {
    checkBaseUrl(baseUrl);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Only a shell knows `~`: here it would be a folder of that name. */
function pathProblems(at: Path, said: Said): readonly DocumentProblem[] {
  return (["profile", "ledger", "previousPath"] as const).flatMap((key) =>
    /^(sqlite:(\/\/)?)?~/.test(said[key] ?? "")
      ? [{ path: [...at, key], message: "~ is not expanded in a file: write the whole path" }]
      : [],
  );
}

/** Fleet files are committed, copied and shown. */
function passwordProblems(at: Path, { ledger = "" }: Said): readonly DocumentProblem[] {
  if (!hasPassword(ledger)) return [];
  const message =
    "a password never stands in a fleet file: take it out of the URL, and set PGPASSWORD or PGPASSWORD_FILE";
  return [{ path: [...at, "ledger"], message }];
}

/** A file has one `service`, with its ledger in it, or `services` with one ledger beside them. */
function formProblems({ service, services, ledger }: FileValue): readonly DocumentProblem[] {
  const at = "key" as const;
  if (!services) {
    const message = "goes with services: where a file has one service, write service.ledger";
    return ledger === undefined ? [] : [{ path: ["ledger"], at, message }];
  }
  if (service) {
    const message = "stands beside service: keep one of the two; several services all stand under services";
    return [{ path: ["services"], at, message }];
  }
  const none = "names no service: add one, or take services out and write service";
  return Object.keys(services).length === 0 ? [{ path: ["services"], message: none }] : [];
}

/** Two agents would keep one account. Two credentials of one account are found when they are used. */
function sameAccounts(services: NonNullable<FileValue["services"]>): readonly DocumentProblem[] {
  const seen = new Map<string, string>();
  return Object.entries(services).flatMap(([name, { baseUrl, apiKey }]) => {
    if (addressProblem(baseUrl) !== undefined) return [];
    const account = `${checkBaseUrl(baseUrl)} ${apiKey.env}`;
    const first = seen.get(account);
    seen.set(account, first ?? name);
    const message = `is the same account as ${first}: it has the same address and the same credential (${apiKey.env}). Keep one of the two, or name another variable`;
    return first === undefined ? [] : [{ path: ["services", name], at: "key" as const, message }];
  });
}

function fleetServices({ services, fleets }: FileValue): readonly DocumentProblem[] {
  const names = Object.keys(services ?? {});
  return fleets.flatMap((fleet, index): readonly DocumentProblem[] => {
    const { service } = fleet;
    const path = ["fleets", index];
    if (!services) {
      const alone = "goes with services: this file has one service, so take it out";
      return (["service", "services"] as const)
        .filter((key) => fleet[key] !== undefined)
        .map((key) => ({ path: [...path, key], at: "key" as const, message: alone }));
    }
    if (fleet.services !== undefined || fleet.spread) return severalProblems(fleet, names, path);
    if (service === undefined)
      return [{ path, message: `says nowhere which service keeps it: add service: ${names.join(" or ")}` }];
    if (names.includes(service)) return [];
    const message = `expected one of services (${names.join(", ")}), got ${JSON.stringify(service)}`;
    return [{ path: [...path, "service"], message }];
  });
}

/** What is wrong with a fleet that is kept in several services. */
function severalProblems(
  { service, services, spread, previousName }: FileValue["fleets"][number],
  names: readonly string[],
  path: Path,
): readonly DocumentProblem[] {
  const at = (key: string, message: string): readonly DocumentProblem[] => [
    { path: [...path, key], at: "key", message },
  ];
  if (services === undefined) return at("spread", SPREAD_ALONE);
  if (service !== undefined) return at("services", "stands beside service: keep one of the two");
  const its = services === "all" ? names : services;
  const unknown = its.find((name) => !names.includes(name));
  if (unknown !== undefined)
    return at("services", `expected some of services (${names.join(", ")}), got ${JSON.stringify(unknown)}`);
  const among = amongProblem(its, spread);
  if (among) return at(among.key, among.message);
  if (previousName !== undefined)
    return at("previousName", "a fleet that several services keep keeps its name: take it out");
  return [];
}

/** Like `oneSource` in wish.ts, at the line that has to be corrected. */
function sourceProblems(fleets: FileValue["fleets"]): readonly DocumentProblem[] {
  return fleets.flatMap(({ candidates, select }, index) => {
    if ((candidates === undefined) !== (select === undefined)) return [];
    const path = ["fleets", index];
    const both = "stands beside candidates: keep one of the two";
    const neither =
      "says nowhere what may be rented: add candidates (combinations of offer, provider and location) or " +
      "select (a choice among the service's offers)";
    return candidates
      ? { path: [...path, "select"], at: "key" as const, message: both }
      : { path, message: neither };
  });
}

function repeatedNames(fleets: readonly { readonly name: string }[]): readonly DocumentProblem[] {
  const names = fleets.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ path: ["fleets", index, "name"], message: `a fleet is called ${name} already: names are unique` }]
      : [],
  );
}
