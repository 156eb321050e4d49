import { accountSchema, balanceSchema } from "../../../service/contract/contract.ts";
import { counted } from "../../../service/text/counted.ts";
import { at, bestList } from "../shape/best-list.ts";
import { deploymentIn } from "../shape/lists.ts";
import { type ApiDocument, readApiDocument } from "./api-document.ts";
import { addressOf, kindOfAnswer, kindOfRequest } from "./classify.ts";
import type { Asked, Evidence, Shown } from "./evidence.ts";
import { type Exchange, KINDS, type Kind } from "./exchange.ts";
import { readExchanges } from "./exchanges.ts";
import type { FileText } from "./saved-file.ts";

/** Everything that the files show, a line about each thing in them, and what cannot be used. */
export interface Gathered extends Evidence {
  readonly read: readonly string[];
  readonly troubles: readonly string[];
}

/** One value of `--from`: a file, or `launch=FILE`, which says what its answer is. */
export interface From {
  readonly file: string;
  readonly kind: Kind | undefined;
}

export function fromOf(text: string): From {
  const [said = "", file] = text.split(/=(.*)/s);
  const kind = KINDS.find((each) => each === said);
  return kind === undefined || file === undefined ? { file: text, kind: undefined } : { file, kind };
}

export function gather(files: readonly From[], read: (path: string) => FileText): Gathered {
  const all: Sorted = { shown: [], asked: [], documents: [], read: [], troubles: [] };
  for (const { file, kind } of files) {
    const { text, trouble } = read(file);
    if (text === undefined) all.troubles.push(`${file}: ${trouble}.`);
    else takeFile(all, file, kind, text);
  }
  return all;
}

interface Sorted {
  readonly shown: Shown[];
  readonly asked: Asked[];
  readonly documents: ApiDocument[];
  readonly read: string[];
  readonly troubles: string[];
}

function takeFile(all: Sorted, file: string, kind: Kind | undefined, text: string): void {
  const document = readApiDocument(text, file);
  if (typeof document === "string") all.troubles.push(`${file}: ${document.replace(/(?<![?])$/, ".")}`);
  else if (document !== undefined) takeDocument(all, document);
  else {
    const exchanges = readExchanges(text);
    if (exchanges.length === 0) all.troubles.push(`${file}: it is empty: nothing was saved.`);
    for (const exchange of exchanges) takeExchange(all, file, kind, exchange);
  }
}

function takeDocument(all: Sorted, document: ApiDocument): void {
  const { file, operations } = document;
  all.documents.push(document);
  all.read.push(
    `${file}: an OpenAPI document with ${counted(operations.length, "operation")} of the service`,
  );
  all.shown.push(...answersIn(document));
}

/** What a document describes as answers. Of another service only those of its recognized calls count. */
export function answersIn({ file, operations, calls }: ApiDocument): readonly Shown[] {
  return operations.flatMap(({ kind, at, answer, errors }) => {
    if (calls !== undefined && kind === undefined) return [];
    const shown = { file, status: undefined, headers: {}, query: undefined, isSchema: true, at };
    return [
      ...(kind !== undefined && answer !== undefined ? [{ ...shown, kind, ...answer }] : []),
      ...errors.map((each) => ({ ...shown, kind: "error" as const, ...each })),
    ];
  });
}

function takeExchange(
  all: Sorted,
  file: string,
  said: Kind | undefined,
  { request, answer }: Exchange,
): void {
  const address = request && addressOf(request);
  const asked = said ?? (request && kindOfRequest(request.method, address?.path));
  const status = answer?.status;
  const target =
    request &&
    `${request.method} ${address?.path ?? "of an address outside of /api/v1, where all paths of the specification are"}`;
  if (request !== undefined)
    all.asked.push({ kind: asked, file, request, path: address?.path, status, isSaid: said !== undefined });
  if (answer === undefined) {
    all.read.push(`${file}: a request, ${target}`);
    return;
  }
  if (answer.json === undefined) {
    // What stops a machine is often answered without a body.
    if (request !== undefined && answer.body === "") all.read.push(`${file}: ${target}, answered ${status}`);
    else all.troubles.push(`${file}: ${statusText(status)}${answer.trouble}.`);
    return;
  }
  if (status !== undefined && status >= 300 && status < 400) {
    all.troubles.push(`${file}: it was answered ${status}, which points elsewhere: save what curl -L shows.`);
    return;
  }
  const isError = status !== undefined && status >= 400;
  const found = isError ? { kind: "error" as const } : asked ? { kind: asked } : kindOfAnswer(answer);
  if (request !== undefined && said === undefined && asked === undefined && !isError) {
    all.read.push(`${file}: ${target}, of which the specification knows nothing: not used`);
    return;
  }
  if ("why" in found) {
    all.troubles.push(
      `${file}: ${found.why}. Say what it is, as --from KIND=${file} with one of ${KINDS.join(", ")}; or put the curl command itself above the answer.`,
    );
    return;
  }
  const { json, headers } = answer;
  const shown: Shown = {
    kind: found.kind,
    file,
    json,
    status,
    headers,
    query: address?.query,
    isSchema: false,
  };
  all.shown.push(shown);
  const stopsNothing =
    isError && asked === "stop" ? ": this call stopped nothing, so it may be the wrong one" : "";
  all.read.push(`${file}: ${target === undefined ? "" : `${target}: `}${whatItHolds(shown)}${stopsNothing}`);
}

function statusText(status: number | undefined): string {
  return status === undefined ? "" : `it was answered ${status}; `;
}

function whatItHolds({ kind, json, status }: Shown): string {
  if (kind === "error") return `an error${status === undefined ? "" : `, status ${status}`}`;
  if (kind === "account") return `the account, ${asSpecified(accountSchema.safeParse(json).success)}`;
  if (kind === "balance") return `the balance, ${asSpecified(balanceSchema.safeParse(json).success)}`;
  if (kind === "launch") return "the answer to a launch";
  if (kind === "stop") return "the answer to a stop";
  if (kind === "deployment") {
    const place = deploymentIn(json);
    return `one deployment${place === undefined ? ", but nothing in it has id and status" : ""}`;
  }
  const list = bestList(kind, json);
  const others = bestList("offers", json);
  if (list === undefined && others !== undefined)
    return `a list, and no item of it has id and status, as every deployment has (specification, section 2)`;
  if (list === undefined)
    return `a list of ${kind} without any: save one with a ${kind === "offers" ? "offer" : "machine"} in it`;
  const items = kind === "offers" ? list.objects : list.deployments;
  return `${counted(items.length, kind.slice(0, -1))} at ${at(list)}`;
}

function asSpecified(isSo: boolean): string {
  return isSo
    ? "as the specification says"
    : "NOT as the specification says: fleetkeeper cannot read it, and no profile can change that";
}
