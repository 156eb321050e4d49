import type { Json } from "../../../service/contract/service.ts";
import type { CallName } from "../../../service/profile/calls.ts";
import { parsePointer, valueAt } from "../../../service/text/pointer.ts";
import { type Leaf, leavesOf, NOTHING, wordsIn } from "../shape/leaves.ts";
import { isObject, isToken, type JsonObject } from "../shape/lists.ts";
import type { DocumentedOperation } from "./documented-operation.ts";

/**
 * Which of a document's calls lists the machines, launches one, and so on. No document says it, so path, words and
 * shape each speak for themselves: how many of them agree is how sure it is, and a person decides.
 */
export type Recognition = { readonly [Name in CallName]?: Recognized };

export interface Recognized {
  readonly operation: DocumentedOperation;
  /** What speaks for it. */
  readonly by: readonly Sign[];
  /** Where its answer has the machine, the list of them, or of offers. A `*` is every member of a map. */
  readonly at: string | undefined;
  /** Others that it may be, the likelier first. */
  readonly others: readonly Pick<Recognized, "operation" | "at">[];
  /** A person has said so. */
  readonly isSaid?: true;
}

type Sign = "path" | "words" | "shape";

interface Candidate {
  readonly operation: DocumentedOperation;
  readonly score: Readonly<Record<Sign, number>>;
  readonly at?: string | undefined;
}

export function recognize(operations: readonly DocumentedOperation[]): Recognition {
  const list = best(operations.flatMap((one) => listOf(one, operations)));
  const home = list && { ...list, base: wordsOfPath(list.operation.path), noun: nounOf(list.operation) };
  const launch = best(operations.flatMap((one) => launchOf(one, home)));
  const others = operations.filter((one) => one !== list?.operation && one !== launch?.operation);
  return {
    ...found("list", list),
    ...found("launch", launch),
    ...(home && found("get", best(others.flatMap((one) => getOf(one, home))))),
    ...(home && found("stop", best(others.flatMap((one) => stopOf(one, home))))),
    ...found("offers", best(others.flatMap(offersOf))),
    ...found("account", best(operations.flatMap((one) => ownOf(one, ACCOUNT, IDENTITY)))),
    ...found("balance", best(operations.flatMap((one) => ownOf(one, BALANCE, BALANCE)))),
  };
}

/** What each call shall do, for people. */
export const DOES: Readonly<Record<CallName, string>> = {
  account: "show the account",
  balance: "show the balance",
  offers: "list what can be rented",
  list: "list the machines",
  get: "show one machine",
  launch: "launch a machine",
  stop: "end a machine for good",
};

/** Whether path, words and shape agree, and nothing else may be it. */
export function isSure({ by, others, isSaid }: Recognized): boolean {
  return isSaid === true || (by.length === 3 && others.length === 0);
}

function found(name: CallName, one: Recognized | undefined): Recognition {
  return one === undefined ? {} : { [name]: one };
}

const ENOUGH = 4;

function best(candidates: readonly Candidate[]): Recognized | undefined {
  const sum = ({ score }: Candidate): number => score.path + score.words + score.shape;
  const ranked = candidates
    .filter((each) => sum(each) >= ENOUGH)
    .sort((one, other) => sum(other) - sum(one) || one.operation.path.length - other.operation.path.length);
  const [first, ...others] = ranked;
  if (first === undefined) return undefined;
  const { operation, score, at } = first;
  return {
    operation,
    at,
    by: (["path", "words", "shape"] as const).filter((sign) => score[sign] > 0),
    others: others
      .filter((each) => sum(each) >= sum(first) - 2)
      .slice(0, 3)
      .map((each) => ({ operation: each.operation, at: each.at })),
  };
}

const MACHINE = /^(instance|machine|server|vm|pod|droplet|deployment|rental|node|virtualmachine)s?$/;
const LAUNCHES = /^(launch|create|deploy|rent|provision|order|start|instant|new)$/;
const ENDS = /^(terminate|destroy|delete|remove|release|cancel|end)$/;
const SHOWS = /^(list|show|get|search|query|retrieve|info|detail|details)$/;
/** What a call beside the machines is about. */
const ASIDE =
  /^(history|event|log|metric|type|template|snapshot|backup|volume|disk|storage|filesystem|firewall|rule|key|image|cluster|kubernetes|network|vpc|user|member|team|role|invite|billing|invoice|charge|report|action|kernel|neighbor|worker|job|endpoint|serverless|secret|webhook|autoscale|pool|database|registry|certificate|domain|policy|callback|label|contract|summary|notification|container|legacy|spot|balance|earning|cpu)(s|es)?$/;
