import { DEFAULT_SETTINGS } from "../../../launch/context.ts";
import { priceHalt } from "../../../launch/price-doubt.ts";
import { abilitiesOf } from "../../../service/abilities.ts";
import { PATHS } from "../../../service/contract.ts";
import type { WireProfile } from "../../../service/profile.ts";
import type { LoadedProfile } from "../../../service/profile-file.ts";
import { REQUIREMENTS } from "../../../service/requirement.ts";
import { placeholdersOf } from "../../../service/template.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { addition, yamlText } from "../remedy.ts";
import type { Check, Level, Remedy } from "../report.ts";
import { guessFields, isSentence, isWord } from "../shape/guess.ts";
import { leavesOf } from "../shape/leaves.ts";
import { deploymentIn } from "../shape/objects.ts";
import { guessLine } from "../shape/proposal.ts";
import { listRemedy } from "./deployment-list.ts";
import { offersRemedy } from "./offers.ts";

/** How long a launch of unknown outcome keeps others waiting: the POST's timeout and the settle time. */
export const UNKNOWN_MINUTES = Math.round((DEFAULT_SETTINGS.postTimeout + DEFAULT_SETTINGS.settle) / 60_000);

/** What can be done with this profile, and what each missing part costs. */
export function operationChecks(input: DoctorInput): readonly Check[] {
  const { loaded } = input;
  return [
    launchCheck(loaded),
    ...haltedCheck(input),
    operation(input, "list", "problem", `How to list the deployments: GET ${PATHS.deployments}`, {
      without: "Without it nothing can be launched: only a full list shows what a launch really did",
      remedy: () => listRemedy(input),
    }),
    operation(input, "get", "warning", `How to read one deployment: GET ${PATHS.deployments}/{id}`, {
      without: "Without it whatever is missing from a list is believed to be gone only after further lists",
      remedy: () => getRemedy(input),
    }),
    stopCheck(loaded),
    operation(input, "offers", offersLevel(input), `How to list the offers: GET ${PATHS.offers}`, {
      without: "Without it a fleet must list its candidates, with the GPUs and the price of each",
      remedy: () => offersRemedy(input),
    }),
    refusalsCheck(input),
  ];
}

/** Launches that showed the profile to be wrong: they count more than what its author wrote. */
function haltedCheck({ accounts, loaded }: DoctorInput): readonly Check[] {
  const known = accounts.map(({ profiles }) => profiles[loaded.hash]);
  const halted = known.map((each) => each?.halted?.reason).find(Boolean);
  const priced = known.map(priceHalt).find(Boolean);
  const check = (id: string, says: string): Check => ({
    ...{ id, section: "operations", level: "problem", says },
    remedy: { text: "A corrected profile begins anew, and needs no resume" },
  });
  return [
    ...(halted
      ? [check("launches.halted", `Nothing is launched under this profile any more: ${halted}.`)]
      : []),
    ...(priced ? [check("launches.prices", `Launches with a limit on money are halted: ${priced}.`)] : []),
  ];
}

function operation(
  { loaded }: DoctorInput,
  name: "list" | "get" | "offers",
  level: Level,
  says: string,
  { without, remedy }: { readonly without: string; readonly remedy: () => Remedy },
): Check {
  const { part, read, operation: what } = REQUIREMENTS[name];
  const base = { id: `operation.${name}`, section: "operations" } as const;
  if (read(loaded.profile) !== undefined) {
    return { ...base, level: "ok", says: `${says}.` };
  }
  return {
    ...base,
    level,
    says: `The profile does not say how to ${what}: it has no part "${part.join(".")}". ${without}.`,
    remedy: remedy(),
  };
}

function offersLevel({ fleets }: DoctorInput): Level {
  return fleets.some(({ wish }) => wish.select !== undefined) ? "problem" : "warning";
}

function launchCheck(loaded: LoadedProfile): Check {
  const base = { id: "operation.launch", section: "operations" } as const;
  const { launch } = loaded.profile;
  if (launch === undefined) {
    const { part, lines } = REQUIREMENTS.launch;
    return {
      ...base,
      level: "problem",
      says: `The profile does not say how to launch: it has no part "launch". No read shows what POST ${PATHS.deployments} expects: the service's own documentation does, or the requests that its dashboard sends.`,
      remedy: addition(loaded, part, lines),
    };
  }
  const used = placeholdersOf(launch.body);
  // What is the same for all machines tells no candidates apart, and need not be sent.
  const { constants = [] } = abilitiesOf(loaded.profile);
  const unsent = (["provider", "location"] as const).filter(
    (name) => !used.includes(name) && !constants.includes(name),
  );
  if (unsent.length > 0) {
    return {
      ...base,
      level: "warning",
      says: `Launches do not send ${unsent.map((name) => `{${name}}`).join(" and ")}: two candidates that differ in nothing else would ask for the same machine.`,
      remedy: {
        text: `Put ${unsent.map((name) => `"{${name}}"`).join(" and ")} where the service expects it, unless the offer alone decides`,
        at: loaded.locate(["launch", "body"]),
      },
    };
  }
  if (launch.id === undefined && launch.deployment === undefined) {
    return {
      ...base,
      level: "warning",
      says: `The profile says how to launch, but not where the answer carries the new id: each launch keeps others waiting until a list shows what came of it.`,
      remedy: addition(loaded, ["launch"], ["id: <JSON Pointer to the new deployment's id in the answer>"]),
    };
  }
  return {
    ...base,
    level: "ok",
    says: `How to launch: POST ${PATHS.deployments} with ${used.map((name) => `{${name}}`).join(", ")}.`,
  };
}

