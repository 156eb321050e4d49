import { parse } from "yaml";
import { API_PREFIX, PATHS } from "../../../../service/contract/contract.ts";
import type { Json } from "../../../../service/contract/service.ts";
import { isObject, type JsonObject } from "../../../doctor/shape/lists.ts";
import { kindOfRequest } from "./classify.ts";
import type { Kind } from "./exchange.ts";
import { createSchemas, type Schemas, type StandIn } from "./schemas.ts";

/** What an OpenAPI document (2.0, 3.0, 3.1) says of the service. Only its names and types count. */
export interface ApiDocument {
  readonly file: string;
  /** The part of its first address before `/api/v1`, if that is a whole one. */
  readonly baseUrl: string | undefined;
  readonly auth: readonly DocumentedAuth[];
  readonly operations: readonly DocumentedOperation[];
}

export interface DocumentedAuth {
  readonly name: string;
  /** Undefined for a scheme that a profile cannot send, such as a cookie. */
  readonly header: { readonly header: string; readonly value: string } | undefined;
  readonly what: string;
}

export interface DocumentedOperation {
  readonly kind: Kind | undefined;
  readonly method: string;
  /** From `/api/v1` on, with its parameters in braces. */
  readonly path: string;
  /** Its summary and its id: words for people. */
  readonly words: string;
  readonly query: readonly DocumentedParameter[];
  /** The schema of its JSON body, without references. */
  readonly body: JsonObject | undefined;
  /** Of its good answer. */
  readonly answer: StandIn | undefined;
  readonly errors: readonly StandIn[];
}

export interface DocumentedParameter {
  readonly name: string;
  readonly default: Json | undefined;
  readonly minimum: Json | undefined;
}

/** The parsed document, if the text is one. A text says what is wrong with it. */
export function readApiDocument(text: string, file: string): ApiDocument | string | undefined {
  if (!/^\s*["']?(openapi|swagger)["']?\s*:|["'](openapi|swagger)["']\s*:\s*["']\d/m.test(text))
    return undefined;
  let root: unknown;
  try {
    root = parse(text, { logLevel: "error", maxAliasCount: 100 });
  } catch (error) {
    const at = (error as { linePos?: readonly { line: number }[] }).linePos?.[0]?.line;
    return `it looks like an OpenAPI document, and cannot be read as YAML or JSON${at === undefined ? "" : `: see line ${at}`}`;
  }
  if (!isObject(root as Json) || !("openapi" in (root as JsonObject) || "swagger" in (root as JsonObject)))
    return undefined;
  return documentOf(root as JsonObject, file);
}

/** The paths of the specification (section 4). A document that has others beside its deployments knows more. */
const SPECIFIED = new RegExp(
  `^(${[PATHS.account, PATHS.balance, PATHS.offers, PATHS.deployments].join("|")})(/|$)`,
);

const METHODS = ["get", "post", "put", "patch", "delete"];

function documentOf(root: JsonObject, file: string): ApiDocument | string {
  const schemas = createSchemas(root);
  const address = addressIn(root);
  const operations = Object.entries(objectAt(root.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const found = objectAt(schemas.resolve(item))[method];
      const full = `${address.path}${path}`;
      const start = full.indexOf(API_PREFIX);
      if (!isObject(found) || start < 0) return [];
      return [operationOf(method.toUpperCase(), full.slice(start), objectAt(item), found, schemas)];
    }),
  );
  const others = operations.map(({ path }) => path).filter((path) => !SPECIFIED.test(path));
  const hasDeployments = operations.some(({ path }) => path.startsWith(PATHS.deployments));
  if (operations.length === 0 || (others.length > 0 && !hasDeployments)) {
    const instead = [...new Set(others)].slice(0, 3).join(", ");
    const what =
      instead === ""
        ? `nothing below ${API_PREFIX}, where the specification has its paths`
        : `${instead} and no ${PATHS.deployments}, where the specification launches and lists machines`;
    return `it documents ${what}: it is the document of another service, or of another version`;
  }
  const first = `${address.path}${Object.keys(objectAt(root.paths))[0] ?? ""}`;
  const before = first.slice(0, Math.max(0, first.indexOf(API_PREFIX)));
  return {
    file,
    baseUrl: address.origin === undefined ? undefined : `${address.origin}${before}`,
    auth: authOf(root, schemas),
    operations,
  };
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
  const body = schemaOf(objectAt(schemas.resolve(operation.requestBody ?? null))) ?? inBody;
  return {
    kind: kindOfRequest(method, path.replaceAll(/\{[^}]*\}/g, "ID")),
    method,
    path,
    words: `${String(operation.operationId ?? "")} ${String(operation.summary ?? "")}`,
    query: parameters
      .filter((each) => each.in === "query" && typeof each.name === "string")
      .map((each) => {
        const schema = { ...each, ...objectAt(schemas.resolve(each.schema ?? null)) };
        return { name: String(each.name), default: schema.default, minimum: schema.minimum };
      }),
    body: body === undefined ? undefined : schemas.whole(body),
    answer: good?.schema === undefined ? undefined : schemas.standIn(good.schema),
    errors: answers.flatMap(({ status, schema }) =>
      /^(4|5|default)/.test(status) && schema !== undefined ? [schemas.standIn(schema)] : [],
    ),
  };
}

/** The schema of a JSON body, in a request or an answer. */
function schemaOf(message: JsonObject): Json | undefined {
  if (isObject(message.schema)) return message.schema;
  const content = Object.entries(objectAt(message.content));
  return objectAt(content.find(([type]) => /json|\*\/\*/.test(type))?.[1]).schema;
}

function authOf(root: JsonObject, schemas: Schemas): readonly DocumentedAuth[] {
  const all = objectAt(objectAt(root.components).securitySchemes ?? root.securityDefinitions);
  return Object.entries(all).map(([name, scheme]) => {
    const { type, in: where, name: field, scheme: kind } = objectAt(schemas.resolve(scheme));
    if (type === "apiKey" && where === "header" && typeof field === "string")
      return { name, header: { header: field, value: "{secret}" }, what: `apiKey in the header ${field}` };
    const http = type === "basic" ? "basic" : type === "http" ? String(kind).toLowerCase() : undefined;
    if (http === "bearer")
      return { name, header: { header: "Authorization", value: "Bearer {secret}" }, what: "http bearer" };
    if (http === "basic")
      return { name, header: { header: "Authorization", value: "Basic {secret}" }, what: "http basic" };
    return {
      name,
      header: undefined,
      what: `${String(type)}${where === undefined ? "" : ` in ${String(where)}`}`,
    };
  });
}

export function objectAt(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listAt(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
