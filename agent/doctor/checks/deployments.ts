import { callOf, callText } from "../../../service/profile/calls.ts";
import { counted } from "../../../service/text/counted.ts";
import { at, bestList } from "../../propose/shape/best-list.ts";
import { deploymentIn, listsIn } from "../../propose/shape/lists.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { goodJson } from "../recording-transport.ts";
import { answerText, queryHint } from "../records.ts";
import { proposed, replacement } from "../remedy.ts";
import { type Check, finding } from "../report.ts";
import type { SeenRest } from "../survey.ts";
import { fieldChecks, presentCheck } from "./deployment-fields.ts";
import { stateChecks } from "./deployment-states.ts";
import { correction } from "./list-remedy.ts";
import { pagesCheck } from "./pages.ts";

const list = finding("deployments", "deployments.list");

/** What the list of deployments says, and how much of each deployment the profile can read. */
export function deploymentChecks(input: DoctorInput): readonly Check[] {
  const rest = input.seen?.rest;
  if (rest === undefined) return [];
  return [
    ...listChecks(input, rest),
    ...stateChecks(input, rest),
    ...oneCheck(input, rest),
    ...fieldChecks(input, rest),
    ...presentCheck(input, rest),
  ];
}

/** Whether the list can be read, whether it is the right one, and whether it is whole. */
function listChecks(input: DoctorInput, rest: SeenRest): readonly Check[] {
  const { read, unread } = rest.deployments;
  if (read === undefined) return [unreadList(input, rest)];
  if (read.error !== undefined) return [list.problem(read.error.message, correction("deployments", input))];
  const length = read.value.length + unread.length;
  const doubts = [...elsewhereCheck(input, rest, length), ...pagesCheck("deployments", input, length)];
  if (doubts.some(({ level }) => level === "problem")) return doubts;
  const { path } = callOf(input.loaded.profile, "list");
  if (length === 0) {
    const says = `The list was read to its end and is empty. Whether it is the right array of ${path}, and where the fields of a deployment stand, shows only once one exists: run the doctor again after the first launch.`;
    return [list.ok(says), ...doubts];
  }
  const of = `${path} (at ${at({ pointer: input.loaded.profile.deployments?.list?.items ?? "" })})`;
  return [
    list.ok(`The list was read to its end: ${counted(length, "deployment")}, from ${of}.`),
    ...recordChecks(input, rest),
    ...doubts,
  ];
}

/** Names each record that cannot be read, in whole or in part: each may be a machine that costs money. */
function recordChecks(input: DoctorInput, { deployments: { read, unread } }: SeenRest): readonly Check[] {
  const flawed = (read?.value ?? []).filter(({ flaw }) => flaw !== undefined);
  const remedy = correction("deployments", input);
  const checks: Check[] = [];
  if (unread.length > 0) {
    const says = `${counted(unread.length, "deployment")} cannot be read. Each may be a machine that costs money: it is counted as it was shown last, and one that was never shown is nobody's. A fleet that is new waits for them.`;
    const details = named(unread.map(({ id, where, unread }) => `${id ?? where}: ${unread}`));
    checks.push(finding("deployments", "deployments.records").problem(says, remedy, { details }));
  }
  if (flawed.length > 0) {
    // If half of them are flawed, it is rather the profile that is wrong.
    const level = flawed.length * 2 >= (read?.value?.length ?? 0) ? "problem" : "warning";
    const says = `Of ${counted(flawed.length, "deployment")} some fields cannot be read, and are left out as if the service did not show them.`;
    const details = named(flawed.map(({ id, flaw }) => `${id}: ${flaw}`));
    checks.push(finding("deployments", "deployments.flaws")[level](says, remedy, { details }));
  }
  return checks;
}

const MOST_NAMED = 10;

function named(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_NAMED;
  return [...lines.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])];
}

function unreadList({ redact, loaded }: DoctorInput, { deployments: { answer } }: SeenRest): Check {
  const json = goodJson(answer);
  const get = `A plain ${callText(loaded.profile, "list")}`;
  if (json === undefined) {
    const hint = queryHint("deployments", answer);
    return list.skipped(`${get} ${answerText(answer, redact)}, so its shape cannot be seen.${hint}`);
  }
  const best = bestList("deployments", json);
  if (best !== undefined) {
    const those = counted(best.deployments.length, "deployment");
    return list.skipped(`${get} shows ${those} at ${at(best)}; see the lines proposed above.`);
  }
  const arrays = listsIn(json).map((each) => `an array at ${at(each)} (${counted(each.length, "item")})`);
  const where = arrays.length === 0 ? "holds no array at all" : `holds ${arrays.slice(0, 5).join(", ")}`;
  const says = `${get} ${where}, and nothing with id and status: more can be seen once a deployment exists.`;
  return list.skipped(redact.text(says, 600));
}

/** A list that can be read may be the wrong one: then machines would be bought twice. */
function elsewhereCheck(
  { loaded }: DoctorInput,
  { deployments: { answer } }: SeenRest,
  length: number,
): readonly Check[] {
  const items = loaded.profile.deployments?.list?.items;
  const best = bestList("deployments", goodJson(answer));
  if (length > 0 || best === undefined || best.pointer === items) return [];
  const says = `The profile's list at ${items || '""'} is empty, but at ${at(best)} the same answer holds ${counted(best.deployments.length, "object")} with id and status. Read so, every machine would be missing, and bought again.`;
  const line = `items: ${yamlText(best.pointer)}`;
  return [list.problem(says, proposed(replacement(loaded, ["deployments", "list", "items"], line)))];
}

/** Whether a GET by id shows what the list shows. */
function oneCheck({ loaded }: DoctorInput, { one }: SeenRest): readonly Check[] {
  const check = finding("deployments", "deployments.one");
  if (one?.read === undefined) return [];
  const { error, value } = one.read;
  if (value !== undefined) return [check.ok("One of them was read by its id, and is the same.")];
  const says = error?.message ?? "The list shows a deployment that a GET by its id does not find (404).";
  const pointer = deploymentIn(goodJson(one.answer), one.id);
  if (pointer === undefined) return [check.warning(says)];
  const line = `item: ${yamlText(pointer)}`;
  return [check.warning(says, proposed(replacement(loaded, ["deployments", "get", "item"], line)))];
}
