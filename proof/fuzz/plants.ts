import type { Plant } from "../plants.ts";

/** A bug that is put in on purpose, and the target that must find it. */
interface FuzzPlant extends Pick<Plant, "name" | "edits"> {
  readonly target: string;
}

function bug(name: string, target: string, file: string, text: string, instead: string): FuzzPlant {
  return { name, target, edits: [{ file, text, instead }] };
}

const SENT = "response = await sender.now({ ...post, mayLeave: request.mayLeave }, signal);";
const DEEP = "if (isTooDeep(content))";

export const FUZZ_PLANTS: readonly FuzzPlant[] = [
  bug(
    "control-characters",
    "fleet-files",
    "service/document/document.ts",
    "return escapeControls(",
    "return (",
  ),
  bug("half-of-a-character", "answers", "service/text/json.ts", " && text.isWellFormed()", ""),
  bug(
    "cut-answer-sent-again",
    "worlds",
    "service/client.ts",
    SENT,
    `${SENT} if (!response.body.trim().endsWith("}")) response = await sender.now(post, signal);`,
  ),
  bug(
    "no-number",
    "outside",
    "agent/ask/metric-value.ts",
    'value.lt(0) ? unknown("which is less than 0") :',
    "",
  ),
  bug(
    "damaged-row",
    "ledger-files",
    "ledger/stored-row.ts",
    "if (field === undefined) return",
    "if (row) return",
  ),
  bug(
    "redirect-taken",
    "receivers",
    "agent/ask/exchange.ts",
    "statusCode >= 200 && statusCode < 300",
    "statusCode >= 200 && statusCode < 400",
  ),
  bug("too-deep", "api", "agent/tell/http/reach/body.ts", DEEP, "if (isTooDeep(content) && !content)"),
];
