import { dirname, resolve } from "node:path";
import { z } from "zod";
import type { PartialConfiguration } from "../../launch/configuration.ts";
import { EXCLUSIVE_MEANS, ledgerPlace } from "../../launch/configuration.ts";
import { HOUR_MS } from "../../ledger/instant.ts";
import { hasPassword, isPostgresUrl } from "../../ledger/postgres/address.ts";
import { checkBaseUrl } from "../../service/base-url.ts";
import { parseDocument } from "../../service/document.ts";
import type { DocumentProblem, Path } from "../../service/document-problem.ts";
import { durationSchema, EXPECTED_DURATION, milliseconds } from "../../service/duration.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { FleetDeclaration } from "./fleets.ts";
import type { NotifySettings } from "./notify-settings.ts";
import { notifyProblems, notifySchema } from "./notify-settings.ts";
import { DEFAULT_SHORT_RUNWAY_MS } from "./runway.ts";
import { wishShape } from "./wish.ts";

const text = z.string().min(1);

const fleetSchema = z
  .strictObject({
    name: text.regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
      "expected letters, digits, dots, underscores and hyphens",
    ),
    previousName: text.optional().describe("how this fleet was called before: its machines stay its own"),
    ...wishShape,
  })
  // For editors only. `sourceProblems` checks the same, with a message that says what to do.
  .meta({
    oneOf: ["candidates", "select"].map((key) => ({
      type: "object",
      properties: { [key]: {} },
      required: [key],
    })),
  });

/** A fleet file: which service, which account, and the fleets that are wanted there. */
export const fleetFileSchema = z.strictObject({
  service: z
    .strictObject({
      baseUrl: text.optional().describe("address of the service, such as https://gpu.example.com"),
      profile: text.optional().describe("path of the wire profile, relative to this file"),
      ledger: text
        .optional()
        .describe("path of the ledger, relative to this file; or postgres://USER@HOST:PORT/DATABASE"),
      account: z.enum(["exclusive", "shared"]).optional().describe(`exclusive: ${EXCLUSIVE_MEANS}`),
    })
    .default({}),
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
  fleets: z.array(fleetSchema),
});

/** The JSON Schema of a fleet file, for editors. */
export function fleetFileJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(fleetFileSchema, { io: "input" });
}

export interface FleetFile {
  /** Who owns its fleets: `file:` and the whole path. */
  readonly source: string;
  readonly configuration: PartialConfiguration;
  /** Milliseconds: people are told when the balance lasts less. */
  readonly shortRunway: number;
  readonly notify: NotifySettings;
  readonly fleets: readonly FleetDeclaration[];
}

/** Throws CONFIG with all problems at once: file, line, column, what was expected, and the remedy. */
export function parseFleetFile(content: string, path: string): FleetFile {
  const value = parse(content, path);
  const folder = dirname(resolve(path));
  const inFolder = (name: string): string => resolve(folder, name);
  const { baseUrl, profile, ledger, account } = value.service;
  const source = `file:${resolve(path)}`;
  return {
    source,
    shortRunway: shortRunwayOf(value.alerts),
    configuration: {
      baseUrl,
      profile: profile && inFolder(profile),
      // Not by the working directory: each would have a ledger of its own, and two ledgers rent twice.
      ledger: ledger && placeFrom(ledger, inFolder),
      account,
    },
    notify: value.notify,
    fleets: value.fleets.map(({ name, previousName, ...wish }) => ({ name, previousName, source, wish })),
  };
}

function placeFrom(setting: string, inFolder: (name: string) => string): string {
  const place = ledgerPlace(setting);
  return isPostgresUrl(place) ? place : inFolder(place);
}

type FileValue = z.output<typeof fleetFileSchema>;

function parse(content: string, path: string): FileValue {
  try {
    return parseDocument(content, path, fleetFileSchema, problemsOf, aboutUnknown).value;
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
  const isPlace = path.length === 1 || path[0] === "service";
  if (!isPlace || !/key|secret|token|password|credential/i.test(String(path.at(-1)))) return undefined;
  return "the credential never stands in a fleet file: take it out, and set FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE";
}

function shortRunwayOf({ runway, runwayHours }: FileValue["alerts"]): number {
  if (runway !== undefined) return runway === "never" ? 0 : milliseconds(runway);
  return runwayHours === undefined ? DEFAULT_SHORT_RUNWAY_MS : runwayHours * HOUR_MS;
}

function problemsOf({ service, alerts, notify, fleets }: FileValue): readonly DocumentProblem[] {
  const isTwice = alerts.runway !== undefined && alerts.runwayHours !== undefined;
  const twice = "stands beside runway, which says the same: keep runway";
  return [
    ...addressProblems(service.baseUrl),
    ...pathProblems(service),
    ...passwordProblems(service.ledger),
    ...(isTwice ? [{ path: ["alerts", "runwayHours"], at: "key" as const, message: twice }] : []),
    ...notifyProblems(notify, "notify"),
    ...sourceProblems(fleets),
    ...repeatedNames(fleets),
  ];
}

function addressProblems(baseUrl: string | undefined): readonly DocumentProblem[] {
  if (baseUrl === undefined) return [];
  try {
    checkBaseUrl(baseUrl);
    return [];
  } catch (error) {
    return [{ path: ["service", "baseUrl"], message: (error as Error).message }];
  }
}

/** Only a shell knows `~`: here it would be a folder of that name. */
function pathProblems(service: FileValue["service"]): readonly DocumentProblem[] {
  return (["profile", "ledger"] as const).flatMap((key) =>
    /^(sqlite:(\/\/)?)?~/.test(service[key] ?? "")
      ? [{ path: ["service", key], message: "~ is not expanded in a file: write the whole path" }]
      : [],
  );
}

/** Fleet files are committed, copied and shown. */
function passwordProblems(ledger = ""): readonly DocumentProblem[] {
  if (!hasPassword(ledger)) return [];
  const message =
    "a password never stands in a fleet file: take it out of the URL, and set PGPASSWORD or PGPASSWORD_FILE";
  return [{ path: ["service", "ledger"], message }];
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
