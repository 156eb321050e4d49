import { stringify } from "yaml";
import { USD } from "../../../service/contract/money.ts";
import type { Json } from "../../../service/contract/service.ts";
import { abilitiesOf } from "../../../service/profile/abilities.ts";
import { loadProfile } from "../../../service/profile/profile-file.ts";
import { isShipped } from "../../../service/profile/shipped.ts";
import { fill, placeholdersOf } from "../../../service/text/template.ts";
import type { Simulation } from "../../../simulator/simulation.ts";
import { cloudOf } from "../clouds/cloud.ts";

/** The model that the demos rent. */
const MODEL = "h100-80gb";

/** What the story has to know of the service that it is played against. */
export interface Wire {
  readonly currency: string;
  /** Between two launches, in ms. */
  readonly launchEvery: number;
  /** Between two rounds of an agent, in ms: it has time for all that a round reads. */
  readonly poll: number;
  readonly shows: {
    readonly balance: boolean;
    readonly halted: boolean;
    readonly stop: boolean;
    readonly end: boolean;
  };
  /** What differs from the story as the specification's service plays it, a line each. */
  readonly differs: readonly string[];
  /** The H100 machines that can be rented, the cheapest first. */
  readonly machines: Simulation["offers"];
  /** `service:` of a fleet file, where the profile asks for settings. */
  readonly serviceLines: readonly string[];
  /** Of a fleet file that asks for so many GPUs. */
  fleetLines(gpus: number): readonly string[];
}

export function wireOf({ profilePath, offers }: Simulation): Wire {
  const { profile } = loadProfile(profilePath);
  const abilities = abilitiesOf(profile);
  const { marker, balance = true, offerPrice, launchEvery = 0, stop, currency = USD } = abilities;
  const end = !abilities.missing;
  const { requestsPerSecond = 10 } = profile.limits ?? {};
  const halted = (profile.deployments?.states?.replace ?? []).length > 0;
  const isListed = offerPrice && profile.offers?.fields.gpuModel !== undefined;
  const machines = offers
    .filter(({ gpuModel }) => gpuModel === MODEL)
    .toSorted((one, other) => Number(one.pricePerHour) - Number(other.pricePerHour));
  const differs = [
    [!marker, "a machine carries no marker: one launch at a time, in an account that nobody else uses"],
    [launchEvery > 0, `a launch every ${launchEvery / 1000} s, in real time: the story takes longer`],
    [!isListed, "it shows no offers with a model and a price: the fleet names its candidates"],
    [!balance, "left out: the budget's floor, as it shows no balance"],
    [!halted, "left out: a machine that halts and bills on, as the profile names no such state (replace)"],
    [
      !end,
      "left out: stop --all, which waits for 10 minutes: no machine is left then to show how a living one is answered",
    ],
    [!stop, "left out: the end, as the profile has no call that stops a machine"],
  ] as const;
  const given = answersTo(profilePath);
  const asked = placeholdersOf([profile.calls, profile.launch, profile.auth] as Json);
  const lines = (part: string, indent: string): readonly string[] => {
    const names = asked.filter((name) => name.startsWith(`${part}.`));
    const values = names.map((name) => [name.slice(part.length + 1), given.get(name) ?? "1"] as const);
    const text = stringify(Object.fromEntries(values), { collectionStyle: "flow", lineWidth: 0 }).trim();
    return names.length === 0 ? [] : [`${indent}${part}: ${text}`];
  };
  const settings = lines("settings", "  ");
  return {
    ...{ currency, launchEvery, machines, shows: { balance, halted, stop, end } },
    poll: Math.max(500, 4_000 / requestsPerSecond),
    differs: differs.flatMap(([holds, text]) => (holds ? [text] : [])),
    serviceLines: settings.length === 0 ? [] : ["service:", ...settings],
    fleetLines: (gpus) => [
      ...["  - name: training", `    gpus: ${gpus}`],
      ...(isListed
        ? [`    select: { gpuModel: ${MODEL} }`]
        : ["    candidates:", ...machines.filter(({ gpus }) => gpus === 8 || gpus === 4).map(candidate)]),
      ...lines("parameters", "    "),
      `    budget: { ${balance ? "floor: 20, " : ""}perHour: 60 }`,
    ],
  };
}

function candidate({ offer, provider, location, gpus, pricePerHour }: Simulation["offers"][number]): string {
  return `      - { offer: ${JSON.stringify(offer)}, provider: ${provider}, location: ${location}, gpus: ${gpus}, pricePerHour: "${pricePerHour}" }`;
}

/** What somebody may answer to the questions of a profile that ships, by their placeholders. */
function answersTo(profile: string): ReadonlyMap<string, Json> {
  const asks = isShipped(profile) ? cloudOf(profile).asks : [];
  return new Map(
    asks.map(({ placeholder, initial = "1", as = "{answer}" }) => [
      placeholder,
      fill(as as Json, (name) => (name === "machine" ? "4" : initial)),
    ]),
  );
}
