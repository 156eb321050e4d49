import { counted } from "../../../service/text/counted.ts";
import type { Part } from "../../propose/shape/best-list.ts";
import { goesOn, hasPages, pagingSigns, signTexts } from "../../propose/shape/paging.ts";
import { pagingLines, queryText } from "../../propose/shape/paging-guess.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { proposed, replacement } from "../remedy.ts";
import { type Check, finding } from "../report.ts";

const LISTS = {
  deployments: { one: "deployment", risk: "A machine on a page that is never read would be bought again." },
  offers: { one: "offer", risk: "What stands on a page that is never read cannot be chosen." },
} as const;

/** Compares a profile that says `pagination: none` with what the answer says of its pages. */
export function pagesCheck(part: Part, { loaded, seen }: DoctorInput, length: number): readonly Check[] {
  const { answer, next } = seen?.rest?.[part] ?? {};
  if (loaded.profile[part]?.list?.pagination.kind !== "none" || answer === undefined) return [];
  const signs = pagingSigns(answer);
  const isCut = goesOn(signs, length) === true;
  if (!isCut && !hasPages(signs)) return [];
  const { one, risk } = LISTS[part];
  const texts = signTexts(signs).join(", ");
  const what = `The profile says that one answer holds everything (pagination: none), and ${counted(length, one)} came`;
  const said = texts === "" ? "has a place for a cursor, which is empty now" : `has ${texts}`;
  const remedy = proposed(
    replacement(loaded, [part, "list", "pagination"], ...pagingLines(signs, length, next)),
  );
  const check = finding(part, `${part}.pages`);
  if (!isCut) {
    const says = `${what}. That was all of it, but the answer ${said}: a longer list comes in pages. ${risk}`;
    return [check.warning(says, remedy)];
  }
  // An offer on a page that is never read is not launched, and no money is lost.
  const level = part === "offers" ? "warning" : "problem";
  const seenNext = next ? ` GET ${queryText(next.guess.query)} showed ${next.others} others.` : "";
  return [check[level](`${what}; but the answer ${said}.${seenNext} ${risk}`, remedy)];
}
