import { ownerParts } from "../../../ledger/owner.ts";
import { cleanFor, timeOfDay } from "../../fleet/text/text.ts";
import type { Log } from "./entry.ts";
import type { Secrets } from "./secrets.ts";

/** The most characters of a text on a terminal. */
const MOST_CHARACTERS = 1000;

/** The agent's own lines, shown without their kind. */
const OWN = ["agent", "service"];

export interface Output {
  /** Writes a line to standard output. */
  readonly print: (text: string) => void;
  /** Writes a line to standard error. */
  readonly tell: (text: string) => void;
  /** False if a program, a file or a service manager reads it. */
  readonly terminal?: boolean | undefined;
}

/** The log for people. Errors go to `tell`, all else to `print`. */
export function textLog({ print, tell, terminal }: Output, secrets: Secrets): Log {
  const clean = cleanFor({ terminal });
  const shown = (text: string, most: number): string => clean(secrets.hide(text), most);
  return ({ level, kind, text, at, owner, name = owner ? ownerParts(owner).name : undefined }) => {
    const who = name === undefined ? [] : [shown(name, 40)];
    const what = [...who, ...(OWN.includes(kind) ? [] : [shown(kind, 40)])].join(" ");
    const line = `${timeOfDay(at)} ${what === "" ? "" : `${what}: `}${shown(text, MOST_CHARACTERS)}`;
    if (level === "error") tell(line);
    else print(line);
  };
}
