import { PATHS } from "../../../service/contract.ts";
import { REQUIREMENTS } from "../../../service/requirement.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { SeenRest } from "../look.ts";
import type { Sighting } from "../recording-transport.ts";
import { answerText, at, bestList, goodJson, isRefused, onlyEmptyList, queryHint } from "../records.ts";
import { addition, replacement, yamlText } from "../remedy.ts";
import { type Check, count, type Remedy } from "../report.ts";
import { listsIn } from "../shape/lists.ts";
import { deploymentIn } from "../shape/objects.ts";
import { pagingSigns } from "../shape/paging.ts";
import { pagingLines } from "../shape/paging-guess.ts";
import { fieldLines } from "./deployment-fields.ts";
import { pagesCheck } from "./pages.ts";

/** The lines for the list, from the answer as it came, if it shows enough. */
export function listRemedy({ loaded, seen }: DoctorInput): Remedy {
  const { part, lines } = REQUIREMENTS.list;
  const answer = seen?.rest?.deploymentsAnswer;
  const json = goodJson(answer);
  const found = json === undefined ? undefined : (bestList(json) ?? onlyEmptyList(json));
  if (found === undefined || answer === undefined) return addition(loaded, part, lines);
  const why =
    found.deployments.length > 0
      ? `the array whose ${count(found.deployments.length, "item")} have id and status`
      : "the only array in the answer; it is empty, so look again once a deployment exists";
  return {
    ...addition(loaded, part, [
      `items: ${yamlText(found.pointer)}  # ${why}`,
      ...pagingLines(pagingSigns(answer), found.length, seen?.rest?.deploymentsNext),
    ]),
    proposed: true,
  };
}

/** Whether the list can be read, whether it is the right one, and whether it is whole. */
export function listChecks(input: DoctorInput, rest: SeenRest): readonly Check[] {
  const { deployments, deploymentsAnswer } = rest;
  const base = { id: "deployments.list", section: "deployments" } as const;
  if (deployments === undefined) return [unreadList(input, deploymentsAnswer)];
  const { loaded } = input;
  if (deployments.error !== undefined) {
    const remedy = correction(input, deploymentsAnswer);
    return [
      {
        ...base,
        level: "problem",
        says: deployments.error.message,
        ...(remedy === undefined ? {} : { remedy }),
      },
    ];
  }
  const list = [...deployments.value, ...rest.unread];
  const doubts = doubtsAbout(input, list.length, deploymentsAnswer);
  if (doubts.some(({ level }) => level === "problem")) return doubts;
  const of = `${PATHS.deployments} (at ${loaded.profile.deployments?.list?.items || "the top of the answer"})`;
  if (list.length > 0) {
    return [
      {
        ...base,
        level: "ok",
        says: `The list was read to its end: ${count(list.length, "deployment")}, from ${of}.`,
      },
      ...recordChecks(input, rest),
      ...doubts,
    ];
  }
  return [
    {
      ...base,
      level: "ok",
      says: `The list was read to its end and is empty. Whether it is the right array of ${PATHS.deployments}, and where the fields of a deployment stand, shows only once one exists: run the doctor again after the first launch.`,
    },
    ...doubts,
  ];
}

/** Names each record that cannot be read, in whole or in part: each may be a machine that costs money. */
function recordChecks(
  input: DoctorInput,
  { deployments, deploymentsAnswer, unread }: SeenRest,
): readonly Check[] {
  const flawed = (deployments?.value ?? []).flatMap(({ id, flaw }) =>
    flaw === undefined ? [] : [{ id, flaw }],
  );
  const base = { section: "deployments" } as const;
  const remedy = correction(input, deploymentsAnswer);
  const checks: Check[] = [];
  if (unread.length > 0) {
    checks.push({
      ...base,
      id: "deployments.records",
      level: "problem",
      says: `${count(unread.length, "deployment")} cannot be read. Each may be a machine that costs money: it is counted as it was shown last, and one that was never shown is nobody's. A fleet that is new waits for them.`,
      details: named(unread.map(({ id, where, unread }) => `${id ?? where}: ${unread}`)),
      ...(remedy === undefined ? {} : { remedy }),
    });
  }
  if (flawed.length > 0) {
    checks.push({
      ...base,
      id: "deployments.flaws",
      // If half of them are flawed, it is rather the profile that is wrong.
      level: flawed.length * 2 >= (deployments?.value?.length ?? 0) ? "problem" : "warning",
      says: `Of ${count(flawed.length, "deployment")} some fields cannot be read, and are left out as if the service did not show them.`,
      details: named(flawed.map(({ id, flaw }) => `${id}: ${flaw}`)),
      ...(remedy === undefined ? {} : { remedy }),
    });
  }
  return checks;
}

