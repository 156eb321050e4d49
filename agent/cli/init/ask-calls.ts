import type { CallName } from "../../../service/profile/calls.ts";
import { textOf } from "../../propose/calls.ts";
import { type ApiDocument, withCalls } from "../../propose/saved/api-document.ts";
import { answersIn, type Gathered } from "../../propose/saved/gather.ts";
import { DOES, isSure, type Recognition, type Recognized } from "../../propose/saved/recognize.ts";
import type { Prompts } from "./prompts.ts";

/** Asks which call of another service's document is which, where path, words and shape do not agree. */
export async function askCalls(gathered: Gathered, ask: Prompts): Promise<Gathered> {
  const documents = await inTurn(gathered.documents, (document) => said(document, ask));
  const shown = gathered.shown.filter(({ isSchema }) => !isSchema);
  return { ...gathered, documents, shown: [...shown, ...documents.flatMap(answersIn)] };
}

async function said(document: ApiDocument, ask: Prompts): Promise<ApiDocument> {
  const { calls } = document;
  if (calls === undefined) return document;
  const all = await inTurn(Object.entries(calls) as [CallName, Recognized][], async ([name, one]) => {
    const chosen = isSure(one) ? one : await choice(name, one, ask);
    return chosen === undefined ? [] : [[name, chosen] as const];
  });
  return withCalls(document, Object.fromEntries(all.flat()) as Recognition);
}

async function choice(name: CallName, one: Recognized, ask: Prompts): Promise<Recognized | undefined> {
  const all = [one, ...one.others];
  // A wrong call costs money: nobody says yes just by pressing Enter.
  const value = await ask.select(`Which call is there to ${DOES[name]}?`, [
    { value: "later", name: "not known: the likeliest stays in the profile, as a guess" },
    ...all.map(({ operation }, index) => ({ value: String(index), name: textOf(operation) })),
    { value: "none", name: "none of these, or not known" },
  ]);
  if (value === "later") return one;
  const chosen = all[Number(value)];
  return chosen && { ...one, operation: chosen.operation, at: chosen.at, others: [], isSaid: true };
}

/** One question after the other. */
async function inTurn<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<readonly R[]> {
  const found: R[] = [];
  for (const one of all) found.push(await each(one));
  return found;
}