function stopCheck(loaded: LoadedProfile): Check {
  const base = { id: "operation.stop", section: "operations" } as const;
  const { stop, deployments } = loaded.profile;
  if (stop === undefined) {
    const { part, lines } = REQUIREMENTS.stop;
    return {
      ...base,
      level: "warning",
      says: 'The profile does not say how to stop: it has no part "stop". The count is kept all the same, but surplus machines bill on until a person stops them in the dashboard; fleetkeeper says which.',
      remedy: addition(loaded, part, lines),
    };
  }
  if ((deployments?.states.terminal ?? []).length === 0) {
    return {
      ...base,
      level: "warning",
      says: "The profile says how to stop a deployment, but not the state of a stopped one, and neither does the specification: each stop is watched for two full lists before it is believed.",
      remedy: addition(
        loaded,
        ["deployments", "states"],
        ["terminal: [<the state of a stopped deployment>]"],
        "announced",
      ),
    };
  }
  return { ...base, level: "ok", says: `How to stop a deployment: ${stop.method} ${stop.path}.` };
}

function getRemedy({ loaded, seen }: DoctorInput): Remedy {
  const { part, lines } = REQUIREMENTS.get;
  const one = seen?.rest?.one;
  const pointer =
    one?.answer?.json === undefined || one.answer.status >= 300
      ? undefined
      : deploymentIn(one.answer.json, one.id);
  if (pointer === undefined) return addition(loaded, part, lines, "announced");
  const line = `item: ${yamlText(pointer)}  # there GET ${PATHS.deployments}/{id} carries the one that was asked for`;
  return { ...addition(loaded, part, [line], "announced"), proposed: true };
}

const ERROR_SHAPES = [
  { field: "code", names: ["code", "error", "kind", "type", "reason"], fits: isWord },
  {
    field: "message",
    names: ["message", "text", "detail", "description", "title", "error", "reason"],
    fits: isSentence,
  },
] as const;

/** Whether a refusal is recognised. A cooldown is known by the code in its answer (section 7). */
function refusalsCheck({ loaded, seen, redact }: DoctorInput): Check {
  const base = { id: "operation.refusals", section: "operations" } as const;
  const errors: WireProfile["errors"] = loaded.profile.errors;
  const answer = seen?.rest?.missing;
  const body = answer !== undefined && answer.status >= 400 ? answer.json : undefined;
  const leaves = body === undefined ? [] : leavesOf([body], new Set());
  const guesses = guessFields(leaves, ERROR_SHAPES).filter(({ samples }) => samples.length > 0);
  const [first] = guesses;
  if (errors?.code === undefined) {
    const wanted = guesses.filter(({ field }) => field === "code" || errors?.message === undefined);
    const cost = `an offer that cools down is not recognised, its Retry-After is not used, and each such launch keeps others waiting for about ${UNKNOWN_MINUTES} minutes`;
    return {
      ...base,
      level: "warning",
      says: `The profile does not say where an error carries its code: ${cost}.`,
      remedy: wanted.some(({ field }) => field === "code")
        ? {
            ...addition(
              loaded,
              ["errors"],
              wanted.map((guess) => guessLine(guess, redact)),
            ),
            proposed: true,
          }
        : addition(loaded, ["errors"], ["code: <JSON Pointer to the code in an error's body>"]),
    };
  }
  const finds = leaves.some(({ pointer, values }) => pointer === errors.code && values.length > 0);
  if (finds || first === undefined || first.field !== "code") {
    const proof = finds ? ", as the answer to an id that does not exist has it" : "";
    return { ...base, level: "ok", says: `How to know a refusal: by the code at ${errors.code}${proof}.` };
  }
  return {
    ...base,
    level: "warning",
    says: `The answer to a GET of an id that does not exist carries nothing at ${errors.code} (errors.code). If errors of a launch look like it, an offer that cools down is not recognised.`,
    remedy: {
      text: 'Write in the profile, instead of what stands at "errors.code"',
      at: loaded.locate(["errors", "code"]),
      lines: guesses.filter(({ field }) => field === "code").map((guess) => `  ${guessLine(guess, redact)}`),
      proposed: true,
    },
  };
}
