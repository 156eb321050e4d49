import { COOLING_DOWN_STATUS, OFFER_COOLING_DOWN, PATHS } from "../../service/contract/contract.ts";
import type { Json } from "../../service/contract/service.ts";
import { counted } from "../../service/text/counted.ts";
import { readInteger, readText } from "../../service/text/json.ts";
import type { Entries } from "./fields.ts";
import { ownPlaces } from "./own-places.ts";
import { answersOf, callsIn, inFiles, type ProposalInput } from "./proposal-input.ts";
import { errorGuesses } from "./shape/errors.ts";
import { leavesOf, NOTHING } from "./shape/leaves.ts";
import type { JsonObject } from "./shape/lists.ts";
import { guessLine } from "./shape/proposal.ts";
import { likelyState, NAMED } from "./shape/state-words.ts";
import { yamlText } from "./shape/texts.ts";
import type { OpenPoint, Proposed } from "./wire.ts";

/** Too many requests: the likeliest error of a launch. */
const TOO_MANY = 429;

/** Where errors carry their code, their message, and the seconds to wait. */
export function proposeErrors(view: ProposalInput): Proposed {
  const shown = answersOf("error", view);
  const where = inFiles(shown.map(({ file }) => file));
  const entries: Entries = {};
  const isSchema = shown.some((each) => each.isSchema);
  for (const guess of errorGuesses(
    shown.map(({ json }) => json),
    isSchema,
  )) {
    const line = guessLine(isSchema ? { ...guess, samples: [] } : guess, view.redact, where);
    entries[guess.field] = { lines: [line] };
  }
  for (const { json, headers, file, isSchema } of shown) {
    const wait = leavesOf([json], NOTHING).find(
      ({ names, values }) =>
        names.includes("retry") && names.includes("after") && readInteger(values[0] as Json) !== undefined,
    );
    if (wait === undefined || headers["retry-after"] !== undefined || isSchema) continue;
    const seen = `seen in ${file}: ${String(wait.values[0])}; confirm that it is seconds`;
    entries.retryAfter = { lines: [`retryAfter: ${yamlText(wait.pointer)}  # ${seen}`] };
  }
  const refused = shown.filter(({ status, isSchema }) => status !== undefined && !isSchema);
  const open: OpenPoint[] = [];
  const tooMany = [
    ...refused.filter(({ status }) => status === TOO_MANY),
    ...view.documents.filter((each) => each.operations.some((one) => one.statuses.includes(`${TOO_MANY}`))),
  ];
  if (refused.length > 0 || tooMany.length > 0) {
    const seen = refused.map(({ status, file }) => `${status} in ${file}`).join(", ");
    const known = tooMany.length > 0 ? `${TOO_MANY}` : "<an HTTP status that surely launched nothing>";
    // A promise about money: only the service can make it.
    const line = `  statuses: [${known}]  # ${tooMany.length > 0 ? "only if the service promises it" : ""}`;
    const more = seen === "" ? "" : `${tooMany.length > 0 ? "; " : ""}seen: ${seen}`;
    entries.definite = { lines: ["definite:", line + more], isOpen: true };
  }
  if (tooMany.length > 0)
    open.push({
      part: "errors.definite",
      how: `a ${TOO_MANY}${inFiles(tooMany.map(({ file }) => file))}: each one that a launch meets is looked for, for some minutes, as a gateway may send it after a machine was made. If the service promises that it launched nothing, write "definite: { statuses: [${TOO_MANY}] }" under errors`,
    });
  const oneMachine = callsIn(view)?.get?.operation.path ?? `${PATHS.deployments}/{id}`;
  if (entries.code === undefined) {
    const how =
      shown.length === 0
        ? `save one refusal (curl -i of ${oneMachine.replace(/\{[^{}]*\}$/, "no-such-id")})`
        : `nothing${where} looks like a code: name its pointer`;
    open.push({ part: "errors.code", how });
  }
  const cooling = shown.find(({ status, isSchema }) => status === COOLING_DOWN_STATUS && !isSchema);
  if (cooling !== undefined && !JSON.stringify(cooling.json).includes(OFFER_COOLING_DOWN))
    open.push({
      part: "errors.code",
      how: `the 503 in ${cooling.file} does not hold ${OFFER_COOLING_DOWN}, which the specification shows for an offer that cools down`,
    });
  return { entries, open };
}

