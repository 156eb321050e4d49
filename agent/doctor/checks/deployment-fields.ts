import { abilitiesOf } from "../../../service/abilities.ts";
import { isConstant } from "../../../service/place.ts";
import type { Deployment } from "../../../service/service.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { knownPlaces } from "../known.ts";
import type { SeenRest } from "../look.ts";
import { recordsOf } from "../records.ts";
import { addition, yamlText } from "../remedy.ts";
import { type Check, count, type Remedy } from "../report.ts";
import { deploymentShapes } from "../shape/fields.ts";
import { guessFields } from "../shape/guess.ts";
import { leavesOf } from "../shape/leaves.ts";
import { gpusPlace, priceGuess } from "../shape/prices.ts";
import { connectionLines, guessLine, inventory } from "../shape/proposal.ts";
import { priceCheck } from "./prices.ts";

interface FieldMeaning {
  readonly fields: readonly Exclude<
    keyof NonNullable<NonNullable<DoctorInput["loaded"]["profile"]["deployments"]>["fields"]>,
    "pricePerGpuHour"
  >[];
  /** What does not work without it. */
  readonly without: string;
  /** The deployments that can have it. Default: all. */
  readonly expected?: (deployment: Deployment) => boolean;
}

const MEANINGS: readonly FieldMeaning[] = [
  {
    fields: ["offer", "provider", "location"],
    without:
      "nobody can say whether a machine that is already there fits a fleet, so a new fleet waits until each one is adopted or disowned",
  },
  {
    fields: ["gpus"],
    without: "the GPUs of a machine are taken from its launch, and those of an adopted machine are unknown",
  },
  {
    fields: ["pricePerHour"],
    without: "spend and runway are estimates from what the offers or the fleet file said at the launch",
  },
  { fields: ["createdAt"], without: "ages are counted from when fleetkeeper first saw a machine" },
  {
    fields: ["failureReason", "suggestedAction"],
    without:
      "history shows only the code of a failure; the service's dashboard shows its reason once and never again",
    expected: ({ status }) => status === "failed",
  },
  {
    fields: ["connection"],
    without: "fleetkeeper cannot tell you or your hooks how to reach a machine",
    expected: ({ status }) => status === "running",
  },
];

/** Machines that are active already: a new fleet first asks whether they are its own (design 4.7). */
export function presentCheck(
  { loaded, configuration, seen }: DoctorInput,
  { deployments }: SeenRest,
): readonly Check[] {
  const active = (deployments?.value ?? []).filter(
    ({ status }) => status !== "stopping" && seen?.service.isTerminal(status) !== true,
  );
  const { combination } = abilitiesOf(loaded.profile);
  const isExclusive = configuration.account === "exclusive";
  if (active.length === 0 || (isExclusive && combination)) return [];
  const why = isExclusive
    ? "nobody can say whether they fit, since offer, provider and location are not mapped"
    : "they may be somebody else's, since the account is not stated to be exclusive";
  return [
    {
      id: "deployments.present",
      section: "deployments",
      level: "warning",
      says: `${count(active.length, "machine")} ${active.length === 1 ? "is" : "are"} active here. If the ledger does not know them yet, ${why}: a new fleet waits for a word about each.`,
      remedy: {
        text: `For each one: fleetkeeper adopt ID --fleet NAME, or fleetkeeper disown ID${isExclusive ? "" : "; or set match: none in the fleet to go ahead without"}`,
      },
    },
  ];
}

/** Which fields are mapped and found, which are mapped but found nowhere, and which are not mapped. */
export function fieldChecks(input: DoctorInput, { deployments }: SeenRest): readonly Check[] {
  const { loaded } = input;
  const list = deployments?.value ?? [];
  const fields: Readonly<Record<string, unknown>> = loaded.profile.deployments?.fields ?? {};
  const works: string[] = [];
  const unseen: string[] = [];
  const checks: Check[] = [];
  const unmapped: string[] = [];
  const costs: string[] = [];
  for (const { fields: names, without, expected = () => true } of MEANINGS) {
    const isMapped = (name: string): boolean =>
      fields[name] !== undefined || (name === "pricePerHour" && fields.pricePerGpuHour !== undefined);
    const missing = names.filter((name) => !isMapped(name));
    if (missing.length > 0) {
      unmapped.push(...missing);
      costs.push(`${missing.join(", ")}: ${without}`);
    }
    const relevant = list.filter(expected);
    for (const name of names.filter((each) => !missing.includes(each))) {
      const present = relevant.filter((deployment) => deployment[name] !== undefined).length;
      if (present > 0) works.push(name);
      else if (relevant.length === 0) unseen.push(name);
      else checks.push(nothingThere(input, name, relevant.length));
    }
  }
  if (works.length > 0) {
    checks.unshift({
      id: "deployments.fields",
      section: "deployments",
      level: "ok",
      says: `Mapped, and found: ${works.join(", ")}.`,
    });
  }
  if (unseen.length > 0) checks.push(unseenCheck(unseen, deployments));
  checks.push(...priceCheck(input, "deployments", recordsOf(input)));
  if (unmapped.length > 0) checks.push(unmappedCheck(input, unmapped, costs));
  return checks;
}

