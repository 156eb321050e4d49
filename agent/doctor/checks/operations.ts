import { DEFAULT_SETTINGS } from "../../../launch/facts/context.ts";
import { priceHalt } from "../../../launch/money/price-doubt.ts";
import { abilitiesOf, refusalsOf } from "../../../service/profile/abilities.ts";
import { callOf, callText, placeholdersInCall } from "../../../service/profile/calls.ts";
import type { LoadedProfile } from "../../../service/profile/profile-file.ts";
import { REQUIREMENTS } from "../../../service/profile/requirement.ts";
import { errorGuesses } from "../../propose/shape/errors.ts";
import { leavesOf, NOTHING } from "../../propose/shape/leaves.ts";
import { deploymentIn } from "../../propose/shape/lists.ts";
import { guessLine } from "../../propose/shape/proposal.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { goodJson } from "../recording-transport.ts";
import { addition, isWritten, proposed, replacement } from "../remedy.ts";
import { type Check, finding, type Remedy } from "../report.ts";
import { listRemedy } from "./list-remedy.ts";
import { noSuchDeploymentCheck } from "./no-such-deployment.ts";

/** How long a launch of unknown outcome keeps others waiting: the POST's timeout and the settle time. */
export const UNKNOWN_MINUTES = Math.round((DEFAULT_SETTINGS.postTimeout + DEFAULT_SETTINGS.settle) / 60_000);

/** What can be done with this profile, and what each missing part costs. */
export function operationChecks(input: DoctorInput): readonly Check[] {
  const { loaded, fleets } = input;
  const isSelecting = fleets.some(({ wish }) => wish.select !== undefined);
  return [
    launchCheck(loaded),
    ...haltedCheck(input),
    readCheck(
      input,
      "list",
      "problem",
      `How to list the deployments: ${callText(loaded.profile, "list")}`,
      "Without it nothing can be launched: only a full list shows what a launch really did",
    ),
    readCheck(
      input,
      "get",
      "warning",
      `How to read one deployment: ${callText(loaded.profile, "get")}`,
      "Without it whatever is missing from a list is believed to be gone only after further lists",
    ),
    ...noSuchDeploymentCheck(input),
    stopCheck(loaded),
    readCheck(
      input,
      "offers",
      isSelecting ? "problem" : "warning",
      `How to list the offers: ${callText(loaded.profile, "offers")}`,
      "Without it a fleet must list its candidates, with the GPUs and the price of each",
    ),
    refusalsCheck(input),
    ...errorsCheck(loaded),
  ];
}

/** Launches that showed the profile to be wrong: they count more than what its author wrote. */
function haltedCheck({ accounts, loaded, money }: DoctorInput): readonly Check[] {
  const known = accounts.map(({ profiles }) => profiles[loaded.hash]);
  const halted = known.map((each) => each?.halted?.reason).find(Boolean);
  const priced = known.map((each) => priceHalt(each, money)).find(Boolean);
  const check = (id: string, says: string): Check =>
    finding("operations", id).problem(says, { text: "A corrected profile begins anew, and needs no resume" });
  return [
    ...(halted
      ? [check("launches.halted", `Nothing is launched under this profile any more: ${halted}.`)]
      : []),
    ...(priced ? [check("launches.prices", `Launches with a limit on money are halted: ${priced}.`)] : []),
  ];
}

/** `level`: of the finding that the profile has no such part. */
function readCheck(
  input: DoctorInput,
  name: "list" | "get" | "offers",
  level: "problem" | "warning",
  says: string,
  without: string,
): Check {
  const check = finding("operations", `operation.${name}`);
  const { part, read, operation } = REQUIREMENTS[name];
  if (read(input.loaded.profile) !== undefined) return check.ok(`${says}.`);
  return check[level](
    `The profile does not say how to ${operation}: it has no part "${part.join(".")}". ${without}.`,
    name === "get" ? getRemedy(input) : listRemedy(name === "list" ? "deployments" : "offers", input),
  );
}

