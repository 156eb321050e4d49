import type { Deployment } from "../../../service/contract/service.ts";
import { abilitiesOf } from "../../../service/profile/abilities.ts";
import { isConstant } from "../../../service/profile/place.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import { counted } from "../../../service/text/counted.ts";
import { leavesOf } from "../../propose/shape/leaves.ts";
import { inventory } from "../../propose/shape/proposal.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { fieldLines } from "../field-lines.ts";
import { recordsOf } from "../records.ts";
import { addition, proposed, replacement } from "../remedy.ts";
import { type Check, finding, type Remedy } from "../report.ts";
import type { SeenRest } from "../survey.ts";
import { priceCheck } from "./prices.ts";

interface FieldMeaning {
  readonly fields: readonly Exclude<
    keyof NonNullable<WireProfile["deployments"]>["fields"],
    "pricePerGpuHour" | "currency"
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

const PATH = ["deployments", "fields"];

/** Machines that are active already: a new fleet first asks whether they are its own (design 4.7). */
export function presentCheck(
  { loaded, configuration, seen }: DoctorInput,
  { deployments }: SeenRest,
): readonly Check[] {
  const active = (deployments.read?.value ?? []).filter(
    ({ status }) => status !== "stopping" && seen?.service.isTerminal(status) !== true,
  );
  const { combination } = abilitiesOf(loaded.profile);
  const isExclusive = configuration.account === "exclusive";
  if (active.length === 0 || (isExclusive && combination)) return [];
  const why = isExclusive
    ? "nobody can say whether they fit, since offer, provider and location are not mapped"
    : "they may be somebody else's, since the account is not stated to be exclusive";
  const says = `${counted(active.length, "machine")} ${active.length === 1 ? "is" : "are"} active here. If the ledger does not know them yet, ${why}: a new fleet waits for a word about each.`;
  const or = isExclusive ? "" : "; or set match: none in the fleet to go ahead without";
  const text = `For each one: fleetkeeper adopt ID --fleet NAME, or fleetkeeper disown ID${or}`;
  return [finding("deployments", "deployments.present").warning(says, { text })];
}

/** Which fields are mapped and found, which are mapped but found nowhere, and which are not mapped. */
export function fieldChecks(input: DoctorInput, { deployments: { read } }: SeenRest): readonly Check[] {
  const list = read?.value ?? [];
  const fields = fieldsOf(input);
  const works: string[] = [];
  const unseen: string[] = [];
  const empty: Check[] = [];
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
    for (const name of names.filter(isMapped)) {
      if (relevant.some((deployment) => deployment[name] !== undefined)) works.push(name);
      else if (relevant.length === 0) unseen.push(name);
      else empty.push(nothingThere(input, name, relevant.length));
    }
  }
  const found = finding("deployments", "deployments.fields");
  return [
    ...(works.length > 0 ? [found.ok(`Mapped, and found: ${works.join(", ")}.`)] : []),
    ...empty,
    ...(unseen.length > 0 ? [unseenCheck(unseen.join(", "), read?.value)] : []),
    ...priceCheck("deployments", input),
    ...(unmapped.length > 0 ? [unmappedCheck(input, unmapped, costs)] : []),
  ];
}

function fieldsOf({ loaded }: DoctorInput): Readonly<Record<string, unknown>> {
  return loaded.profile.deployments?.fields ?? {};
}

function unseenCheck(names: string, list: readonly Deployment[] | undefined): Check {
  const check = finding("deployments", "deployments.unseen");
  if (list === undefined)
    return check.skipped(`Mapped, but not compared, since the list cannot be read: ${names}.`);
  const when =
    list.length === 0
      ? "They show once a deployment exists"
      : "They show on a deployment that runs, or on one that failed";
  return check.ok(`Mapped, but with nothing to compare yet: ${names}. ${when}.`);
}

function nothingThere(input: DoctorInput, name: string, among: number): Check {
  const { loaded } = input;
  const pointer = fieldsOf(input)[name];
  const where = typeof pointer === "string" ? ` at ${pointer}` : "";
  const lines = fieldLines("deployments", input, [name]);
  const path = [...PATH, name];
  return finding("deployments", `deployments.fields.${name}`).warning(
    `The profile maps ${name}, but none of ${counted(among, "deployment")} has anything${where}.`,
    lines.length === 0
      ? { text: "Correct the pointer, or take the line out", at: loaded.locate(path) }
      : proposed(replacement(loaded, path, ...lines)),
  );
}

function unmappedCheck(input: DoctorInput, unmapped: readonly string[], details: readonly string[]): Check {
  const check = finding("deployments", "deployments.unmapped");
  if (input.loaded.shipped !== undefined)
    return check.ok(`By its document the service shows none of these: ${unmapped.join(", ")}.`, undefined, {
      details,
    });
  const says = `Not mapped: ${unmapped.join(", ")}. No launch needs them, but:`;
  return check.warning(says, unmappedRemedy(input, unmapped), { details });
}

function unmappedRemedy(input: DoctorInput, unmapped: readonly string[]): Remedy {
  const { loaded, redact } = input;
  const lines = [...fieldLines("deployments", input, unmapped), ...constantLines(input, unmapped)];
  if (lines.length > 0) return proposed(addition(loaded, PATH, lines, "announced"));
  const records = recordsOf("deployments", input);
  if (records.length > 0) {
    const mapped = new Set(Object.values(fieldsOf(input)));
    const rest = leavesOf(records).filter(({ pointer }) => !mapped.has(pointer));
    const what = rest.length === 0 ? "nothing" : inventory(rest, redact).join(", ");
    return {
      text: `Nothing in ${counted(records.length, "deployment")} looks like one of these; beside what is mapped they hold ${what}`,
    };
  }
  const gaps = unmapped.map((name) =>
    name === "connection"
      ? "connection: { <a name of your choice>: <JSON Pointer in one deployment> }"
      : `${name}: <JSON Pointer in one deployment to its ${name}>`,
  );
  const added = addition(loaded, PATH, gaps, "announced");
  const text = `Where they stand is proposed here once a deployment exists. If you know it before: ${added.text}`;
  return { ...added, text };
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
