import type { Json } from "../../service/contract/service.ts";
import { CALL_NAMES, type CallName } from "../../service/profile/calls.ts";
import { parsePointer } from "../../service/text/pointer.ts";
import type { Entries } from "./fields.ts";
import { callsIn, type ProposalInput } from "./proposal-input.ts";
import { objectAt } from "./saved/api-document.ts";
import type { DocumentedOperation } from "./saved/documented-operation.ts";
import { BALANCE, DOES, IDENTITY, idFieldOf, isSure, ownLeaf, type Recognized } from "./saved/recognize.ts";
import { isInCentsByText } from "./shape/price-unit.ts";
import { yamlText } from "./shape/texts.ts";
import type { OpenPoint, Wire, WireEntry } from "./wire.ts";

/** What is sent for each call to a service that has other paths than the specification; undefined for one that has them. */
export function proposeCalls(view: ProposalInput): {
  readonly wire: Pick<Wire, "calls" | "account" | "balance">;
  readonly open: readonly OpenPoint[];
} {
  const found = callsIn(view);
  if (found === undefined) return { wire: {}, open: [] };
  const calls: Entries = {};
  const open: OpenPoint[] = [];
  for (const name of CALL_NAMES) {
    const one = found[name];
    if (one === undefined) {
      calls[name] = { lines: [`${name}: { path: <the path of the call to ${DOES[name]}> }`], isOpen: true };
      if (name !== "account" && name !== "balance")
        open.push({
          part: `calls.${name}`,
          how: `nothing in the document looks like a call to ${DOES[name]}`,
        });
      continue;
    }
    calls[name] = callEntry(name, one);
    const doubt = doubtOf(name, one);
    if (doubt !== "") open.push({ part: `calls.${name}`, how: doubt });
  }
  const account = accountOf(found.account);
  const balance = balanceOf(found.balance);
  for (const [part, entries] of Object.entries({ account, balance }))
    if (entries === NONE)
      open.push({
        part,
        how: "the document has no call that shows it. If there is none, write { none: true }: without an account a changed key halts until something of ours is seen, without a balance there is no floor and no runway",
      });
  if (balance.amount !== undefined)
    open.push({
      part: "balance",
      how: "no document shows the sign of what is left, nor always its unit: compare it with the dashboard, and write sign: debt if it is what is owed, unit: cents if it counts cents",
    });
  return { wire: { calls, account, balance }, open };
}

/** How sure it is, and what else it may be. */
function doubtOf(name: CallName, one: Recognized): string {
  const { operation, by, others } = one;
  if (isSure(one) && !mayOnlyHalt(name, operation)) return "";
  const instead = others.map((each) => textOf(each.operation)).join(", ");
  const halts = mayOnlyHalt(name, operation)
    ? ". By its words it may only halt a machine, which bills on: then it is the wrong call"
    : "";
  return `does ${textOf(operation)} ${DOES[name]}? It ${sureText(by)}${instead === "" ? "" : `; or is it ${instead}`}${halts}`;
}

function mayOnlyHalt(name: CallName, { method, path, words }: DocumentedOperation): boolean {
  return (
    name === "stop" &&
    method !== "DELETE" &&
    !/terminat|destroy|delet|remov|releas|cancel/i.test(`${path} ${words}`)
  );
}

export function textOf({ method, path, words }: DocumentedOperation): string {
  return `${method} ${path}${titleOf(words)}`;
}

/** Its summary, or its id where it has none. */
function titleOf(words: string): string {
  const [id = "", ...summary] = words.split(" ");
  const said = (summary.join(" ").trim() || id).slice(0, 60);
  return said === "" ? "" : ` (${said})`;
}

function sureText(by: Recognized["by"]): string {
  const all = by.join(", ");
  return by.length === 3 ? `is likely by its ${all}` : `is a guess by its ${all}`;
}