function launchCheck(loaded: LoadedProfile): Check {
  const check = finding("operations", "operation.launch");
  const { launch } = loaded.profile;
  if (launch === undefined) {
    const { part, lines } = REQUIREMENTS.launch;
    return check.problem(
      `The profile does not say how to launch: it has no part "launch". No read shows what ${callText(loaded.profile, "launch")} expects: the service's own documentation does, or the requests that its dashboard sends.`,
      addition(loaded, part, lines),
    );
  }
  const used = [...new Set(placeholdersInCall(callOf(loaded.profile, "launch")))];
  // What is the same for all machines tells no candidates apart, and need not be sent.
  const { constants = [] } = abilitiesOf(loaded.profile);
  const unsent = (["provider", "location"] as const).filter(
    (name) => !used.includes(name) && !constants.includes(name),
  );
  if (unsent.length > 0) {
    const text = `Put ${unsent.map((name) => `"{${name}}"`).join(" and ")} where the service expects it, unless the offer alone decides`;
    return check.warning(
      `Launches do not send ${unsent.map((name) => `{${name}}`).join(" and ")}: two candidates that differ in nothing else would ask for the same machine.`,
      { text, at: loaded.locate(["launch", "body"]) },
    );
  }
  if (launch.id === undefined && launch.deployment === undefined) {
    return check.warning(
      "The profile says how to launch, but not where the answer carries the new id: each launch keeps others waiting until a list shows what came of it.",
      addition(loaded, ["launch"], ["id: <JSON Pointer to the new deployment's id in the answer>"]),
    );
  }
  return check.ok(
    `How to launch: ${callText(loaded.profile, "launch")} with ${used.map((name) => `{${name}}`).join(", ")}.`,
  );
}

function stopCheck(loaded: LoadedProfile): Check {
  const check = finding("operations", "operation.stop");
  const { deployments } = loaded.profile;
  const stop = callOf(loaded.profile, "stop");
  if (stop === undefined) {
    const { part, lines } = REQUIREMENTS.stop;
    return check.warning(
      'The profile does not say how to stop: it has no part "stop". The count is kept all the same, but surplus machines bill on until a person stops them in the dashboard; fleetkeeper says which.',
      addition(loaded, part, lines),
    );
  }
  if ((deployments?.states.terminal ?? []).length === 0 && deployments?.ended === undefined) {
    const lines = ["terminal: [<the state of a stopped deployment>]"];
    return check.warning(
      "The profile says how to stop a deployment, but not the state of a stopped one, and neither does the specification: each stop is watched for two full lists before it is believed.",
      addition(loaded, ["deployments", "states"], lines, "announced"),
    );
  }
  return check.ok(
    `How to stop a deployment: ${stop.method} ${stop.path}. Only a stop shows whether that is right.`,
  );
}

function getRemedy({ loaded, seen }: DoctorInput): Remedy {
  const { part, lines } = REQUIREMENTS.get;
  const one = seen?.rest?.one;
  const pointer = one && deploymentIn(goodJson(one.answer), one.id);
  if (pointer === undefined) return addition(loaded, part, lines, "announced");
  const line = `item: ${yamlText(pointer)}  # there ${callText(loaded.profile, "get")} carries the one that was asked for`;
  return proposed(addition(loaded, part, [line], "announced"));
}

