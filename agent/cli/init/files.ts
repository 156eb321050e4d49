import { stringify } from "yaml";
import { REQUIREMENTS } from "../../../service/requirement.ts";
import type { Answers, FleetAnswer } from "./interview.ts";

/** The text of a wire profile. Unknown parts are commented out, with their purpose. Nothing is guessed. */
export function profileText({ name, auth, items, whole }: Answers): string {
  const isListKnown = items !== undefined && whole;
  const pagination = isListKnown
    ? "{ kind: none }"
    : "<kind: none, page, offset, cursor or link, with its parameters>";
  const list =
    items === undefined
      ? REQUIREMENTS.list.lines.map((line) => `  ${line}`)
      : [`  items: ${scalar(items)}`, `  pagination: ${pagination}`];
  return `# What the specification of the service does not show, written down by somebody who knows it.
# Nothing in here was guessed. What is commented out is not known yet: take the # away, with your values in place of <...>.
# fleetkeeper doctor reads the service (it only reads) and proposes lines for what it finds.
# docs/wire-profile.md explains every part.
profile: 1
name: ${scalar(name)}

# The credential itself never stands here: it comes from FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE.
${
  auth === undefined
    ? `# auth:\n${open(REQUIREMENTS.auth.lines)}`
    : known("auth", [`header: ${scalar(auth.header)}`, `value: ${scalar(auth.value)}`])
}

# Where only some lines of a part are known, delete the others: every line but the first few of a part is optional.

# What POST /api/v1/deployments sends. If the service shows a free text of it again (a label, a name, a tag), put
# "{marker}" there, and say below where it is shown: then no launch can be taken for another one.
# launch:
${open(REQUIREMENTS.launch.lines)}
#   deployment: <JSON Pointer to the record of the new deployment in the answer>

# The list is what everything goes by: without it nothing is launched.
${isListKnown ? known("deployments", ["list:", ...list]) : `# deployments:\n#   list:\n${open(list)}`}
#     query:
#       <a query parameter that the list wants>: <its value>
#   get:
${open(REQUIREMENTS.get.lines, "    ")}
#   fields:
#     offer: <JSON Pointer in one deployment to its offer; provider and location alike>
#     provider: <JSON Pointer to its provider>
#     location: <JSON Pointer to its location>
#     marker: <JSON Pointer to where it shows the {marker} of its launch>
#     createdAt: <JSON Pointer to when it was created>
#     gpus: <JSON Pointer to its number of GPUs>
#     pricePerHour: <JSON Pointer to the price of the whole machine in USD an hour; budgets need it>
#     failureReason: <JSON Pointer to why its launch failed, for people>
#     suggestedAction: <JSON Pointer to what the service suggests then>
#     connection:
#       <a name of your choice, such as host>: <JSON Pointer to it>
#   states:
#     aliases:
#       <what the service calls a state>: <what the specification calls it>
#     terminal: [<what the service calls a stopped deployment>]

# Without offers a fleet names its candidates itself. Here and above: pricePerGpuHour instead of pricePerHour where the service
# shows the price of one GPU, { pointer: /cents, unit: cents } where it counts cents, and { value: acme } instead of a pointer
# where it shows no field, since all machines are alike.
# offers:
${open(REQUIREMENTS.offers.lines)}
#     gpuModel: <JSON Pointer in one offer to its GPU model; fleets select by it>
#     pricePerHour: <JSON Pointer to the price of the whole machine in USD an hour; budgets need it>
#     available: <JSON Pointer to whether, or how many, machines of it can be had now>

# Without it machines are stopped in the service's dashboard, by hand.
# stop:
${open(REQUIREMENTS.stop.lines)}
#   body:
#     <a field that the call wants>: <its value>
#   gone:
#     statuses: [<an HTTP status that means: already stopping, or nothing there to stop>]
#     codes: [<an error code that means the same>]

# With it a refused launch is told from one whose outcome is not known.
# errors:
#   code: <JSON Pointer in an error body to its code>
#   message: <JSON Pointer in an error body to its message>
#   retryAfter: <JSON Pointer to the seconds to wait, where the header Retry-After is absent>
#   definite:
#     statuses: [<an HTTP status that surely launched nothing>]
#     codes: [<an error code that surely launched nothing>]

# Codes beyond those of the specification: what is retryable is tried again after a pause, what is permanent is not.
# failures:
#   retryable: [<a failure_code that may pass>]
#   permanent: [<a failure_code that comes again>]

# The client keeps to these.
# limits:
#   requestsPerSecond: <how many requests a second the service allows>
`;
}

/** The text of a fleet file. Without a fleet it is complete, too, and keeps nothing. */
export function fleetFileText(answers: Answers, profileFile: string): string {
  const { baseUrl, account, fleet } = answers;
  const meaning =
    account === "exclusive"
      ? "nobody else launches or stops here: no person, no other program, no second ledger"
      : "others launch here, too";
  return `# docs/fleet-file.md explains every key. The credential comes from FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE.
service:
  baseUrl: ${scalar(baseUrl)}
  profile: ${scalar(profileFile)}
  account: ${account}   # ${meaning}
${fleet === undefined ? NO_FLEET : fleetText(fleet)}
`;
}

const NO_FLEET = `fleets: []
# fleets:
#   - name: <a name of your choice>
#     gpus: <how many GPUs to keep>
#     select: { gpuModel: <as fleetkeeper offers shows it> }
#     # Or, where the profile maps no offers, the combinations themselves, the preferred first:
#     # candidates:
#     #   - { offer: <...>, provider: <...>, location: <...>, gpus: <GPUs in one machine> }
#     budget: { floor: <USD that launches leave in the balance>, perHour: <USD an hour at most> }`;

function fleetText({ name, gpus, source }: FleetAnswer): string {
  const from =
    "gpuModel" in source
      ? `select: { gpuModel: ${scalar(source.gpuModel)} }`
      : `candidates:                     # the preferred first
      - { offer: ${scalar(source.offer)}, provider: ${scalar(source.provider)}, location: ${scalar(source.location)}, gpus: ${source.gpus} }`;
  return `fleets:
  - name: ${scalar(name)}
    gpus: ${gpus}
    ${from}
    # budget: { floor: <USD that launches leave in the balance>, perHour: <USD an hour at most> }`;
}

function known(part: string, lines: readonly string[]): string {
  return [`${part}:`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Lines that are commented out until somebody knows their values. */
function open(lines: readonly string[], indent = "  "): string {
  return lines.map((line) => `# ${indent}${line}`).join("\n");
}

/** A text as YAML on one line, whatever it holds; it may stand within `{ }`. */
function scalar(text: string): string {
  return stringify([text], { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false })
    .trim()
    .slice(1, -1);
}
