import { type HttpRequest, type Transport, TransportError } from "../../../service/contract/transport.ts";
import { canonicalJson, parseJson } from "../../../service/text/json.ts";
import type { Recorded } from "./recording.ts";

/** What stands in recorded requests in the place of the credential. */
export const RECORDED_KEY = "$KEY";

export interface RecordedTransport {
  readonly transport: Transport;
  /** What was asked for. */
  readonly asked: ReadonlySet<Recorded>;
  /** How requests differ from what was recorded, for people. */
  readonly problems: ReadonlySet<string>;
}

/** Answers with what was recorded for the very same request. Any other request fails. */
export function recordedTransport(recorded: readonly Recorded[]): RecordedTransport {
  const asked = new Set<Recorded>();
  const problems = new Set<string>();
  return {
    ...{ asked, problems },
    async transport(request) {
      const found = answerTo(request, recorded);
      if (typeof found === "string") {
        problems.add(found);
        throw new TransportError("NOT_SENT", found);
      }
      asked.add(found);
      const { status, headers, body } = found.answer;
      return { status, headers, body };
    },
  };
}

function answerTo(request: HttpRequest, recorded: readonly Recorded[]): Recorded | string {
  const { pathname, searchParams: query } = new URL(request.url);
  const path = pathname.replace(/\/+$/, "");
  const there = recorded.filter(
    (each) => each.request.method === request.method && [pathname, path].includes(each.path),
  );
  const found = there.find((each) => queryText(each.query) === queryText(query));
  if (!found) {
    const others = there.map((each) => `${each.file} has ${queryText(each.query)}`).join(", ");
    const asks = others === "" ? "" : `, with the query ${queryText(query)}: ${others}`;
    return `the profile asks ${request.method} ${path}${asks || ", and no answer to it is recorded"}`;
  }
  return headerProblem(request, found) ?? bodyProblem(request, found) ?? found;
}

function headerProblem({ headers }: HttpRequest, { request, file }: Recorded): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!value.includes(RECORDED_KEY)) continue;
    const theirs = request.headers.find(([each]) => each.toLowerCase() === name)?.[1];
    if (theirs === value) continue;
    const has = theirs === undefined ? `has no header ${name}` : `has another ${name}`;
    const never = `${RECORDED_KEY} stands for the credential, which is never saved`;
    return `${file}: the profile sends "${name}: ${value}", and the recorded request ${has}. ${never}`;
  }
  return undefined;
}

function bodyProblem({ body }: HttpRequest, { request, file }: Recorded): string | undefined {
  const [mine, theirs] = [body, request.body].map((text) =>
    text === undefined ? "none" : canonicalText(text),
  );
  return mine === theirs
    ? undefined
    : `${file}: the profile sends the body ${mine}, and the recorded request has ${theirs}`;
}

/** A form is compared as it is. */
function canonicalText(text: string): string {
  try {
    return canonicalJson(parseJson(text));
  } catch {
    return text;
  }
}

function queryText(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString() || "(none)";
}
