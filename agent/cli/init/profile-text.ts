import { REQUIREMENTS } from "../../../service/profile/requirement.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { PartName, Wire, WireEntry } from "../../propose/wire.ts";
import type { Answers } from "./interview.ts";

/** The text of a wire profile. Unknown parts are commented out, with their purpose. Nothing is guessed. */
export function profileText({ name, wire, isFromFiles = false }: Answers): string {
  const isOther = wire.calls !== undefined;
  const part = (one: PartName, depth = 0): Block => blockOf(PARTS[one], wire[one] ?? {}, depth);
  const deployments = [
    nested("list", part("list", 1)),
    nested("get", part("get", 1)),
    nested("fields", part("fields", 1)),
    nested("states", part("states", 1)),
  ];
  const offersParts = [part("offersList", 1), part("offersFields", 1)];
  const hasOffers = offersParts.every(({ isKnown }) => isKnown);
  const offers = [nested("list", offersParts[0]), nested("fields", offersParts[1])].flatMap(({ lines }) =>
    hasOffers ? lines : lines.map(commented),
  );
  return `${isFromFiles ? FROM_FILES : FROM_QUESTIONS}
# fleetkeeper doctor reads the service (it only reads) and proposes lines for what it finds.
# docs/reference/wire-profile.md explains every part.
profile: ${isOther ? 2 : 1}
name: ${yamlText(name)}

# The credential itself never stands here: it comes from FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE.
${whole("auth", part("auth"))}

${isOther ? CALLS(part) : ""}# Where only some lines of a part are known, delete the others: every line but the first few of a part is optional.

# What ${isOther ? "a launch" : "POST /api/v1/deployments"} sends. If the service shows a free text of it again (a label, a name, a tag), put
# "{marker}" there, and say below where it is shown: then no launch can be taken for another one.
${whole("launch", part("launch"))}

# The list is what everything goes by: without it nothing is launched.
${joined("deployments", deployments)}

# Without offers a fleet names its candidates itself. Here and above: pricePerGpuHour instead of pricePerHour where the service
# shows the price of one GPU, { pointer: /cents, unit: cents } where it counts cents, and { value: acme } instead of a pointer
# where it shows no field, since all machines are alike. Where words say what is available,
# { pointer: /shelf, soldOut: [empty] } names those that mean sold out: any other word means that a machine can be had.
${[hasOffers ? "offers:" : "# offers:", ...offers].join("\n")}

${isOther ? "" : `# Without it machines are stopped in the service's dashboard, by hand.\n`}${whole("stop", isOther ? blockOf(GONE, {}, 0) : part("stop"))}

# With it a refused launch is told from one whose outcome is not known.
${whole("errors", part("errors"))}

# Codes beyond those of the specification: what is retryable is tried again after a pause, what is permanent is not.
${whole("failures", part("failures"))}

# The client keeps to these.
${whole("limits", part("limits"))}
`;
}

/** What a service has that has other paths than the specification. */
const CALLS = (
  part: (one: PartName) => Block,
): string => `# What is sent for each call, below the base URL. How sure each is stands beside it.
${whole("calls", part("calls"))}

# Which account the credential opens, and what is left in it. { none: true } where no call says it.
${whole("account", part("account"))}
${whole("balance", part("balance"))}

`;

const FROM_QUESTIONS = `# What the specification of the service does not show, written down by somebody who knows it.
# Nothing in here was guessed. What is commented out is not known yet: take the # away, with your values in place of <...>.`;

const FROM_FILES = `# What the specification of the service does not show, as far as saved answers and documents show it.
# Each line says what it was read from. They are proposals: you confirm them by leaving them here.
# What is commented out is not known yet: take the # away, with your values in place of <...>.`;

/** Whether the profile has this part, and not only as a comment. */
export function isWhole(part: PartName, wire: Wire): boolean {
  if (part === "offersList" || part === "offersFields")
    return (["offersList", "offersFields"] as const).every(
      (one) => blockOf(PARTS[one], wire[one] ?? {}, 0).isKnown,
    );
  return blockOf(PARTS[part], wire[part] ?? {}, 0).isKnown;
}

interface PartShape {
  /** Without these the part says nothing, and is commented out. */
  readonly required: readonly string[];
  /** Every key, with its lines if nobody knows it. Without lines it is not mentioned then. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

const GONE_LINES = [
  "gone:",
  "  statuses: [<an HTTP status that means: already stopping, or nothing there to stop>]",
  "  codes: [<an error code that means the same>]",
];
/** Of a stop whose call stands under calls. */
const GONE: PartShape = { required: [], keys: { gone: GONE_LINES } };

const PARTS: Readonly<Record<PartName, PartShape>> = {
  auth: { required: ["header", "value"], keys: byKey(REQUIREMENTS.auth.lines) },
  calls: { required: [], keys: {} },
  account: { required: [], keys: {} },
  balance: { required: [], keys: {} },
  launch: {
    required: ["body"],
    keys: {
      ...byKey(REQUIREMENTS.launch.lines),
      deployment: ["deployment: <JSON Pointer to the record of the new deployment in the answer>"],
    },
  },
  list: {
    required: ["items", "pagination"],
    keys: {
      ...byKey(REQUIREMENTS.list.lines),
      query: ["query:", "  <a query parameter that the list wants>: <its value>"],
    },
  },
  get: { required: ["item"], keys: byKey(REQUIREMENTS.get.lines) },
  fields: {
    required: [],
    keys: {
      offer: ["offer: <JSON Pointer in one deployment to its offer; provider and location alike>"],
      provider: ["provider: <JSON Pointer to its provider>"],
      location: ["location: <JSON Pointer to its location>"],
      marker: ["marker: <JSON Pointer to where it shows the {marker} of its launch>"],
      createdAt: ["createdAt: <JSON Pointer to when it was created>"],
      gpus: ["gpus: <JSON Pointer to its number of GPUs>"],
      pricePerHour: [
        "pricePerHour: <JSON Pointer to the price of the whole machine in USD an hour; budgets need it>",
      ],
      pricePerGpuHour: [],
      failureReason: ["failureReason: <JSON Pointer to why its launch failed, for people>"],
      suggestedAction: ["suggestedAction: <JSON Pointer to what the service suggests then>"],
      connection: ["connection:", "  <a name of your choice, such as host>: <JSON Pointer to it>"],
    },
  },
  states: {
    required: [],
    keys: {
      aliases: ["aliases:", "  <what the service calls a state>: <what the specification calls it>"],
      terminal: ["terminal: [<what the service calls a stopped deployment>]"],
    },
  },
  offersList: {
    required: ["items", "pagination"],
    keys: { ...byKey(unindented(REQUIREMENTS.offers.lines.slice(1, 4))), query: [] },
  },
  offersFields: {
    required: ["id", "provider", "location", "gpus"],
    keys: {
      ...byKey(unindented(REQUIREMENTS.offers.lines.slice(5))),
      gpuModel: ["gpuModel: <JSON Pointer in one offer to its GPU model; fleets select by it>"],
      pricePerHour: [
        "pricePerHour: <JSON Pointer to the price of the whole machine in USD an hour; budgets need it>",
      ],
      pricePerGpuHour: [],
      available: ["available: <JSON Pointer to whether, or how many, machines of it can be had now>"],
    },
  },
  stop: {
    required: ["method", "path"],
    keys: {
      ...byKey(REQUIREMENTS.stop.lines),
      body: ["body:", "  <a field that the call wants>: <its value>"],
      gone: GONE_LINES,
    },
  },
  errors: {
    required: [],
    keys: {
      code: ["code: <JSON Pointer in an error body to its code>"],
      message: ["message: <JSON Pointer in an error body to its message>"],
      retryAfter: [
        "retryAfter: <JSON Pointer to the seconds to wait, where the header Retry-After is absent>",
      ],
      definite: [
        "definite:",
        "  statuses: [<an HTTP status that surely launched nothing>]",
        "  codes: [<an error code that surely launched nothing>]",
      ],
    },
  },
  failures: {
    required: [],
    keys: {
      retryable: ["retryable: [<a failure_code that may pass>]"],
      permanent: ["permanent: [<a failure_code that comes again>]"],
    },
  },
  limits: {
    required: [],
    keys: { requestsPerSecond: ["requestsPerSecond: <how many requests a second the service allows>"] },
  },
};

interface Block {
  readonly lines: readonly string[];
  /** Something of it is no comment. */
  readonly isKnown: boolean;
}

/** The lines of a part without its own key. What nobody knows is a comment. */
function blockOf(
  { required, keys }: PartShape,
  entries: Readonly<Record<string, WireEntry>>,
  depth: number,
): Block {
  const isThere = (key: string): boolean => entries[key] !== undefined && entries[key].isOpen !== true;
  const names = [...new Set([...Object.keys(keys), ...Object.keys(entries)])];
  const isKnown = required.every(isThere) && names.some(isThere);
  const indent = "  ".repeat(depth + 1);
  // One price is enough: the other line would be refused beside it.
  const isSaid = (key: string): boolean => key === "pricePerHour" && isThere("pricePerGpuHour");
  const lines = names.flatMap((key) => {
    const known = entries[key]?.lines ?? (isSaid(key) ? [] : (keys[key] ?? []));
    const indented = known.map((line) => indent + line);
    return isKnown && isThere(key) ? indented : indented.map(commented);
  });
  return { lines, isKnown };
}

function nested(key: string, { lines, isKnown }: Block = { lines: [], isKnown: false }): Block {
  const head = `  ${key}:`;
  return { lines: [isKnown ? head : commented(head), ...lines], isKnown };
}

function whole(key: string, { lines, isKnown }: Block): string {
  return [isKnown ? `${key}:` : `# ${key}:`, ...lines].join("\n");
}

function joined(key: string, blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) => block.lines);
  return whole(key, { lines, isKnown: blocks.some(({ isKnown }) => isKnown) });
}

function commented(line: string): string {
  return line.startsWith("# ") ? line : `# ${line}`;
}

/** `["a: 1", "b:", "  c: 2"]` by key. */
function byKey(lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  let current: string[] = [];
  for (const line of lines) {
    const key = /^(\w+):/.exec(line)?.[1];
    if (key !== undefined) {
      current = [];
      found[key] = current;
    }
    current.push(line);
  }
  return found;
}

function unindented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.slice(2));
}
