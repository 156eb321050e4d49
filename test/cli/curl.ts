import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./cli.ts";
import { KEY } from "./cli.ts";

interface Call {
  readonly method?: string;
  readonly body?: unknown;
}

/** Asks a service in plain HTTP, as a newcomer would with curl, and saves what the terminal shows. */
export function curl(on: Pick<Place, "url" | "folder">, header: string) {
  const [name = "", value = ""] = header.split(/: (.*)/s);
  const ask = async (
    path: string,
    { method = "GET", body }: Call = {},
  ): Promise<{ head: string; text: string }> => {
    const init = { method, headers: { [name]: value.replace("$KEY", KEY) }, redirect: "manual" } as const;
    const answer = await fetch(
      `${on.url}${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    const head = [
      `HTTP/1.1 ${answer.status} ${answer.statusText}`,
      ...[...answer.headers].map(([key, text]) => `${key}: ${text}`),
    ];
    return { head: `${head.join("\r\n")}\r\n\r\n`, text: await answer.text() };
  };
  const command = (path: string, { method = "GET", body }: Call): string => {
    const data = body === undefined ? "" : ` \\\n  -d '${JSON.stringify(body)}'`;
    return `$ curl -i -X ${method} '${on.url}${path}' -H "${header}"${data}\n`;
  };
  const save = (file: string, text: string): string => {
    writeFileSync(join(on.folder, file), text);
    return file;
  };
  return {
    /** The JSON of the answer. */
    async json(path: string, call?: Call): Promise<unknown> {
      return JSON.parse((await ask(path, call)).text);
    },
    /** What `curl -i` prints. Gives the file's name. */
    async answer(file: string, path: string, call?: Call): Promise<string> {
      const { head, text } = await ask(path, call);
      return save(file, head + text);
    },
    /** The command with what it prints below, as it stands in a terminal. */
    async terminal(file: string, path: string, call: Call = {}): Promise<string> {
      const { head, text } = await ask(path, call);
      return save(file, command(path, call) + head + text);
    },
    /** The command alone, not sent. */
    command: (file: string, path: string, call: Call = {}): string => save(file, command(path, call)),
  };
}
