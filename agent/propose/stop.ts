import { API_PREFIX } from "../../service/contract/contract.ts";
import type { Json } from "../../service/contract/service.ts";
import { readName } from "../../service/text/json.ts";
import { objectLines } from "./body.ts";
import type { Entries } from "./fields.ts";
import type { ProposalInput } from "./proposal-input.ts";
import { addressOf } from "./saved/classify.ts";
import { jsonOf } from "./saved/secrets.ts";
import { leavesOf, NOTHING } from "./shape/leaves.ts";
import { isObject, type JsonObject } from "./shape/lists.ts";
import { yamlText } from "./shape/texts.ts";
import type { OpenPoint } from "./wire.ts";

interface Call {
  readonly method: string;
  /** With {id} in it, unless that stands in the body. */
  readonly path: string;
  readonly body: JsonObject | undefined;
  readonly from: string;
  /** It says by itself that it stops: DELETE, a word of its path, its body or its summary, or `stop=FILE`. */
  readonly isStop: boolean;
}

const STOP =
  /(^|[^a-z])(stop|terminate|delete|destroy|close|cancel|release|shutdown|remove|kill|end)(?![a-z]{3})|stopp|terminat|delet/i;
const METHODS = ["POST", "DELETE", "PUT", "PATCH"];
const HOW =
  "no answer shows how a machine is stopped: save the curl command that stops one (a dashboard's too: Copy as cURL)";

/** The call that stops a machine: from a request that was sent, or from a document. */
export function proposeStop(view: ProposalInput): {
  readonly entries: Entries;
  readonly open: readonly OpenPoint[];
} {
  const calls = [...sentCalls(view), ...documentedCalls(view)];
  const [first, ...others] = calls.filter(({ isStop }) => isStop);
  if (first !== undefined && !first.path.includes("{id}"))
    return { entries: {}, open: [{ part: "stop", how: asProfileTwo(first) }] };
  const named = (list: readonly Call[]): string =>
    list.map(({ method, path, from }) => `${method} ${path} (${from})`).join(", ");
  if (first === undefined) {
    const seen =
      calls.length === 0
        ? ""
        : `; seen, but nothing says that it stops: ${named(calls)}. If it does: --from stop=FILE`;
    const how = `${HOW}${view.documents.length > 0 ? "" : ", or give the OpenAPI document"}${seen}`;
    return { entries: {}, open: [{ part: "stop", how }] };
  }
  const other = others.filter(({ method, path }) => method !== first.method || path !== first.path);
  const instead = other.length === 0 ? "" : `; or ${named(other)}`;
  return {
    entries: {
      method: { lines: [`method: ${first.method}  # ${first.from}${instead}`] },
      path: { lines: [`path: ${yamlText(first.path)}`] },
      ...(first.body === undefined ? {} : { body: { lines: ["body:", ...objectLines(first.body)] } }),
    },
    open: [],
  };
}

/** A part `stop` has the id in its path. */
function asProfileTwo({ method, path, body = {}, from }: Call): string {
  const lines = [
    "calls:",
    "  stop:",
    `    method: ${method}`,
    `    path: ${yamlText(path)}`,
    "    body:",
    ...objectLines(body).map((line) => `    ${line}`),
  ];
  return `${from} names the machine in its body, which a profile 2 can say: write "profile: 2" at the top, take the part stop out, and add${lines.map((line) => `\n      ${line}`).join("")}\n    Only a stop shows whether it is right`;
}

function sentCalls({ asked, redact, deployments }: ProposalInput): readonly Call[] {
  const known = new Set(deployments.isSchema ? [] : deployments.all.flatMap(({ id }) => readName(id) ?? []));
  return asked.flatMap(({ request, path, kind, file, isSaid }): readonly Call[] => {
    if (kind !== "stop" || !METHODS.includes(request.method)) return [];
    const place = path ?? `/${addressOf(request).before.replace(/^(https?:\/\/)?[^/]*\/?/, "")}`;
    const json = jsonOf(request.body);
    const id = /^(.*\/deployments\/)([^/]+)(.*)$/.exec(place) ?? [place, place, idIn(json, known), ""];
    if (id[2] === undefined) return [];
    const isInPath = id[1] !== place;
    const template = isInPath ? `${id[1]}{id}${id[3]}` : place;
    const body = isObject(json) ? (withId(json, id[2], redact.hide) as JsonObject) : undefined;
    const words = `${isInPath ? id[3] : place} ${JSON.stringify(body ?? {})}`;
    const isStop = isSaid || request.method === "DELETE" || STOP.test(words);
    return [{ method: request.method, path: template, body, from: `a request in ${file}`, isStop }];
  });
}

/** The first id of a saved deployment that stands in a body. */
function idIn(body: Json | undefined, known: ReadonlySet<string>): string | undefined {
  const leaves = isObject(body) ? leavesOf([body], NOTHING) : [];
  return leaves.flatMap(({ values }) => values.map(String)).find((value) => known.has(value));
}

/** The machine's id in a body is that of the next one, too. */
function withId(value: Json, id: string, hide: (text: string) => string): Json {
  if (typeof value === "string" || typeof value === "number")
    return String(value) === id ? "{id}" : typeof value === "string" ? hide(value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((inner) => withId(inner, id, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withId(inner, id, hide)]));
}

/** A body that a document describes is not proposed: what stands in it nobody has seen. */
function documentedCalls({ documents }: ProposalInput): readonly Call[] {
  return documents
    .flatMap(({ file, operations }) =>
      operations.flatMap(({ method, path, words, body }): readonly Call[] => {
        const match = new RegExp(`^${API_PREFIX}/deployments/\\{[^}]+\\}(.*)$`).exec(path);
        if (match === null || method === "GET") return [];
        const needsBody = ((body?.required ?? []) as readonly Json[]).length > 0;
        const isStop = !needsBody && (method === "DELETE" || STOP.test(match[1] ?? "") || STOP.test(words));
        const from = `${file}${words.trim() === "" ? "" : `: ${words.trim().replaceAll(/\s+/g, " ").slice(0, 60)}`}${needsBody ? ", with a body" : ""}`;
        return [{ method, path: `${API_PREFIX}/deployments/{id}${match[1]}`, body: undefined, from, isStop }];
      }),
    )
    .sort(
      (one, other) =>
        Number(/stop|terminat/i.test(other.path + other.from)) -
        Number(/stop|terminat/i.test(one.path + one.from)),
    );
}
