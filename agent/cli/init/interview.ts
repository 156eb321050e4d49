import type { Tenure } from "../../../ledger/rows.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { problemOf } from "../../fleet/text/problem.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { Wire, WireEntry } from "../../propose/wire.ts";
import { askStates } from "./ask-states.ts";
import type { Prompts } from "./prompts.ts";

/** What a person answered. What is undefined stays open in the files, with its purpose. */
export interface Answers {
  /** The service's name, for messages and the profile's file name. */
  readonly name: string;
  readonly baseUrl: string;
  readonly account: Exclude<Tenure, "unstated">;
  /** The path of an existing profile. Undefined if one is to be written. */
  readonly profile: string | undefined;
  /** What the new profile says. Empty if there is one already. */
  readonly wire: Wire;
  /** The wire was read from files: each of its lines says from which. */
  readonly isFromFiles?: boolean;
  /** Words for states that the files show. */
  readonly states?: readonly string[];
  readonly fleet: FleetAnswer | undefined;
}

/** The answers that need not be asked for. */
export type Given = { readonly [K in keyof Answers]?: Answers[K] | undefined };

/** The part `auth`, from what a person said. */
export function authWire({ header, value }: { readonly header: string; readonly value: string }): Wire {
  const lines = { header: [`header: ${yamlText(header)}`], value: [`value: ${yamlText(value)}`] };
  return { auth: { header: { lines: lines.header }, value: { lines: lines.value } } };
}

export interface FleetAnswer {
  readonly name: string;
  readonly gpus: number;
  readonly source:
    | { readonly gpuModel: string }
    | { readonly offer: string; readonly provider: string; readonly location: string; readonly gpus: number };
}

/** A first guess, shown to the person: `gpus.acme.com` gives acme. An IP address or localhost gives local. */
export function nameOfHost(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const label = /[a-z]/i.test(hostname.split(".").at(-1) ?? "") ? hostname.split(".").at(-2) : undefined;
  return label?.replace(/[^a-z0-9-]/gi, "") || "local";
}

/**
 * Asks for the answers that are not given. An empty answer means "not known", where that is allowed. `taken`
 * says why a profile cannot have this name: people should know before the last question.
 */
export async function interview(
  ask: Prompts,
  given: Given,
  taken: (name: string) => string | undefined,
): Promise<Answers> {
  const baseUrl =
    given.baseUrl ??
    (await ask.input("Address of the service, such as https://gpus.example.com:", {
      check: (text) => problemOf(() => checkBaseUrl(text)),
    }));
  const name =
    given.name ??
    (await ask.input("What shall messages and files call it?", {
      initial: nameOfHost(baseUrl),
      check: (text) => fileName(text) ?? (given.profile === undefined ? taken(text) : undefined),
    }));
  const account =
    given.account ??
    (await ask.select<Answers["account"]>("Who launches and stops machines in this account?", [
      {
        value: "exclusive",
        name: "only fleetkeeper",
        description:
          "exclusive: no person by hand, no other program, and no second ledger (a colleague's laptop or a CI runner has its own). All that runs there is ours, and may be stopped.",
      },
      {
        value: "shared",
        name: "others too",
        description: "shared: what is not certainly ours is reported, never stopped.",
      },
    ]));
  const wire = given.profile === undefined ? await interviewWire(ask, given) : {};
  const fleet = given.fleet ?? (await interviewFleet(ask));
  const isFromFiles = given.isFromFiles === true;
  return { name, baseUrl, account, profile: given.profile, wire, isFromFiles, fleet };
}

const UNKNOWN = "(empty: not known)";

