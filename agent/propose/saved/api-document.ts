import { parse } from "yaml";
import { API_PREFIX, PATHS } from "../../../service/contract/contract.ts";
import type { Json } from "../../../service/contract/service.ts";
import { carrierOf } from "../../../service/http/credential.ts";
import { isObject, type JsonObject } from "../shape/lists.ts";
import { kindOfRequest } from "./classify.ts";
import type { DocumentedOperation } from "./documented-operation.ts";
import { kindOf } from "./exchange.ts";
import { type Recognition, recognize } from "./recognize.ts";
import { createSchemas, type Schemas } from "./schemas.ts";

/** What an OpenAPI document (2.0, 3.0, 3.1) says of the service. Only its names and types count. */
export interface ApiDocument {
  readonly file: string;
  /** The part of its first address before `/api/v1`, if that is a whole one; of another service its origin. */
  readonly baseUrl: string | undefined;
  readonly auth: readonly DocumentedAuth[];
  readonly operations: readonly DocumentedOperation[];
  /** Of a service that has other paths than the specification: which of its calls seems to be which. */
  readonly calls?: Recognition;
}

/** Where a credential goes, and its template. */
export interface SentCredential {
  readonly in: "header" | "query";
  readonly name: string;
  readonly value: string;
}

export interface DocumentedAuth {
  readonly name: string;
  /** Undefined for a scheme that a profile cannot send, such as a cookie. */
  readonly sent: SentCredential | undefined;
  readonly what: string;
  /** Of OAuth2 client credentials: where tokens come from. */
  readonly tokenUrl?: string;
}

/** The parsed document, if the text is one. A text says what is wrong with it. */
export function readApiDocument(text: string, file: string): ApiDocument | string | undefined {
  if (!/^\s*["']?(openapi|swagger)["']?\s*:|["'](openapi|swagger)["']\s*:\s*["']\d/m.test(text))
    return /^\s*\{/.test(text) && /"request"\s*:/.test(text) && /"item"\s*:\s*\[/.test(text)
      ? "it is a collection of requests as Postman exports it, which does not describe what is answered: give the OpenAPI document of the service, or save requests and answers with curl -i"
      : undefined;
  let root: unknown;
  try {
    root = parse(text, { logLevel: "error", merge: true, maxAliasCount: MOST_ALIASES });
  } catch (error) {
    const at = (error as { linePos?: readonly { line: number }[] }).linePos?.[0]?.line;
    return `it looks like an OpenAPI document, and cannot be read as YAML or JSON${at === undefined ? "" : `: see line ${at}`}`;
  }
  if (!isObject(root as Json) || !("openapi" in (root as JsonObject) || "swagger" in (root as JsonObject)))
    return undefined;
  return documentOf(root as JsonObject, file);
}

/** Aliases share one object, and what is read of it is bounded elsewhere. */
const MOST_ALIASES = 100_000;

/** The paths of the specification (section 4). A document that has others beside its deployments knows more. */
const SPECIFIED = new RegExp(
  `^(${[PATHS.account, PATHS.balance, PATHS.offers, PATHS.deployments].join("|")})(/|$)`,
);

const METHODS = ["get", "post", "put", "patch", "delete"];

function documentOf(root: JsonObject, file: string): ApiDocument | string {
  const schemas = createSchemas(root);
  const address = addressIn(root);
  const all = Object.entries(objectAt(root.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const found = objectAt(schemas.resolve(item))[method];
      if (!isObject(found)) return [];
      return [operationOf(method.toUpperCase(), `${address.path}${path}`, objectAt(item), found, schemas)];
    }),
  );
  const auth = authOf(root, schemas);
  const start = (path: string): number => path.indexOf(API_PREFIX);
  const operations = all
    .filter(({ path }) => start(path) >= 0)
    .map((one) => withPath(one, one.path.slice(start(one.path))));
  const isOurs = operations.some(({ path }) => path.startsWith(PATHS.deployments));
  if (isOurs || (operations.length > 0 && operations.every(({ path }) => SPECIFIED.test(path)))) {
    const before = all.map(({ path }) => path.slice(0, Math.max(0, start(path))))[0] ?? "";
    const baseUrl = address.origin === undefined ? undefined : `${address.origin}${before}`;
    return { file, baseUrl, auth, operations };
  }
  const calls = recognize(all);
  if (calls.list === undefined && calls.launch === undefined) {
    const elsewhere = /"\$ref":"([^#"]+)/.exec(JSON.stringify(root.paths ?? {}))?.[1];
    if (elsewhere !== undefined)
      return `it refers to other files, such as ${elsewhere}: make one document of them first (a bundle, as tools for OpenAPI call it), and give that`;
    return "it documents nothing that looks like a call that lists machines or launches one: is it the document of another service?";
  }
  return withCalls({ file, baseUrl: address.origin, auth, operations: all }, calls);
}

/** An OpenAPI document with its calls as they were recognized. */
export function withCalls(document: ApiDocument, calls: Recognition): ApiDocument {
  const operations = document.operations.map((one) => ({ ...one, ...meaningOf(one, calls) }));
  return { ...document, operations, calls };
}

/** What a recognized call of another service is about. */
function meaningOf(one: DocumentedOperation, calls: Recognition): Pick<DocumentedOperation, "kind" | "at"> {
  const isIt = (other: DocumentedOperation | undefined): boolean =>
    other?.path === one.path && other.method === one.method;
  const name = (Object.keys(calls) as (keyof Recognition)[]).find((each) => isIt(calls[each]?.operation));
  return { kind: name && kindOf(name), at: name && calls[name]?.at };
}

/** Swagger 2.0 says host and basePath, OpenAPI 3 its servers. */
function addressIn(root: JsonObject): { readonly origin: string | undefined; readonly path: string } {
  const server = Array.isArray(root.servers) ? objectAt(root.servers[0] as Json).url : undefined;
  const old =
    typeof root.host === "string" ? `https://${root.host}${String(root.basePath ?? "")}` : root.basePath;
  const url = String(server ?? old ?? "");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url) || url.includes("{"))
    return { origin: undefined, path: url.startsWith("/") ? url.replace(/\/+$/, "") : "" };
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/+$/, "") };
}

