import { parseJson } from "../../../service/text/json.ts";
import type { SavedAnswer } from "./exchange.ts";

/** Reads a body as JSON, or says why it is none. Nothing of it is quoted: it may be a key. */
export function readBody(text: string): Pick<SavedAnswer, "json" | "trouble"> {
  if (text === "")
    return { json: undefined, trouble: "it has no body. Save it with curl -i, and not with -I" };
  if (text.startsWith("<"))
    return {
      json: undefined,
      trouble:
        "its body is a page of HTML: a proxy, a login page or the dashboard answered, and not the API. Check the address, and send the credential",
    };
  try {
    return { json: parseJson(text) };
  } catch (error) {
    return { json: undefined, trouble: whyNoJson(text, error as Error) };
  }
}

function whyNoJson(text: string, { message }: Error): string {
  if (!/^[[{"]/.test(text))
    return "its body is no JSON. Save an answer as curl -i prints it, or give an OpenAPI document, which says openapi or swagger, and its version";
  if (/end of JSON input|Unterminated/i.test(message) || !/[\]}"]$/.test(text))
    return "its JSON is cut off at the end: save the whole answer, without head, less or a screen's selection";
  const at = /position (\d+)/.exec(message)?.[1];
  const line = at === undefined ? undefined : text.slice(0, Number(at)).split("\n").length;
  const hint = /^\{\s*'/.test(text)
    ? " It looks as Python prints it: save the answer itself, or json.dumps of it"
    : " Save the answer itself, as curl -i prints it";
  return `its body begins like JSON and is none${line === undefined ? "" : ` from line ${line} on`}.${hint}`;
}
