import { ENVIRONMENT, EXCLUSIVE_MEANS } from "../../../account/configuration.ts";
import { markerOf } from "../../../launch/claim/groups.ts";
import type { Tenure } from "../../../ledger/rows.ts";
import { abilitiesOf } from "../../../service/profile/abilities.ts";
import { counted } from "../../../service/text/counted.ts";
import { leavesOf } from "../../propose/shape/leaves.ts";
import { markerPlaces } from "../../propose/shape/proposal.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { recordsOf } from "../records.ts";
import { isWritten } from "../remedy.ts";
import { type Check, finding, type Remedy } from "../report.ts";
import { UNKNOWN_MINUTES } from "./operations.ts";

/** What tells launches apart in a list, how fast that lets them go, and who else launches in the account. */
export function launchIdentityChecks(input: DoctorInput): readonly Check[] {
  return [apartCheck(input), tenureCheck(input)];
}

function apartCheck(input: DoctorInput): Check {
  const { loaded } = input;
  const check = finding("operations", "launches.apart");
  const { marker, combination, launch } = abilitiesOf(loaded.profile);
  const [cut] = marker ? cutMarkers(input) : [];
  if (cut !== undefined) {
    return check.warning(
      `Deployments show the marker of their launch cut to ${counted(cut.length, "character")} of ${MARKER_LENGTH}, as ${JSON.stringify(cut)}: it tells no two launches apart. They go one at a time of each combination, and on a shared account no machine is certainly yours by it.`,
      {
        text: `Send "{marker}" in a field that keeps ${MARKER_LENGTH} characters, and map where deployments show that one`,
        at: loaded.locate(["deployments", "fields", "marker"]),
      },
    );
  }
  if (marker) {
    return check.ok(
      "Launches are told apart by a marker that the service shows back: many may be under way at once. " +
        `The first one goes alone, to prove that it comes back.${carried(input)}`,
    );
  }
  const wait = `one whose answer is lost keeps the others waiting for about ${UNKNOWN_MINUTES} minutes`;
  if (combination) {
    return check.ok(
      `Launches are told apart by offer, provider and location: one at a time of each combination; ${wait}. A marker would let all go at once.`,
    );
  }
  if (!launch) return check.skipped("What tells launches apart shows once the profile can launch.");
  const missing = ["offer", "provider", "location"].filter(
    (field) => !isWritten(loaded, ["deployments", "fields", field]),
  );
  return check.warning(
    `Nothing tells two launches apart: one launch at a time in the whole account; ${wait}. It would take a marker that ` +
      `the service shows back, or offer, provider and location of a deployment (not mapped: ${missing.join(", ")}).`,
    markerRemedy(input),
  );
}

function markerRemedy(input: DoctorInput): Remedy {
  const places = markerPlaces(leavesOf(recordsOf("deployments", input)));
  const seen =
    places.length > 0 ? ` Deployments have ${places.slice(0, 4).join(", ")}, which may be such a field.` : "";
  return {
    text: `If a launch can carry a text of yours (a label, a name, a tag), send "{marker}" in it, and map where deployments show it.${seen}`,
    lines: [
      "launch:",
      "  body:",
      '    <the field for a text of yours>: "{marker}"',
      "deployments:",
      "  fields:",
      "    marker: <JSON Pointer to that field of a deployment>",
    ],
  };
}

function tenureCheck(input: DoctorInput): Check {
  const { account } = input.configuration;
  const check = finding("operations", "account.tenure");
  const before = otherwise(input);
  if (before !== undefined) {
    const text = `Correct what is wrong: the statement (service.account in the fleet file, or ${ENVIRONMENT.account}), or the ledger, by fleetkeeper account --change-to ${account}`;
    return check.problem(
      `The account is stated to be ${account}, but the ledger was told that it is ${before}: nothing is done until they agree.`,
      { text },
      { configuration: true },
    );
  }
  const { marker } = abilitiesOf(input.loaded.profile);
  if (account === "exclusive") {
    return check.ok(
      "The account is stated to be exclusive: a new fleet takes what runs there and fits it, and stops what is too much then.",
    );
  }
  if (account === "shared") {
    const doubt = marker
      ? ", and the marker shows what is"
      : "; after a lost answer you may be asked to adopt or disown a machine";
    return check.ok(
      `The account is stated to be shared: only what is certainly yours is ever stopped${doubt}.`,
    );
  }
  if (marker) {
    return check.ok(
      "Nobody has said whether the account is exclusive or shared; the marker shows what is yours, so it is treated as shared.",
    );
  }
  return check.problem(
    "Nobody has said whether others launch in this account, and no marker shows which machines are yours: nothing is launched until you say it.",
    {
      text: `Say it in the fleet file (or set ${ENVIRONMENT.account}): exclusive if ${EXCLUSIVE_MEANS}; else shared`,
      lines: ["service:", "  account: <exclusive or shared>"],
    },
  );
}

/** What the ledger says of this account, if the configuration says something else. */
function otherwise({ configuration, seen, accounts }: DoctorInput): Tenure | undefined {
  const id = seen?.account.value?.id;
  const stored = accounts.find((each) => each.accountId === id)?.tenure;
  const agree = configuration.account === undefined || stored === configuration.account;
  return stored === "unstated" || agree ? undefined : stored;
}

const MARKER_LENGTH = markerOf("0".repeat(16), "0".repeat(16)).length;

/** What begins as a marker of ours and is too short for one. None where a whole one is shown, too. */
function cutMarkers({ seen }: DoctorInput): readonly string[] {
  const shown = (seen?.rest?.deployments.read?.value ?? []).flatMap(({ marker }) => marker ?? []);
  const ours = shown.filter((marker) => /^fk-[0-9a-z]{8,}(-|$)/.test(marker));
  return ours.every((marker) => marker.length < MARKER_LENGTH) ? ours : [];
}

function carried({ seen }: DoctorInput): string {
  const list = seen?.rest?.deployments.read?.value ?? [];
  if (list.length === 0) return "";
  const marked = list.filter(({ marker }) => marker !== undefined).length;
  return ` Of ${counted(list.length, "deployment")} ${marked === 0 ? "none has" : marked === 1 ? "1 has" : `${marked} have`} something there now.`;
}
