import type { SavedRequest } from "./exchange.ts";

/**
 * Reads a `curl` command line as a POSIX shell would split it. Variables stay as they are written (`$KEY`):
 * where one stands in a header, it shows where the credential goes. Undefined if a quote is still open: the
 * command goes on in the next line.
 */
export function readCurlCommand(line: string): SavedRequest | undefined {
  const words = splitWords(line);
  if (words === undefined) return undefined;
  const headers: [string, string][] = [];
  const data: string[] = [];
  const urls: string[] = [];
  let method: string | undefined;
  let isGet = false;
  const take = (flag: string, value: string): void => {
    if (flag === "-X" || flag === "--request") method = value.toUpperCase();
    else if (flag === "-H" || flag === "--header") headers.push(headerOf(value));
    else if (flag === "--json") {
      data.push(value);
      headers.push(["content-type", "application/json"]);
    } else if (DATA.has(flag)) data.push(value);
    else if (flag === "-u" || flag === "--user") headers.push(["Authorization", `Basic ${value}`]);
    else if (flag === "--oauth2-bearer") headers.push(["Authorization", `Bearer ${value}`]);
    else if (flag === "-b" || flag === "--cookie") headers.push(["Cookie", value]);
    else if (flag === "--url") urls.push(value);
  };
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? "";
    if (/^([|;&]|\d?>)/.test(word)) break;
    if (!word.startsWith("-") || word === "-") {
      urls.push(word);
      continue;
    }
    if (word.startsWith("--")) {
      if (word === "--get") isGet = true;
      const [flag = "", inline] = word.split(/=(.*)/s);
      if (TAKES_VALUE.has(flag)) take(flag, inline ?? words[++index] ?? "");
      continue;
    }
    // Short flags may stand together: -sSiX POST, -XPOST.
    for (let at = 1; at < word.length; at++) {
      const flag = `-${word[at]}`;
      if (flag === "-G") isGet = true;
      if (!TAKES_VALUE.has(flag)) continue;
      take(flag, word.slice(at + 1) || (words[++index] ?? ""));
      break;
    }
  }
  const url = urls[0];
  if (url === undefined) return { method: method ?? "GET", url: "", headers, body: undefined };
  const text = data.length === 0 ? undefined : data.join("&");
  if (isGet) {
    const joined = text === undefined ? url : `${url}${url.includes("?") ? "&" : "?"}${text}`;
    return { method: method ?? "GET", url: joined, headers, body: undefined };
  }
  return { method: method ?? (text === undefined ? "GET" : "POST"), url, headers, body: text };
}

const DATA = new Set(["-d", "--data", "--data-raw", "--data-binary", "--data-ascii"]);

const TAKES_VALUE = new Set([
  ...DATA,
  ...["-X", "-H", "-u", "-b", "-o", "-A", "-e", "-m", "-w", "-x", "-c", "-K", "-T", "-E", "-F", "-r", "-D"],
  ...["--request", "--header", "--json", "--user", "--oauth2-bearer", "--cookie", "--url", "--output"],
  ...["--user-agent", "--referer", "--max-time", "--write-out", "--proxy", "--cookie-jar", "--config"],
  ...["--form", "--cert", "--key", "--cacert", "--capath", "--resolve", "--connect-to", "--retry"],
  ...["--connect-timeout", "--dump-header", "--range", "--data-urlencode", "--upload-file", "--retry-delay"],
]);

export function headerOf(text: string): [string, string] {
  const [name = "", value = ""] = text.split(/:(.*)/s);
  return [name.trim(), value.trim()];
}

/** Undefined if a quote is still open. */
function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === "'" || char === '"' || (char === "$" && line[at + 1] === "'")) {
      const isAnsi = char === "$";
      const quoted = readQuoted(line, isAnsi ? at + 1 : at, isAnsi);
      if (quoted === undefined) return undefined;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (char === "\\") {
      at += 1;
      // A line that goes on: \ in a shell; ^ and ` are those of Windows, see exchanges.ts.
      if (line[at] !== "\n") word = (word ?? "") + (line[at] ?? "");
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** A text in quotes that begins at `start`. `isAnsi`: `$'...'`, as browsers write it. */
function readQuoted(
  line: string,
  start: number,
  isAnsi: boolean,
): { readonly text: string; readonly end: number } | undefined {
  const quote = line[start];
  let text = "";
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === quote) return { text, end: at };
    const next = line[at + 1] ?? "";
    if (char === "\\" && isAnsi) {
      const unicode = /^u([\da-f]{4})/i.exec(line.slice(at + 1))?.[1];
      text +=
        unicode === undefined ? (ESCAPES[next] ?? next) : String.fromCharCode(Number.parseInt(unicode, 16));
      at += unicode === undefined ? 1 : 5;
    } else if (char === "\\" && quote === '"' && /["\\$`\n]/.test(next)) {
      if (next !== "\n") text += next;
      at += 1;
    } else text += char;
  }
  return undefined;
}
