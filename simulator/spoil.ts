import type { HttpResponse } from "../service/transport.ts";

/** `halfIds`, `noStates`: the body is whole, but that field is broken in each deployment's record. */
export const SPOILT = ["cut", "empty", "html", "otherJson", "halfIds", "noStates"] as const;

/** The same good status, with a body that says nothing or too little. */
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
  }
}

/** An object with an id and a status is a deployment's record: the specification shows both for each one. */
function withRecords(body: string, change: (record: Record<string, unknown>) => object): string {
  if (body === "") return body;
  return JSON.stringify(
    JSON.parse(body, (_key, value: unknown) => {
      const record = value as Record<string, unknown> | null;
      return typeof record?.id === "string" && typeof record.status === "string" ? change(record) : value;
    }),
  );
}

/** The answer of a gateway in front of the service: not in the service's words, and not JSON. */
export function gatewayPage(status: number): HttpResponse {
  return { status, headers: { "content-type": "text/html" }, body: page(`${status} Gateway error`) };
}

function page(title: string): string {
  return `<!doctype html><title>${title}</title><h1>${title}</h1>\n`;
}