const OFFERS =
  /^(type|offer|catalog|flavor|size|plan|preset|availability|hostnode|bundle|sku|marketplace|product)s?$/;
const ACCOUNT = /^(account|me|whoami|current|profile|organization|self)$/;
export const IDENTITY = /^(uuid|id|email)$/;
export const BALANCE = /^(balance|credit|credits|wallet|funds)$/;

/** The words of each part of a path, without versions. A parameter is `{}`. */
function wordsOfPath(path: string): readonly (readonly string[])[] {
  return path
    .split("/")
    .filter((part) => part !== "" && !/^(api|v\d+\w*)$/i.test(part))
    .map((part) => (part.startsWith("{") ? ["{}"] : wordsIn(part)));
}

function isAside(operation: DocumentedOperation, except = /^$/): number {
  const words = [...wordsOfPath(operation.path).flat(), ...wordsIn(operation.words)];
  return new Set(words.filter((word) => ASIDE.test(word) && !except.test(word))).size;
}

const says = ({ words }: DocumentedOperation, what: RegExp): boolean =>
  wordsIn(words).some((word) => what.test(word));

function nounOf(operation: DocumentedOperation): RegExp {
  const last = wordsOfPath(operation.path).at(-1) ?? [];
  const word = [...last, ...wordsIn(operation.words)].find((each) => MACHINE.test(each)) ?? "instance";
  return new RegExp(`^${word.replace(/s$/, "")}s?$`);
}

type Home = Recognized & { readonly base: readonly (readonly string[])[]; readonly noun: RegExp };

function isBelow(path: readonly (readonly string[])[], base: Home["base"]): boolean {
  return JSON.stringify(path.slice(0, base.length)) === JSON.stringify(base);
}

function listOf(operation: DocumentedOperation, all: readonly DocumentedOperation[]): readonly Candidate[] {
  const path = wordsOfPath(operation.path);
  const isSearch =
    operation.method === "POST" && [...path.flat(), ...wordsIn(operation.words)].includes("list");
  if (operation.path.includes("{") || !(operation.method === "GET" || isSearch)) return [];
  const [list] = [...recordLists(operation.answer?.json)].sort(
    (one, other) => shapeOf(other.record) - shapeOf(one.record),
  );
  if (list === undefined || shapeOf(list.record) < 3) return [];
  const noun = path.at(-1)?.some((word) => MACHINE.test(word));
  const hasGet = all.some((one) => {
    const other = wordsOfPath(one.path);
    return one.method === "GET" && isBelow(other, path) && other[path.length]?.[0] === "{}";
  });
  const words = says(operation, SHOWS) && says(operation, MACHINE) ? 2 : 0;
  const score = { path: noun ? 3 : 0, words, shape: shapeOf(list.record) + (hasGet ? 2 : 0) };
  return [{ operation, at: list.pointer, score: without(score, isAside(operation)) }];
}

/** How much a record looks like a machine: it has an id, a state, an address, GPUs, a price. */
function shapeOf(record: JsonObject): number {
  const names = Object.keys(record).map(wordsIn);
  const has = (what: RegExp): number =>
    names.some((words) => words.some((word) => what.test(word))) ? 1 : 0;
  return (
    has(/^(u?u?id)$/) + 2 * has(/^(status|state)$/) + has(/^(ip|ipaddr|ssh|host|networks?)$/) + has(/^gpus?$/)
  );
}

function getOf(operation: DocumentedOperation, home: Home): readonly Candidate[] {
  const path = wordsOfPath(operation.path);
  const rest = path.slice(home.base.length);
  const isPlain =
    rest[0]?.[0] === "{}" &&
    (rest.length === 1 || (rest.length === 2 && rest[1]?.every((word) => SHOWS.test(word))));
  const isRead =
    operation.method === "GET" ||
    (operation.method === "POST" && !operation.path.includes("{") && says(operation, SHOWS));
  const at = recordAlike(operation.answer?.json, recordOf(home));
  if (!isRead || (!isPlain && at === undefined) || !hasId(operation)) return [];
  const score = {
    path: isPlain && isBelow(path, home.base) ? 4 : 0,
    words: says(operation, SHOWS) && says(operation, home.noun) ? 2 : 0,
    shape: at === undefined ? 0 : 3,
  };
  return [{ operation, at, score: without(score, isAside(operation)) }];
}

