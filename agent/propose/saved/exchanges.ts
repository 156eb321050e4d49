import { readBody } from "./body.ts";
import { headerOf, readCurlCommand } from "./curl-command.ts";
import type { Exchange, SavedAnswer, SavedRequest } from "./exchange.ts";

/** What stands in a terminal before a command: `$ `, `me@host:~$ `. */
const COMMAND = /^\s*(?:[\w@~:./\\-]*[$#%>] ?)?curl(?:\.exe)? /;
const STATUS = /^HTTP\/[\d.]+ (\d{3})\b/;
/** What `curl -v` and its progress meter write between the lines. */
const NOISE =
  /^(\* |(Note|Warning|curl): |[{}] \[\d+ bytes data\]|\s*% Total\s+% Received|\s*Dload\s+Upload|\s*[\d.]+[kMG]?\s+[\d.]+[kMG]?\s+.*(--:--:--|\d+:\d\d:\d\d).*)/;
const LEFT_BEHIND = /\* (Connection #\d+ to host .* left intact|Closing connection.*)$/;

/**
 * Splits what was saved of a terminal into exchanges: commands, what `curl -v` and `curl -i` print, bodies.
 * Of several header blocks of one answer (100 Continue, a proxy's, redirects) the last one counts.
 */
export function readExchanges(text: string): readonly Exchange[] {
  const lines = text
    .replace(/\r\n?/g, "\n")
    // A body without a line break at its end is followed by the next answer, or by the prompt.
    .replace(/([}\]])(HTTP\/[\d.]+ \d{3}\b)/g, "$1\n$2")
    .replace(/([}\]])([\w@~:./-]*[$#%] ?curl )/g, "$1\n$2")
    .split("\n");
  const found: Draft[] = [];
  let current = newDraft();
  let scheme: string | undefined;
  const next = (): void => {
    found.push(current);
    current = newDraft();
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isInBody = current.body.some((each) => each.trim() !== "");
    if (COMMAND.test(line)) {
      next();
      const { request, end } = commandAt(lines, at);
      current.request = request;
      at = end;
    } else if (NOISE.test(line)) {
      // Nothing of the answer. It shows whether the connection is encrypted.
      if (/^\* +Trying |^\* Connected to /.test(line)) scheme = "http";
      if (/^\* (SSL connection|ALPN|TLSv)/.test(line)) scheme = "https";
    } else if (/^> [A-Z]+ \S+ HTTP\//.test(line)) {
      if (current.head !== undefined || isInBody) next();
      const [method = "", url = ""] = line.slice(2).split(" ");
      current.request ??= { method, url, headers: [], body: undefined };
      current.isVerbose = true;
    } else if (/^>( |$)/.test(line) && current.isVerbose && current.head === undefined) {
      addHeader(current, line.slice(2), scheme);
    } else {
      const shown = current.isVerbose ? line.replace(/^< ?/, "") : line;
      const status = STATUS.exec(shown)?.[1];
      if (status !== undefined) {
        if (isInBody) next();
        current.head = { status: Number(status), headers: {} };
        current.isInHead = true;
      } else if (current.isInHead && current.head !== undefined) {
        if (shown.trim() === "") current.isInHead = false;
        else {
          const [name, value] = headerOf(shown);
          current.head.headers[name.toLowerCase()] = value;
        }
      } else current.body.push(line.replace(LEFT_BEHIND, ""));
    }
  }
  next();
  const isScript = found.some(({ request }) => request !== undefined);
  return found.flatMap((each) => finished(each, isScript));
}

interface Draft {
  request: SavedRequest | undefined;
  isVerbose: boolean;
  head: { status: number; headers: Record<string, string> } | undefined;
  isInHead: boolean;
  body: string[];
}

function newDraft(): Draft {
  return { request: undefined, isVerbose: false, head: undefined, isInHead: false, body: [] };
}

function addHeader(draft: Draft, line: string, scheme: string | undefined): void {
  if (draft.request === undefined || line.trim() === "") return;
  const [name, value] = headerOf(line);
  const { headers, url } = draft.request;
  if (/^host$/i.test(name) && url.startsWith("/") && scheme !== undefined)
    draft.request = { ...draft.request, url: `${scheme}://${value}${url}` };
  // The command itself says it already, perhaps with a variable in it, which shows more.
  if (headers.some(([known]) => known.toLowerCase() === name.toLowerCase())) return;
  draft.request = { ...draft.request, headers: [...headers, [name, value]] };
}

/** The command that begins in this line, with the lines in which it goes on. */
function commandAt(
  lines: readonly string[],
  start: number,
): { readonly request: SavedRequest | undefined; readonly end: number } {
  let text = (lines[start] ?? "").replace(/^.*?curl/, "curl");
  let end = start;
  for (;;) {
    // A command of Windows goes on after ^ (cmd) or ` (PowerShell).
    const goesOn = /[\\^`]\s*$/.test(text) && end + 1 < lines.length;
    const request = goesOn ? undefined : readCurlCommand(text);
    if (request !== undefined || end + 1 >= lines.length) return { request, end };
    text = goesOn ? text.replace(/[\\^`]\s*$/, " ") : `${text}\n`;
    end += 1;
    text += lines[end] ?? "";
  }
}

/** `isScript`: commands stand in the file, so that other lines of a shell may stand there, too. */
function finished({ request, head, body }: Draft, isScript: boolean): readonly Exchange[] {
  const whole = body.join("\n").trim();
  const text = isScript && head === undefined && !/^[[{"<]/.test(whole) ? "" : whole;
  if (request === undefined && head === undefined && text === "") return [];
  return [{ request, answer: answerOf(head, text) }];
}

function answerOf(head: Draft["head"], text: string): SavedAnswer | undefined {
  if (head === undefined && text === "") return undefined;
  return { status: head?.status, headers: head?.headers ?? {}, body: text, ...readBody(text) };
}
