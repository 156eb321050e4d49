import { REQUIREMENTS } from "../../../service/profile/requirement.ts";
import { OFFER_NEEDS, yamlText } from "../../propose/shape/texts.ts";
import type { PartName, Wire, WireEntry } from "../../propose/wire.ts";
import type { Answers } from "./interview.ts";

/** The text of a wire profile. Unknown parts are commented out, with their purpose. Nothing is guessed. */
export function profileText({ name, wire, isFromFiles = false }: Answers): string {
  const isOther = wire.calls !== undefined;
  const part = (one: PartName): string => textOf(blockOf(one, wire));
  const group = (key: string, ...parts: readonly PartName[]): string => {
    const lines = parts
      .flatMap((one) => blockOf(one, wire))
      .map((line) => ({ ...line, text: `  ${line.text}` }));
    return textOf([{ text: `${key}:`, isOpen: lines.every(({ isOpen }) => isOpen) }, ...lines]);
  };
  return `${isFromFiles ? FROM_FILES : FROM_QUESTIONS}
# fleetkeeper doctor reads the service (it only reads) and proposes lines for what it finds.
# docs/reference/wire-profile.md explains every part.
profile: ${isOther ? 2 : 1}
name: ${yamlText(name)}

# The credential itself never stands here: it comes from FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE.
# Where the service wants it in the query: query with the parameter's name, in the place of header.
${part("auth")}

${isOther ? CALLS(part) : ""}# Where only some lines of a part are known, delete the others: every line but the first few of a part is optional.

# What ${isOther ? "a launch" : "POST /api/v1/deployments"} sends. If the service shows a free text of it again (a label, a name, a tag), put
# "{marker}" there, and say below where it is shown: then no launch can be taken for another one.
${part("launch")}

# The list is what everything goes by: without it nothing is launched.
${group("deployments", "deployments.list", "deployments.get", "deployments.fields", "deployments.states")}

# Without offers a fleet names its candidates itself. Here and above: pricePerGpuHour instead of pricePerHour where the service
# shows the price of one GPU, { pointer: /cents, unit: cents } where it counts cents, and { value: acme } instead of a pointer
# where it shows no field, since all machines are alike. Where words say what is available,
# { pointer: /shelf, soldOut: [empty] } names those that mean sold out: any other word means that a machine can be had.
${group("offers", "offers.list", "offers.fields")}

${isOther ? "" : `# Without it machines are stopped in the service's dashboard, by hand.\n`}${isOther ? ["stop:", ...GONE.map((line) => `  ${line}`)].map(commented).join("\n") : part("stop")}

# With it a refused launch is told from one whose outcome is not known.
${part("errors")}

# Codes beyond those of the specification: what is retryable is tried again after a pause, what is permanent is not.
${part("failures")}

# The client keeps to these.
${part("limits")}
`;
}

/** What a service has that has other paths than the specification. */
const CALLS = (
  part: (one: PartName) => string,
): string => `# What is sent for each call, below the base URL. How sure each is stands beside it.
${part("calls")}

# Which account the credential opens, and what is left in it. { none: true } where no call says it.
${part("account")}
${part("balance")}

`;

const FROM_QUESTIONS = `# What the specification of the service does not show, written down by somebody who knows it.
# Nothing in here was guessed. What is commented out is not known yet: take the # away, with your values in place of <...>.`;

const FROM_FILES = `# What the specification of the service does not show, as far as saved answers and documents show it.
# Each line says what it was read from. They are proposals: you confirm them by leaving them here.
# What is commented out is not known yet: take the # away, with your values in place of <...>.`;

/** Whether the profile has this part, and not only as a comment. Offers need both of theirs. */
export function isWhole(part: PartName, wire: Wire): boolean {
  const parts = part.startsWith("offers.") ? (["offers.list", "offers.fields"] as const) : [part];
  return parts.every((one) => {
    const entries = wire[one] ?? {};
    return REQUIRED[one]?.every((key) => isThere(entries[key])) ?? Object.values(entries).some(isThere);
  });
}

/** Without these a part says nothing, and is commented out. Any other one has at least one line. */
const REQUIRED: { readonly [Part in PartName]?: readonly string[] } = {
  auth: ["value"],
  launch: ["body"],
  "deployments.list": ["items", "pagination"],
  "deployments.get": ["item"],
  "offers.list": ["items", "pagination"],
  "offers.fields": OFFER_NEEDS,
  stop: ["method", "path"],
};

const GONE = [
  "gone:",
  "  statuses: [<an HTTP status that means: already stopping, or nothing there to stop>]",
  "  codes: [<an error code that means the same>]",
];
const PRICE =
  "pricePerHour: <JSON Pointer to the price of the whole machine in USD an hour; budgets need it>";

/** The lines of each part while nobody knows it, in their order. */
const UNKNOWN: { readonly [Part in PartName]?: readonly string[] } = {
  auth: REQUIREMENTS.auth.lines,
  launch: [
    ...REQUIREMENTS.launch.lines,
    "deployment: <JSON Pointer to the record of the new deployment in the answer>",
  ],
  "deployments.list": [
    ...REQUIREMENTS.list.lines,
    "query:",
    "  <a query parameter that the list wants>: <its value>",
  ],
  "deployments.get": REQUIREMENTS.get.lines,
  "deployments.fields": [
    "offer: <JSON Pointer in one deployment to its offer; provider and location alike>",
    "provider: <JSON Pointer to its provider>",
    "location: <JSON Pointer to its location>",
    "marker: <JSON Pointer to where it shows the {marker} of its launch>",
    "createdAt: <JSON Pointer to when it was created>",
    "gpus: <JSON Pointer to its number of GPUs>",
    PRICE,
    "failureReason: <JSON Pointer to why its launch failed, for people>",
    "suggestedAction: <JSON Pointer to what the service suggests then>",
    "connection:",
    "  <a name of your choice, such as host>: <JSON Pointer to it>",
  ],
  "deployments.states": [
    "aliases:",
    "  <what the service calls a state>: <what the specification calls it>",
    "terminal: [<what the service calls a stopped deployment>]",
  ],
  "offers.list": REQUIREMENTS.offers.lines.slice(1, 4).map((line) => line.slice(2)),
  "offers.fields": [
    ...REQUIREMENTS.offers.lines.slice(5).map((line) => line.slice(2)),
    "gpuModel: <JSON Pointer in one offer to its GPU model; fleets select by it>",
    PRICE,
    "available: <JSON Pointer to whether, or how many, machines of it can be had now>",
  ],
  stop: [...REQUIREMENTS.stop.lines, "body:", "  <a field that the call wants>: <its value>", ...GONE],
  errors: [
    "code: <JSON Pointer in an error body to its code>",
    "message: <JSON Pointer in an error body to its message>",
    "retryAfter: <JSON Pointer to the seconds to wait, where the header Retry-After is absent>",
    "definite:",
    "  statuses: [<an HTTP status that surely launched nothing>]",
    "  codes: [<an error code that surely launched nothing>]",
  ],
  failures: ["retryable: [<a failure_code that may pass>]", "permanent: [<a failure_code that comes again>]"],
  limits: ["requestsPerSecond: <how many requests a second the service allows>"],
};

interface Line {
  readonly text: string;
  /** It is written as a comment. */
  readonly isOpen: boolean;
}

/** The lines of a part, with its own key. What nobody knows is open. */
function blockOf(part: PartName, wire: Wire): readonly Line[] {
  const entries = wire[part] ?? {};
  const unknown = byKey(UNKNOWN[part] ?? []);
  const isKnown = isWhole(part, wire);
  // One of these is enough: the other line would be refused beside it.
  const others: Readonly<Record<string, string>> = { pricePerHour: "pricePerGpuHour", header: "query" };
  const keys = [...unknown.keys()].map((key) => {
    const other = others[key];
    return other !== undefined && entries[other] ? other : key;
  });
  const lines = [...new Set([...keys, ...Object.keys(entries)])].flatMap((key) =>
    (entries[key]?.lines ?? unknown.get(key) ?? []).map((text) => ({
      text: `  ${text}`,
      isOpen: !isKnown || !isThere(entries[key]),
    })),
  );
  return [{ text: `${part.split(".").at(-1)}:`, isOpen: !isKnown }, ...lines];
}

function isThere(entry: WireEntry | undefined): boolean {
  return entry !== undefined && entry.isOpen !== true;
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text, isOpen }) => (isOpen ? commented(text) : text)).join("\n");
}

const commented = (line: string): string => `# ${line}`;

/** `["a: 1", "b:", "  c: 2"]` by key. */
function byKey(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  let key = "";
  return Map.groupBy(lines, (line) => {
    key = /^(\w+):/.exec(line)?.[1] ?? key;
    return key;
  });
}
