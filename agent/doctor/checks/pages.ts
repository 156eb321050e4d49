import type { DoctorInput } from "../doctor-input.ts";
import { addition } from "../remedy.ts";
import { type Check, count, type Remedy } from "../report.ts";
import { goesOn, hasPages, pagingSigns, signTexts } from "../shape/paging.ts";
import { pagingLines, queryText } from "../shape/paging-guess.ts";

const LISTS = {
  deployments: { one: "deployment", risk: "A machine on a page that is never read would be bought again." },
  // Only a warning: an offer on a page that is never read is not launched, and no money is lost.
  offers: { one: "offer", risk: "What stands on a page that is never read cannot be chosen." },
} as const;

/** Compares a profile that says `pagination: none` with what the answer says of its pages. */
export function pagesCheck(
  list: keyof typeof LISTS,
  { loaded, seen }: Pick<DoctorInput, "loaded" | "seen">,
  length: number,
): Check | undefined {
  const rest = seen?.rest;
  const [answer, next] =
    list === "deployments"
      ? [rest?.deploymentsAnswer, rest?.deploymentsNext]
      : [rest?.offersAnswer, rest?.offersNext];
  if (loaded.profile[list]?.list?.pagination.kind !== "none" || answer === undefined) return undefined;
  const signs = pagingSigns(answer);
  const isCut = goesOn(signs, length) === true;
  if (!isCut && !hasPages(signs)) return undefined;
  const { one, risk } = LISTS[list];
  const texts = signTexts(signs).join(", ");
  const what = `The profile says that one answer holds everything (pagination: none), and ${count(length, one)} came`;
  const said = texts === "" ? "has a place for a cursor, which is empty now" : `has ${texts}`;
  const remedy: Remedy = {
    ...addition(loaded, [list, "list"], pagingLines(signs, length, next)),
    text: `Write in the profile, instead of what stands at "${list}.list.pagination"`,
    at: loaded.locate([list, "list", "pagination"]),
    proposed: true,
  };
  const base = { id: `${list}.pages`, section: list, remedy } as const;
  if (!isCut) {
    return {
      ...base,
      level: "warning",
      says: `${what}. That was all of it, but the answer ${said}: a longer list comes in pages. ${risk}`,
    };
  }
  const seenNext = next ? ` GET ${queryText(next.guess.query)} showed ${next.others} others.` : "";
  return {
    ...base,
    level: list === "deployments" ? "problem" : "warning",
    says: `${what}; but the answer ${said}.${seenNext} ${risk}`,
  };
}