const MOST_NAMED = 10;

function named(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_NAMED;
  return [...lines.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])];
}

function unreadList({ redact }: DoctorInput, answer: Sighting | undefined): Check {
  const base = { id: "deployments.list", section: "deployments", level: "skipped" } as const;
  const json = goodJson(answer);
  if (json === undefined) {
    const query = isRefused(answer) ? queryHint("deployments.list") : "";
    return {
      ...base,
      says: `A plain GET ${PATHS.deployments} ${answerText(answer, redact)}, so its shape cannot be seen.${query}`,
    };
  }
  const list = bestList(json);
  if (list !== undefined) {
    return {
      ...base,
      says: `A plain GET ${PATHS.deployments} shows ${count(list.deployments.length, "deployment")} at ${at(list)}; see the lines proposed above.`,
    };
  }
  const lists = listsIn(json);
  const where =
    lists.length === 0
      ? "holds no array at all"
      : `holds ${lists
          .slice(0, 5)
          .map((each) => `an array at ${at(each)} (${count(each.length, "item")})`)
          .join(", ")}`;
  return {
    ...base,
    says: redact.text(
      `A plain GET ${PATHS.deployments} ${where}, and nothing with id and status: more can be seen once a deployment exists.`,
      600,
    ),
  };
}

/** A list that can be read may be the wrong one, or only a part: then machines would be bought twice. */
function doubtsAbout(
  { loaded, seen }: DoctorInput,
  length: number,
  answer: Sighting | undefined,
): readonly Check[] {
  const json = goodJson(answer);
  const mapped = loaded.profile.deployments?.list;
  if (json === undefined || mapped === undefined || answer === undefined) return [];
  const checks: Check[] = [];
  const best = bestList(json);
  if (length === 0 && best !== undefined && best.pointer !== mapped.items) {
    checks.push({
      id: "deployments.list",
      section: "deployments",
      level: "problem",
      says: `The profile's list at ${mapped.items || '""'} is empty, but at ${at(best)} the same answer holds ${count(best.deployments.length, "object")} with id and status. Read so, every machine would be missing, and bought again.`,
      remedy: {
        ...replacement(loaded, ["deployments", "list", "items"], `items: ${yamlText(best.pointer)}`),
        proposed: true,
      },
    });
  }
  const pages = pagesCheck("deployments", { loaded, seen }, length);
  return pages === undefined ? checks : [...checks, pages];
}

/** Another pointer, or other fields, for a list that could not be read, if the answer shows them. */
function correction(input: DoctorInput, answer: Sighting | undefined): Remedy | undefined {
  const { loaded } = input;
  const json = goodJson(answer);
  const mapped = loaded.profile.deployments?.list;
  if (json === undefined || mapped === undefined) return undefined;
  const best = bestList(json) ?? onlyEmptyList(json);
  if (best !== undefined && best.pointer !== mapped.items) {
    const why =
      best.deployments.length > 0
        ? `${count(best.deployments.length, "item")} with id and status`
        : "the only array in the answer, empty for now";
    return {
      ...replacement(loaded, ["deployments", "list", "items"], `items: ${yamlText(best.pointer)}  # ${why}`),
      proposed: true,
    };
  }
  const lines = fieldLines(input, []);
  if (best === undefined || lines.length === 0) return undefined;
  return {
    text: 'What the fields look like; correct the one that is named above, under "deployments.fields:"',
    at: loaded.locate(["deployments", "fields"]),
    lines: lines.map((line) => `    ${line}`),
    proposed: true,
  };
}

/** Whether a GET by id shows what the list shows. */
export function oneCheck({ loaded }: DoctorInput, { one }: SeenRest): readonly Check[] {
  const base = { id: "deployments.one", section: "deployments" } as const;
  if (one?.read === undefined) return [];
  const { read, answer } = one;
  if (read.error === undefined && read.value !== undefined) {
    return [{ ...base, level: "ok", says: "One of them was read by its id, and is the same." }];
  }
  const json = goodJson(answer);
  const pointer = json === undefined ? undefined : deploymentIn(json, one.id);
  return [
    {
      ...base,
      level: "warning",
      says: read.error?.message ?? "The list shows a deployment that a GET by its id does not find (404).",
      ...(pointer === undefined
        ? {}
        : {
            remedy: {
              ...replacement(loaded, ["deployments", "get", "item"], `item: ${yamlText(pointer)}`),
              proposed: true as const,
            },
          }),
    },
  ];
}