/** The specification shows none of this, so nothing is proposed that no file shows. */
async function interviewWire(ask: Prompts, { wire = {}, isFromFiles, states = [] }: Given): Promise<Wire> {
  const auth = wire.auth ?? (await interviewAuth(ask));
  const list = wire["deployments.list"] ?? (isFromFiles ? undefined : await interviewList(ask));
  const isWholeAsked = list?.items !== undefined && list.items.isOpen !== true && isUnsaid(list.pagination);
  // A list that is cut lets machines be bought twice: so nobody says yes just by pressing Enter.
  const isWhole =
    isWholeAsked &&
    (await ask.select("Does one answer hold the whole list, however many machines there are?", [
      { value: "pages", name: "not known, or no", description: "fleetkeeper doctor looks, and proposes it" },
      { value: "whole", name: "yes, always" },
    ])) === "whole";
  const none = await interviewNone(ask, wire);
  return {
    ...wire,
    ...none,
    ...(states.length > 0 && {
      "deployments.states": await askStates(states, wire.calls ? ["terminal", "replace"] : ["terminal"], ask),
    }),
    ...(auth && { auth }),
    ...(list && { "deployments.list": isWhole ? { ...list, pagination: WHOLE } : list }),
  };
}

/** An account, a balance that no call of a document shows: only a person knows whether there is none. */
async function interviewNone(ask: Prompts, wire: Wire): Promise<Pick<Wire, "account" | "balance">> {
  const found: { account?: Wire["account"]; balance?: Wire["balance"] } = {};
  for (const part of ["account", "balance"] as const)
    if (
      wire[part]?.none !== undefined &&
      (await ask.confirm(`The document has no call that shows the ${part}. Is there surely none?`))
    )
      found[part] = { none: { lines: ["none: true  # as you said"] } };
  return found as Pick<Wire, "account" | "balance">;
}

const WHOLE: WireEntry = { lines: ["pagination: { kind: none }"] };

function isUnsaid(entry: WireEntry | undefined): boolean {
  return entry === undefined || entry.isOpen === true;
}

async function interviewList(ask: Prompts): Promise<Wire["deployments.list"]> {
  const items = await ask.input(
    `JSON Pointer to the array in the answer of GET /api/v1/deployments, such as /data/items ${UNKNOWN}:`,
    {
      check: (text) => (text === "" || text.startsWith("/") ? undefined : 'A JSON Pointer begins with "/".'),
    },
  );
  if (items === "") return undefined;
  const pagination = ["pagination: <kind: none, page, offset, cursor or link, with its parameters>"];
  return { items: { lines: [`items: ${yamlText(items)}`] }, pagination: { lines: pagination, isOpen: true } };
}

async function interviewAuth(ask: Prompts): Promise<Wire["auth"]> {
  const header = await ask.input(`Name of the header that carries the credential ${UNKNOWN}:`, {
    check: (text) =>
      /^[A-Za-z0-9!#$%&'*+.^_`|~-]*$/.test(text) ? undefined : "No HTTP header is called so.",
  });
  if (header === "") return undefined;
  const value = await ask.input(
    `What stands in ${header}, with {secret} where the credential belongs (never the credential itself):`,
    {
      check: (text) =>
        text.includes("{secret}") ? undefined : "Write {secret} where the credential belongs.",
    },
  );
  return authWire({ header, value }).auth;
}

async function interviewFleet(ask: Prompts): Promise<FleetAnswer | undefined> {
  const gpus = Number(
    await ask.input("How many GPUs shall be kept (0: no fleet yet)?", { initial: "0", check: count(0) }),
  );
  if (gpus === 0) return undefined;
  const name = await ask.input("A name for this fleet:", { check: fileName });
  const how = await ask.select("Which machines may it rent?", [
    {
      value: "select",
      name: "the cheapest offers with a GPU model",
      description: "needs the part offers in the profile",
    },
    { value: "candidates", name: "an exact offer, provider and location" },
  ]);
  const source =
    how === "select"
      ? { gpuModel: await ask.input("GPU model, as the service calls it:", { check: some }) }
      : {
          offer: await ask.input("Offer:", { check: some }),
          provider: await ask.input("Provider:", { check: some }),
          location: await ask.input("Location:", { check: some }),
          gpus: Number(await ask.input("GPUs in one such machine:", { check: count(1) })),
        };
  return { name, gpus, source };
}

export function count(least: number): (text: string) => string | undefined {
  return (text) =>
    /^\d{1,4}$/.test(text) && Number(text) >= least ? undefined : `A whole number from ${least} to 9999.`;
}

export function some(text: string): string | undefined {
  return text === "" ? "Say one." : undefined;
}

export function fileName(text: string): string | undefined {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/i.test(text)
    ? undefined
    : "Letters, digits, dots, underscores and hyphens.";
}
