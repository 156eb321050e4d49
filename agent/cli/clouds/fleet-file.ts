import { stringify } from "yaml";
import type { Json } from "../../../service/contract/service.ts";
import { isConstant } from "../../../service/profile/place.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import { fill, fillText, type Lookup } from "../../../service/text/template.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { Cloud } from "./cloud.ts";
import { nameOf } from "./questions.ts";

/** Whose account it is, and what the answers are by their names. */
export interface CloudFleet {
  readonly name: string;
  readonly fleet: string;
  readonly baseUrl: string;
  readonly account: "exclusive" | "shared";
  readonly answers: ReadonlyMap<string, string>;
}

/** The text of a fleet file of a service whose profile ships. */
export function cloudFleetText(
  { asks, service }: Cloud,
  profile: WireProfile,
  { name, fleet, baseUrl, account, answers }: CloudFleet,
): string {
  const said = (key: string): string => answers.get(key) ?? "";
  const filled = (part: "parameters" | "settings", indent: string): readonly string[] => {
    const those = asks.filter(({ placeholder }) => placeholder.startsWith(`${part}.`));
    const lines = those.map(({ placeholder, as = "{answer}" }) => {
      const answer: Lookup = (each) =>
        each === "machine" ? Number(said(each)) : said(each === "answer" ? nameOf(placeholder) : each);
      const value = stringify(fillAll(as as Json, answer), { collectionStyle: "flow", lineWidth: 0 });
      return `${indent}  ${nameOf(placeholder)}: ${value.trim()}`;
    });
    return those.length === 0 ? [] : [`${indent}${part}:`, ...lines];
  };
  const of = (name: "provider" | "location"): string => {
    const place = profile.deployments?.fields[name];
    return JSON.stringify(isConstant(place) ? place.value : said(name));
  };
  const machine = `{ offer: ${JSON.stringify(said("offer"))}, provider: ${of("provider")}, location: ${of("location")}, gpus: ${said("machine")}, pricePerHour: "${said("price")}" }`;
  const meaning =
    account === "exclusive"
      ? "nobody else launches or stops here: no person, no other program, no second ledger"
      : "what is not certainly ours is reported, never stopped";
  return `${[
    `# ${service}. docs/reference/fleet-file.md explains every key, and docs/reference/clouds.md what this service can promise.`,
    "service:",
    `  baseUrl: ${yamlText(baseUrl)}`,
    `  profile: ${name}   # ships with fleetkeeper`,
    `  apiKey: { env: ${said("apiKey")} }`,
    `  account: ${account}   # ${meaning}`,
    ...filled("settings", "  "),
    "fleets:",
    `  - name: ${yamlText(fleet)}`,
    `    gpus: ${said("gpus")}`,
    answers.has("gpuModel")
      ? `    select: { gpuModel: ${JSON.stringify(said("gpuModel"))} }`
      : `    candidates:\n      - ${machine}`,
    ...filled("parameters", "    "),
    `    budget: { perHour: "${said("perHour")}" }`,
  ].join("\n")}\n`;
}

/** A service may have the answer as a key. */
function fillAll(template: Json, lookup: Lookup): Json {
  if (template === null || typeof template !== "object") return fill(template, lookup);
  if (Array.isArray(template)) return template.map((each) => fillAll(each, lookup));
  const entries = Object.entries(template);
  return Object.fromEntries(entries.map(([key, value]) => [fillText(key, lookup), fillAll(value, lookup)]));
}
