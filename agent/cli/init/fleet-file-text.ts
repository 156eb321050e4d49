import { yamlText } from "../../propose/shape/texts.ts";
import type { Answers, FleetAnswer } from "./interview.ts";

/** The text of a fleet file. Without a fleet it is complete, too, and keeps nothing. */
export function fleetFileText(answers: Answers, profileFile: string): string {
  const { baseUrl, account, fleet } = answers;
  const meaning =
    account === "exclusive"
      ? "nobody else launches or stops here: no person, no other program, no second ledger"
      : "others launch here, too";
  return `# docs/reference/fleet-file.md explains every key. The credential comes from FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE.
service:
  baseUrl: ${yamlText(baseUrl)}
  profile: ${yamlText(profileFile)}
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
#     budget: { floor: <what launches leave in the balance>, perHour: <at most so much an hour> }`;

function fleetText({ name, gpus, source }: FleetAnswer): string {
  const from =
    "gpuModel" in source
      ? `select: { gpuModel: ${yamlText(source.gpuModel)} }`
      : `candidates:                     # the preferred first
      - { offer: ${yamlText(source.offer)}, provider: ${yamlText(source.provider)}, location: ${yamlText(source.location)}, gpus: ${source.gpus} }`;
  return `fleets:
  - name: ${yamlText(name)}
    gpus: ${gpus}
    ${from}
    # budget: { floor: <what launches leave in the balance>, perHour: <at most so much an hour> }`;
}