/** The words for states that the specification does not have. Nobody but the user knows what they mean. */
export function proposeStates({
  deployments,
  redact,
}: ProposalInput): Proposed & { readonly words: readonly string[] } {
  const byWord = deployments.isSchema
    ? new Map<string, readonly JsonObject[]>()
    : Map.groupBy(deployments.all, ({ status }) => String(status));
  const { status: place } = ownPlaces(deployments);
  const described = deployments.notes.get(place);
  const all = [...new Set([...byWord.keys(), ...(described?.words ?? [])])];
  const unknown = all.filter((word) => !NAMED.includes(word)).slice(0, 30);
  if (unknown.length === 0) {
    const how =
      "what the service calls a stopped machine shows in the list after a stop. Without it a stop is watched for two lists";
    return { entries: {}, open: [{ part: "deployments.states.terminal", how }], words: [] };
  }
  const words = unknown.map((word) => {
    const those = byWord.get(word) ?? [];
    const from =
      those.length === 0
        ? described?.file
        : `${counted(those.length, "machine")}${inFiles(those.map((record) => deployments.fileOf.get(record)))}`;
    const isOver =
      those.length > 0 &&
      those.every((record) => readText(record.stop_reason) ?? readText(record.failure_code));
    const over = isOver
      ? "; each has a stop_reason or a failure_code: if it is an end, name it under terminal"
      : "";
    return `  ${yamlText(redact.text(word, 60))}: <${NAMED.join(", ")}>  # ${from}${over}; by its look ${likelyState(word)}`;
  });
  const shown = unknown.map((word) => redact.text(word, 60));
  const texts = shown.map((word) => JSON.stringify(word)).join(", ");
  const questions = shown.map(
    (word) => `\n    Which state is ${JSON.stringify(word)}? By its look ${likelyState(word)}`,
  );
  const same = all.filter((word) => NAMED.includes(word));
  const taken =
    described === undefined || same.length === 0 ? "" : `. Taken as the specification's: ${same.join(", ")}`;
  const how = `only you know these words: ${texts}. A word for a state of the specification is an alias; a state that ends a machine for good is terminal. A machine that still runs in a terminal state would be replaced, and billed on${taken}.${questions.join("")}`;
  return {
    entries: { aliases: { lines: ["aliases:", ...words], isOpen: true } },
    open: [{ part: "deployments.states", how }],
    words: shown,
  };
}

/** Codes and rates that were seen. What they mean stays open. */
export function proposeRest({ deployments, shown, redact }: ProposalInput): {
  readonly failures: Entries;
  readonly limits: Entries;
} {
  const described = deployments.notes.get("/failure_code");
  const isSchema = deployments.isSchema;
  const shownCodes = isSchema
    ? []
    : deployments.all.flatMap(({ failure_code }) => readText(failure_code) ?? []);
  const codes = [...new Set([...shownCodes, ...(described?.words ?? [])])].slice(0, 10);
  const from = inFiles([...(isSchema ? [] : deployments.fileOf.values()), described?.file]);
  const rate = shown.find(({ headers }) => headers["x-ratelimit-limit"] ?? headers["ratelimit-limit"]);
  const limit = rate?.headers["x-ratelimit-limit"] ?? rate?.headers["ratelimit-limit"];
  return {
    failures:
      codes.length === 0
        ? {}
        : {
            retryable: {
              lines: [
                `retryable: [<a failure_code that may pass>]  # seen${from}: ${codes.map((code) => redact.text(code, 60)).join(", ")}`,
              ],
              isOpen: true,
            },
          },
    limits:
      limit === undefined
        ? {}
        : {
            requestsPerSecond: {
              lines: [
                `requestsPerSecond: <how many requests a second the service allows>  # ${rate?.file} has a limit of ${redact.text(limit, 40)}, of an unknown time`,
              ],
              isOpen: true,
            },
          },
  };
}