/** An operation below another path, which says what it is about. */
function withPath(one: DocumentedOperation, path: string): DocumentedOperation {
  return { ...one, path, kind: kindOfRequest(one.method, path.replaceAll(/\{[^}]*\}/g, "ID")) };
}

function operationOf(
  method: string,
  path: string,
  item: JsonObject,
  operation: JsonObject,
  schemas: Schemas,
): DocumentedOperation {
  const parameters = [...listAt(item.parameters), ...listAt(operation.parameters)].map((each) =>
    objectAt(schemas.resolve(each)),
  );
  const answers = Object.entries(objectAt(operation.responses)).map(([status, answer]) => ({
    status,
    schema: schemaOf(objectAt(schemas.resolve(answer))),
  }));
  const good = answers.find(({ status, schema }) => /^2/.test(status) && schema !== undefined);
  const inBody = parameters.find((each) => each.in === "body")?.schema;
  const sent = objectAt(schemas.resolve(operation.requestBody ?? null));
  const form = schemaOf(sent) === undefined ? schemaOf(sent, /form-urlencoded/) : undefined;
  const body = schemaOf(sent) ?? form ?? inBody;
  return {
    kind: undefined,
    method,
    path,
    words: `${String(operation.operationId ?? "")} ${String(operation.summary ?? "")}`,
    query: parameters
      .filter((each) => each.in === "query" && typeof each.name === "string")
      .map((each) => {
        const schema = { ...each, ...objectAt(schemas.resolve(each.schema ?? null)) };
        const words = listAt(schema.enum ?? objectAt(schemas.resolve(schema.items ?? null)).enum);
        return { name: String(each.name), default: schema.default, minimum: schema.minimum, words };
      }),
    isForm: form !== undefined,
    body: body === undefined ? undefined : schemas.whole(body),
    answer: good?.schema === undefined ? undefined : schemas.standIn(good.schema),
    errors: answers.flatMap(({ status, schema }) =>
      /^(4|5|default)/.test(status) && schema !== undefined ? [schemas.standIn(schema)] : [],
    ),
    statuses: answers.map(({ status }) => status),
  };
}

/** The schema of a body, in a request or an answer. */
function schemaOf(message: JsonObject, types = /json|\*\/\*/): Json | undefined {
  if (isObject(message.schema)) return message.schema;
  const content = Object.entries(objectAt(message.content));
  return objectAt(content.find(([type]) => types.test(type))?.[1]).schema;
}

function authOf(root: JsonObject, schemas: Schemas): readonly DocumentedAuth[] {
  const all = objectAt(objectAt(root.components).securitySchemes ?? root.securityDefinitions);
  return Object.entries(all).map(([name, scheme]) => {
    const { type, in: where, name: field, scheme: kind, flows, ...old } = objectAt(schemas.resolve(scheme));
    const { tokenUrl } = type === "oauth2" ? { ...old, ...objectAt(objectAt(flows).clientCredentials) } : {};
    if (type === "apiKey" && (where === "header" || where === "query") && typeof field === "string")
      return {
        name,
        sent: { in: where, name: field, value: "{secret}" },
        what: `apiKey in ${carrierOf({ [where]: field })}`,
      };
    const http = type === "basic" ? "basic" : type === "http" ? String(kind).toLowerCase() : undefined;
    if (http === "bearer") return { name, sent: inAuthorization("Bearer {secret}"), what: "http bearer" };
    if (http === "basic") return { name, sent: inAuthorization("Basic {secret}"), what: "http basic" };
    return {
      name,
      sent: undefined,
      what: `${String(type)}${where === undefined ? "" : ` in ${String(where)}`}`,
      ...(typeof tokenUrl === "string" && { tokenUrl }),
    };
  });
}

function inAuthorization(value: string): SentCredential {
  return { in: "header", name: "Authorization", value };
}

export function objectAt(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listAt(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
