import type { Context } from "hono";
import type { z } from "zod";
import type { Env } from "./guard.ts";
import { problem } from "./problem.ts";

/** The JSON object of a request, or why it is none. A request without a body has an empty one. */
export async function bodyOf(
  c: Context<Env>,
  most: number,
): Promise<Readonly<Record<string, unknown>> | Response> {
  const content = await textOf(c.req.raw.body, most);
  if (content === undefined) return problem(413, `a body has at most ${most / 1024} KiB here.`);
  if (content === "") return {};
  if (!/^application\/json(;|$)/i.test(c.req.header("content-type") ?? ""))
    return problem(415, "Content-Type: expected application/json");
  if (isTooDeep(content))
    return problem(400, `the body: at most ${MOST_DEEP} lists and objects stand in each other`);
  try {
    const body: unknown = JSON.parse(content);
    if (typeof body === "object" && body !== null && !Array.isArray(body))
      return body as Readonly<Record<string, unknown>>;
  } catch {
    return problem(400, "the body is no JSON");
  }
  return problem(400, "the body: expected a JSON object");
}

/** Deeper than anything that is meant. What reads a value, compares or writes it calls itself for each level, and would run out of stack. */
const MOST_DEEP = 200;

function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (isText && sign === "\\") at += 1;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > MOST_DEEP) return true;
  }
  return false;
}

/** Undefined: it is too long, and the rest of it was not read. Hono's own limit takes no body of unknown length here. */
export async function textOf(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function issuesText({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path, ""].join(": ") + message).join("; ");
}