function callEntry(name: CallName, one: Recognized): WireEntry {
  const { operation, by, others } = one;
  const { method, path, isForm, words } = operation;
  const isLaunch = name === "launch";
  const body = isLaunch ? {} : bodyOf(operation, name);
  const isSearch = method !== "GET" && !isLaunch && name !== "stop";
  const flow = [
    ...(method === "GET" || (isLaunch && method === "POST") ? [] : [`method: ${method}`]),
    `path: ${yamlText(withPlaces(path, name))}`,
    ...(Object.keys(body).length === 0 ? [] : [`body: ${JSON.stringify(body)}`]),
    ...(isForm ? ["as: form"] : []),
    ...(isSearch ? ["reads: true"] : []),
  ];
  const sure = one.isSaid ? "as you said" : isSure(one) ? "sure" : sureText(by).replace("is ", "");
  const instead = others.map((each) => `; or ${each.operation.method} ${each.operation.path}`).join("");
  const line = `${name}: { ${flow.join(", ")} }  # ${sure}${titleOf(words)}${instead}${isSearch ? "; confirm that it changes nothing: it is asked again and again" : ""}`;
  return JSON.stringify(body).includes("<") || mayOnlyHalt(name, operation)
    ? { lines: [line], isOpen: true }
    : { lines: [line] };
}

/** The last parameter names the machine, in a launch what is rented; those before it are the user's. */
function withPlaces(path: string, name: CallName): string {
  const last = path.lastIndexOf("{");
  return path.replaceAll(/\{([^{}]*)\}/g, (_, parameter: string, at: number) =>
    at < last ? `{settings.${parameter}}` : name === "launch" ? "{offer}" : "{id}",
  );
}

/** What a documented body wants beside the machine's id: its only value, its default, or what a person says. */
function bodyOf({ body, path }: DocumentedOperation, name: CallName): Readonly<Record<string, Json>> {
  const id = (name === "get" || name === "stop") && !path.includes("{") ? idFieldOf(body) : undefined;
  const required = (body?.required ?? []) as readonly Json[];
  return Object.fromEntries(
    Object.entries(objectAt(body?.properties)).flatMap(([key, inner]) => {
      const { type, default: usual, enum: all = [], const: only } = objectAt(inner);
      if (key === id) return [[key, [type].flat().includes("array") ? ["{id}"] : "{id}"]];
      if (!required.includes(key)) return [];
      const [word, ...more] = all as readonly Json[];
      return [[key, only ?? usual ?? (more.length === 0 ? word : undefined) ?? `<${key}>`]];
    }),
  );
}

const NONE: Entries = { none: { lines: ["none: true  # only if no call shows it"], isOpen: true } };

function accountOf(one: Recognized | undefined): Entries {
  const id = one && (ownLeaf(one.operation, /^(uuid|id)$/) ?? ownLeaf(one.operation, IDENTITY));
  if (one === undefined || id === undefined) return NONE;
  const name = ownLeaf(one.operation, /^(email|name)$/);
  return {
    id: { lines: [`id: ${yamlText(id.pointer)}  # by its name in the answer of ${one.operation.path}`] },
    ...(name && name.pointer !== id.pointer && { name: { lines: [`name: ${yamlText(name.pointer)}`] } }),
  };
}

function balanceOf(one: Recognized | undefined): Entries {
  const amount = one && ownLeaf(one.operation, BALANCE);
  if (one === undefined || amount === undefined) return NONE;
  const text = one.operation.answer?.notes.get(amount.pointer)?.text ?? "";
  const isCents = parsePointer(amount.pointer).at(-1)?.includes("cents") || isInCentsByText(text);
  const currency = ownLeaf(one.operation, /^currency$/);
  const where = `by its name in the answer of ${one.operation.path}`;
  return {
    amount: { lines: [`amount: ${yamlText(amount.pointer)}  # ${where}; confirm that it is what is left`] },
    ...(isCents && { unit: { lines: ["unit: cents"] } }),
    ...(currency && { currency: { lines: [`currency: ${yamlText(currency.pointer)}`] } }),
  };
}
