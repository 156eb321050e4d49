import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request that went to the mock, and what it says of it. */
export interface Asked {
  readonly during: string;
  readonly request: string;
  readonly status: number;
  /** What the document does not allow in it, or that it has no such call. */
  readonly violations: readonly string[];
  /** True if the document writes the path with another slash at its end. */
  readonly otherSlash: boolean;
}

/** Stands before the mock, takes the prefix of the document's server away, and keeps what was asked. */
export interface Front {
  readonly url: string;
  readonly asked: readonly Asked[];
  begin(during: string): void;
  close(): void;
}

/** How the mock says that the document has no such call. */
const NO_CALL = /prism\/errors#(NO_\w+)/;

export async function openFront(mock: string, prefix: string): Promise<Front> {
  const asked: Asked[] = [];
  const pages = new Map<string, string>();
  let during = "";
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const body = await buffer(incoming);
    const ask = async (to: string) => {
      const { host: _, connection: _c, "content-length": _l, "transfer-encoding": _t, ...sent } = headers;
      const init = { method, headers: sent as Record<string, string>, ...(body.length > 0 && { body }) };
      const answer = await fetch(mock + to, init);
      const { status } = answer;
      return { status, type: answer.headers, text: await answer.text() };
    };
    const there = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url;
    const plain = await ask(there);
    const other = NO_CALL.test(plain.text) ? await ask(withOtherSlash(there)) : plain;
    const answer = NO_CALL.test(other.text) ? plain : other;
    const { status, text, type } = answer;
    const violations = violationsIn(type.get("sl-violations"), status, text);
    asked.push({ during, request: `${method} ${url}`, status, violations, otherSlash: answer !== plain });
    outgoing.writeHead(status, { "content-type": type.get("content-type") ?? "text/plain" });
    outgoing.end(
      status === 204 ? undefined : endOf(pages, `${during} ${method} ${url.split("?")[0]}`, url, text),
    );
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  return {
    url: `http://127.0.0.1:${await promise}`,
    asked,
    begin: (next) => {
      pages.clear();
      during = next;
    },
    close: () => server.close(),
  };
}

/** The mock has the same example for each page. A list ends with an empty one: so does what is asked as its second. */
function endOf(pages: Map<string, string>, call: string, url: string, text: string): string {
  const first = pages.get(call) ?? url;
  pages.set(call, first);
  return first === url || !text.startsWith("{") ? text : JSON.stringify(emptied(JSON.parse(text)));
}

/** Without records, and without the way to a next page. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (value === null || typeof value !== "object") return typeof value === "string" ? "" : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, emptied(inner)]));
}

function withOtherSlash(url: string): string {
  const [path = "", ...query] = url.split("?");
  return [path.endsWith("/") ? path.slice(0, -1) : `${path}/`, ...query].join("?");
}

function violationsIn(header: string | null, status: number, text: string): readonly string[] {
  const [, none] = NO_CALL.exec(text) ?? [];
  if (none !== undefined) return [`the document has no such call (${none})`];
  const found: readonly { location: string[]; severity: string; message: string }[] = JSON.parse(
    header ?? "[]",
  );
  const wrong = found.filter(({ location, severity }) => location[0] === "request" && severity === "Error");
  if (wrong.length === 0 && status >= 400) return [`refused: ${text.slice(0, 200)}`];
  return wrong.map(({ message }) => message);
}