function unseenCheck(unseen: readonly string[], deployments: SeenRest["deployments"]): Check {
  const base = { id: "deployments.unseen", section: "deployments" } as const;
  const names = unseen.join(", ");
  if (deployments?.value === undefined) {
    return {
      ...base,
      level: "skipped",
      says: `Mapped, but not compared, since the list cannot be read: ${names}.`,
    };
  }
  const when =
    deployments.value.length === 0
      ? "They show once a deployment exists"
      : "They show on a deployment that runs, or on one that failed";
  return { ...base, level: "ok", says: `Mapped, but with nothing to compare yet: ${names}. ${when}.` };
}

function nothingThere(input: DoctorInput, name: string, among: number): Check {
  const { loaded } = input;
  const pointer = (loaded.profile.deployments?.fields as Readonly<Record<string, unknown>> | undefined)?.[
    name
  ];
  const where = typeof pointer === "string" ? ` at ${pointer}` : "";
  const lines = fieldLines(input, [name]);
  return {
    id: `deployments.fields.${name}`,
    section: "deployments",
    level: "warning",
    says: `The profile maps ${name}, but none of ${count(among, "deployment")} has anything${where}.`,
    remedy:
      lines.length === 0
        ? {
            text: "Correct the pointer, or take the line out",
            at: loaded.locate(["deployments", "fields", name]),
          }
        : {
            text: `Write in the profile, instead of what stands at "deployments.fields.${name}"`,
            at: loaded.locate(["deployments", "fields", name]),
            lines: lines.map((line) => `    ${line}`),
            proposed: true,
          },
  };
}

function unmappedCheck(input: DoctorInput, unmapped: readonly string[], costs: readonly string[]): Check {
  return {
    id: "deployments.unmapped",
    section: "deployments",
    level: "warning",
    says: `Not mapped: ${unmapped.join(", ")}. No launch needs them, but:`,
    details: costs,
    remedy: unmappedRemedy(input, unmapped),
  };
}

function unmappedRemedy(input: DoctorInput, unmapped: readonly string[]): Remedy {
  const { loaded, redact } = input;
  const path = ["deployments", "fields"];
  const lines = [...fieldLines(input, unmapped), ...constantLines(input, unmapped)];
  if (lines.length > 0) return { ...addition(loaded, path, lines, "announced"), proposed: true };
  const records = recordsOf(input);
  if (records.length > 0) {
    const mapped = new Set(Object.values(loaded.profile.deployments?.fields ?? {}));
    const rest = leavesOf(records).filter(({ pointer }) => !mapped.has(pointer));
    const what = rest.length === 0 ? "nothing" : inventory(rest, redact).join(", ");
    return {
      text: `Nothing in ${count(records.length, "deployment")} looks like one of these; beside what is mapped they hold ${what}`,
    };
  }
  const gaps = unmapped.map((name) =>
    name === "connection"
      ? "connection: { <a name of your choice>: <JSON Pointer in one deployment> }"
      : `${name}: <JSON Pointer in one deployment to its ${name}>`,
  );
  const added = addition(loaded, path, gaps, "announced");
  return {
    ...added,
    text: `Where they stand is proposed here once a deployment exists. If you know it before: ${added.text}`,
  };
}

/** Lines for the values that `offers.fields` fixes because the service has one only: machines share them. */
function constantLines({ loaded }: DoctorInput, unmapped: readonly string[]): readonly string[] {
  const fields = loaded.profile.offers?.fields;
  const known = { offer: fields?.id, provider: fields?.provider, location: fields?.location };
  return Object.entries(known).flatMap(([name, place]) =>
    unmapped.includes(name) && isConstant(place)
      ? [`${name}: { value: ${yamlText(String(place.value))} }  # as in offers.fields`]
      : [],
  );
}

/** One line for each of these fields that the records seem to hold. All fields, if `names` is empty. */
export function fieldLines(input: DoctorInput, names: readonly string[]): readonly string[] {
  const { redact, loaded } = input;
  const fields: Readonly<Record<string, unknown>> = loaded.profile.deployments?.fields ?? {};
  const wanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const elsewhere = new Set(
    Object.entries(fields).flatMap(([name, pointer]) =>
      wanted(name) || typeof pointer !== "string" ? [] : [pointer],
    ),
  );
  const leaves = leavesOf(recordsOf(input)).filter(({ pointer }) => !elsewhere.has(pointer));
  const all = guessFields(leaves, deploymentShapes(knownPlaces(input)));
  const gpus = gpusPlace(loaded.profile.deployments?.fields.gpus, all);
  const guesses = all
    .filter(({ field }) => wanted(field))
    .map((guess) => priceGuess(guess, recordsOf(input), leaves, gpus))
    .filter(({ field, pointer }) => fields[field] !== pointer);
  const connection = wanted("connection") ? connectionLines(leaves) : [];
  return [...guesses.map((guess) => guessLine(guess, redact)), ...connection];
}