function launchOf(operation: DocumentedOperation, home: Home | undefined): readonly Candidate[] {
  const { method, body, answer } = operation;
  if ((method !== "POST" && method !== "PUT") || operation === home?.operation) return [];
  const path = wordsOfPath(operation.path);
  const noun = home?.noun ?? MACHINE;
  const rest = home !== undefined && isBelow(path, home.base) ? path.slice(home.base.length) : undefined;
  // A call below one machine does something to it.
  if (rest?.[0]?.[0] === "{}") return [];
  const isVerb = path.slice(-2).some((words) => words.some((word) => LAUNCHES.test(word)));
  const isOf = path.some((words) => words.some((word) => noun.test(word)));
  const about =
    rest?.length === 0 ? 4 : rest !== undefined && isVerb ? 4 : isVerb && isOf ? 3 : isVerb ? 1 : 0;
  const words = says(operation, LAUNCHES) && says(operation, noun) ? 3 : 0;
  if (about < 3 && words === 0) return [];
  const fields = Object.keys(isObject(body?.properties) ? body.properties : {}).flatMap(wordsIn);
  const asks = /^(gpus?|type|region|image|size|flavor|plan|location|model|config|label|name|cloud)$/;
  const score = {
    path: about,
    words,
    shape:
      (new Set(fields.filter((word) => asks.test(word))).size > 1 ? 2 : 0) + (answer === undefined ? 0 : 1),
  };
  return [
    {
      operation,
      at: recordAlike(answer?.json, home && recordOf(home)),
      score: without(score, isAside(operation)),
    },
  ];
}

function stopOf(operation: DocumentedOperation, home: Home): readonly Candidate[] {
  if (operation.method === "GET" || !hasId(operation)) return [];
  const path = wordsOfPath(operation.path);
  const rest = isBelow(path, home.base) ? path.slice(home.base.length) : undefined;
  const ends = (words: readonly string[] | undefined): boolean =>
    words?.every((word) => ENDS.test(word)) === true;
  const isOne =
    rest?.[0]?.[0] === "{}" &&
    (rest.length === 1 ? operation.method === "DELETE" : rest.length === 2 && ends(rest[1]));
  const isOf = path.some((words) => words.some((word) => home.noun.test(word)));
  const isVerb = path.slice(-2).some(ends);
  const words = (says(operation, ENDS) && says(operation, home.noun)) || (isVerb && isOf) ? 2 : 0;
  const halts = says(operation, /^(stop|shutdown|halt)$/) && says(operation, home.noun) ? 2 : 0;
  if (!isOne && !isVerb && halts === 0) return [];
  const score = {
    path: isOne ? 4 : isVerb ? 3 : 0,
    words: words || halts,
    shape: rest === undefined ? 1 : 2,
  };
  return [{ operation, score: without(score, isAside(operation)) }];
}

function offersOf(operation: DocumentedOperation): readonly Candidate[] {
  const path = wordsOfPath(operation.path);
  const isRead =
    operation.method === "GET" || (operation.method === "POST" && says(operation, /^(search|list)$/));
  if (!isRead || operation.path.includes("{")) return [];
  const [list] = recordLists(operation.answer?.json)
    .map((each) => ({ ...each, signs: offerSigns(each.record) }))
    .sort((one, other) => other.signs - one.signs);
  const isNamed = path.some((words) => words.some((word) => OFFERS.test(word)));
  const words = says(operation, OFFERS) ? 2 : 0;
  if (!isNamed && words === 0 && (list?.signs ?? 0) < 4) return [];
  const isOfGpus = path.flat().some((word) => /^gpus?$/.test(word));
  const score = { path: isNamed ? (isOfGpus ? 5 : 3) : 0, words, shape: list?.signs ?? 0 };
  return [{ operation, at: list?.pointer, score: without(score, isAside(operation, /^types?$/)) }];
}