/** What an error of a launch says of machines, and what that of too many requests costs. */
function errorsCheck(loaded: LoadedProfile): readonly Check[] {
  const { profile } = loaded;
  const { launch, errors } = profile;
  if (launch === undefined) return [];
  const check = finding("operations", "operation.errors");
  const names = errors?.definite.codes ?? [];
  const unnamed = errors?.soldOut?.codes?.filter((code) => !names.includes(code)) ?? [];
  const isUnsure =
    unnamed.length > 0 && (launch.accepted !== undefined || refusalsOf(profile) === "uncertain");
  if (isUnsure) {
    const at = loaded.locate(["errors", "soldOut"]);
    const text =
      "Where the service's document says that nothing is made then, name the code in errors.definite.codes, too";
    return [
      check.warning(
        `${unnamed.join(", ")} means sold out, and does not say that nothing was launched: each such launch is looked for, about ${UNKNOWN_MINUTES} minutes.`,
        { text, at },
      ),
    ];
  }
  if (refusalsOf(profile) === "uncertain") {
    const but = names.length === 0 ? "" : `, but for ${names.join(", ")}`;
    return [
      check.ok(
        `An error of a launch may have made a machine${but}: it is looked for, about ${UNKNOWN_MINUTES} minutes, before the next one (launch.refusals: uncertain).`,
        tooMany(loaded),
      ),
    ];
  }
  if (profile.profile === 1 || abilitiesOf(profile).marker)
    return [
      check.ok(
        `An error of a launch that is understood says that it made nothing, but for a 409, a 429 and a 5xx: where errors.definite does not name it, one of these is looked for, about ${UNKNOWN_MINUTES} minutes.`,
        tooMany(loaded),
      ),
    ];
  return [
    check.warning(
      "An error that is understood is said to have made nothing (launch.refusals: certain), and no marker would show a machine that it made: on a shared account that one is left to you.",
      {
        text: "Leave the line out unless the service's document says so",
        at: loaded.locate(["launch", "refusals"]),
      },
    ),
  ];
}

/** A 429 is the likeliest error of a launch. Only the service can promise that none of them made a machine. */
function tooMany(loaded: LoadedProfile): Remedy | undefined {
  const { statuses = [] } = loaded.profile.errors?.definite ?? {};
  if (statuses.includes(429)) return undefined;
  const { text, ...remedy } = !isWritten(loaded, ["errors", "definite"])
    ? addition(loaded, ["errors"], ["definite: { statuses: [429] }"])
    : statuses.length === 0
      ? addition(loaded, ["errors", "definite"], ["statuses: [429]"])
      : replacement(
          loaded,
          ["errors", "definite", "statuses"],
          `statuses: [${[...statuses, 429].join(", ")}]`,
        );
  const then = `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  return {
    ...remedy,
    text: `If the service promises that a 429 launched nothing, also one of a gateway before it, ${then}`,
  };
}

/** Whether a refusal is recognised. A cooldown is known by the code in its answer (section 7). */
function refusalsCheck({ loaded, seen, redact }: DoctorInput): Check {
  const check = finding("operations", "operation.refusals");
  const { errors } = loaded.profile;
  const answer = seen?.rest?.missing;
  const body = answer !== undefined && answer.status >= 400 ? answer.json : undefined;
  const bodies = body === undefined ? [] : [body];
  const leaves = leavesOf(bodies, NOTHING);
  const guesses = errorGuesses(bodies);
  const line = (field: "code" | "message"): readonly string[] =>
    guesses.filter((guess) => guess.field === field).map((guess) => guessLine(guess, redact));
  const code = line("code");
  if (errors?.code === undefined) {
    const message = errors?.message === undefined ? line("message") : [];
    const cost = `an offer that cools down is not recognised, its Retry-After is not used, and each such launch keeps others waiting for about ${UNKNOWN_MINUTES} minutes`;
    return check.warning(
      `The profile does not say where an error carries its code: ${cost}.`,
      code.length > 0
        ? proposed(addition(loaded, ["errors"], [...code, ...message]))
        : addition(loaded, ["errors"], ["code: <JSON Pointer to the code in an error's body>"]),
    );
  }
  const finds = leaves.some(({ pointer, values }) => pointer === errors.code && values.length > 0);
  if (finds || code.length === 0) {
    const proof = finds ? ", as the answer to an id that does not exist has it" : "";
    return check.ok(`How to know a refusal: by the code at ${errors.code}${proof}.`);
  }
  return check.warning(
    `The answer to a GET of an id that does not exist carries nothing at ${errors.code} (errors.code). If errors of a launch look like it, an offer that cools down is not recognised.`,
    proposed(replacement(loaded, ["errors", "code"], ...code)),
  );
}
