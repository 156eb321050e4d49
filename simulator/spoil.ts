import type { HttpResponse } from "../service/contract/transport.ts";

/**
 * `halfIds`, `noStates`: the body is whole, but that field is broken in each deployment's record. `twice`: each deployment of
 * a list has a second record that says that it failed, before or behind the true one. `nullList`: null stands in the place of
 * a list of deployments, and 0 in that of its total.
 */
export const SPOILT = [
  "cut",
  "empty",
  "html",
  "otherJson",
  "halfIds",
  "noStates",
  "twice",
  "nullList",
] as const;

/** An answer with its good status, and a body that says nothing or too little. */
export function spoil(response: HttpResponse, how: (typeof SPOILT)[number]): HttpResponse {
  const { status, headers, body } = response;
  switch (how) {
    case "cut":
      return { status, headers, body: body.slice(0, Math.floor(body.length / 2)) };
    case "empty":
      return { status, headers, body: "" };
    case "html":
      return { status, headers: { ...headers, "content-type": "text/html" }, body: page("Welcome") };
    case "otherJson":
      return { status, headers, body: '{"ok":true}' };
    case "halfIds":
      return { status, headers, body: withRecords(body, (record) => ({ ...record, id: "\ud800" })) };
    case "noStates":
      return { status, headers, body: withRecords(body, ({ status: _status, ...record }) => record) };
    case "twice":
      return { status, headers, body: changed(body, withFalse) };
    case "nullList":
      return { status, headers, body: changed(body, withoutList) };
  }
}

function withFalse(value: unknown): unknown {
  const twice = (record: unknown, place: number): readonly unknown[] => {
    if (!isDeployment(record)) return [record];
    const failed = { ...record, status: "failed", failure_code: "UNKNOWN" };
    return place % 2 === 0 ? [record, failed] : [failed, record];
  };
  return Array.isArray(value) ? value.flatMap(twice) : value;
}

function withoutList(value: unknown): unknown {
  const isList = (inner: unknown): boolean => Array.isArray(inner) && inner.some(isDeployment);
  if (value === null || typeof value !== "object" || !Object.values(value).some(isList)) return value;
  const nothing = (inner: unknown): unknown => (isList(inner) ? null : typeof inner === "number" ? 0 : inner);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, nothing(inner)]));
}

/** The specification shows both for each one. */
function isDeployment(value: unknown): value is { readonly id: string; readonly status: string } {
  const record = value as Record<string, unknown> | null;
  return typeof record?.id === "string" && typeof record.status === "string";
}

function withRecords(body: string, change: (record: Record<string, unknown>) => object): string {
  return changed(body, (value) => (isDeployment(value) ? change({ ...value }) : value));
}

/** Each value of the body, from the innermost on, changed. One that is an id alone, and no JSON, stays. */
function changed(body: string, change: (value: unknown) => unknown): string {
  if (!/^\s*[[{]/.test(body)) return body;
  return JSON.stringify(JSON.parse(body, (_key, value: unknown) => change(value)));
}

/** The answer of a gateway in front of the service: not in the service's words, and not JSON. */
export function gatewayPage(status: number): HttpResponse {
  return { status, headers: { "content-type": "text/html" }, body: page(`${status} Gateway error`) };
}

function page(title: string): string {
  return `<!doctype html><title>${title}</title><h1>${title}</h1>\n`;
}