/** How much a record looks like an offer: GPUs, a price, a place, whether it can be had. */
function offerSigns(record: JsonObject): number {
  const words = new Set(leavesOf([record], NOTHING).flatMap(({ names, around }) => [...names, ...around]));
  const has = (what: RegExp): number => ([...words].some((word) => what.test(word)) ? 1 : 0);
  return (
    2 * has(/^gpus?$/) +
    has(/^(price|prices|pricing|cost|rate|hourly)$/) +
    has(/^(regions?|locations?|datacenters?|center|centers|zones?|country)$/) +
    has(/^(available|availability|stock|capacity)$/)
  );
}

/** A call about the user's own account, or its credit. */
function ownOf(operation: DocumentedOperation, path: RegExp, leaf: RegExp): readonly Candidate[] {
  const isRead = operation.method === "GET" || (operation.method === "POST" && says(operation, SHOWS));
  const last = wordsOfPath(operation.path).at(-1) ?? [];
  const isNamed = last.length > 0 && last.every((word) => path.test(word));
  const isOwn = last.every((word) => ACCOUNT.test(word));
  if (
    !isRead ||
    operation.path.includes("{") ||
    !(isNamed || isOwn) ||
    ownLeaf(operation, leaf) === undefined
  )
    return [];
  const words = says(operation, path) || says(operation, /^(user|authenticated)$/) ? 2 : 0;
  return [{ operation, score: { path: isNamed ? 3 : 0, words, shape: 2 } }];
}

/** Where the answer of such a call has what it is asked for: the first of these words that stands in it. */
export function ownLeaf({ answer }: DocumentedOperation, leaf: RegExp): Leaf | undefined {
  return leavesOf([answer?.json ?? null], NOTHING).find(({ pointer, values }) => {
    const words = wordsIn(parsePointer(pointer).at(-1) ?? "");
    const isPart = words.some((word) => /^(month|date|usage|low|threshold|limit|key)$/.test(word));
    return !isPart && words.some((word) => leaf.test(word)) && typeof values[0] !== "boolean";
  });
}

function without(score: Candidate["score"], aside: number): Candidate["score"] {
  return { ...score, words: score.words - 3 * aside };
}

/** Whether it says of which machine it is: in its path, or by an id in its body. */
function hasId({ path, body }: DocumentedOperation): boolean {
  return path.includes("{") || idFieldOf(body) !== undefined;
}

/** The field of a body that names the machine: `instance_ids`, `id`, `server`. */
export function idFieldOf(body: JsonObject | undefined): string | undefined {
  const names = Object.keys(isObject(body?.properties) ? body.properties : {});
  const isOf = (words: readonly string[]): boolean =>
    words.every((word) => MACHINE.test(word) || /^(u?u?id)s?$/.test(word));
  return names.find((name) => isOf(wordsIn(name)));
}

interface RecordList {
  readonly pointer: string;
  readonly record: JsonObject;
}

const MOST_DEPTH = 4;

/** Each array or map of objects in a stand-in, the outermost first, with what one of its members looks like. */
function recordLists(json: Json | undefined, pointer = "", depth = 0): readonly RecordList[] {
  if (json === undefined || depth > MOST_DEPTH) return [];
  if (Array.isArray(json))
    return isObject(json[0] as Json) ? [{ pointer, record: json[0] as JsonObject }] : [];
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, inner]) => {
    if (key !== "*" && !isToken(key)) return [];
    const here = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return key === "*" && isObject(inner)
      ? [{ pointer: here, record: inner }]
      : recordLists(inner, here, depth + 1);
  });
}

/** What one of the listed looks like. A member of a map stands under `*` itself. */
function recordOf({ operation, at }: Pick<Recognized, "operation" | "at">): JsonObject | undefined {
  const record = valueAt(operation.answer?.json ?? null, at?.endsWith("*") ? at : `${at}/0`);
  return isObject(record) ? record : undefined;
}

/** Where an answer has a record with most of the fields of another one: the same thing, alone. */
function recordAlike(
  json: Json | undefined,
  record: JsonObject | undefined,
  pointer = "",
  depth = 0,
): string | undefined {
  if (!isObject(json) || record === undefined || depth > MOST_DEPTH) return undefined;
  const keys = Object.keys(record);
  if (keys.filter((key) => key in json).length > keys.length / 2) return pointer;
  for (const [key, inner] of Object.entries(json)) {
    const found = recordAlike(inner, record, `${pointer}/${key}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
