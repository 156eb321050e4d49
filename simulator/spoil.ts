import type { HttpResponse } from "../service/transport.ts";

/** The same good status with a body that says nothing. */
export function spoil(response: HttpResponse, how: "cut" | "empty" | "html" | "otherJson"): HttpResponse {
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
  }
}

/** What a gateway in front of the service says: not in the service's words, and not in JSON. */
export function gatewayPage(status: number): HttpResponse {
  return { status, headers: { "content-type": "text/html" }, body: page(`${status} Gateway error`) };
}

function page(title: string): string {
  return `<!doctype html><title>${title}</title><h1>${title}</h1>\n`;
}
