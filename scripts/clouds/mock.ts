import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { parse } from "yaml";

/** As it was tried. */
const PRISM = "@stoplight/prism-cli@5";

export interface Mock {
  readonly url: string;
  /** What the document's server has in its address, which Prism leaves out. */
  readonly prefix: string;
  /** The document's title and version. */
  readonly document: string;
  stop(): void;
}

/** Starts Prism with this document, by npx. */
export async function startMock(document: string): Promise<Mock> {
  const { info, servers } = parse(readFileSync(document, "utf8"), { maxAliasCount: -1 });
  const address = servers?.[0]?.url ?? "";
  const port = await freePort();
  const args = ["--yes", PRISM, "mock", "--host", "127.0.0.1", "--port", String(port), document];
  const child = spawn("npx", args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece) => {
      said += piece;
      if (said.includes("Prism is listening")) resolve();
    });
  child.once("error", reject);
  child.once("exit", () => reject(new Error(`Prism did not start:\n${said}`)));
  await promise;
  return {
    url: `http://127.0.0.1:${port}`,
    prefix: URL.canParse(address) ? new URL(address).pathname.replace(/\/+$/, "") : "",
    document: `${info.title} ${info.version}`,
    // npx has started another process: all of the group end.
    stop: () => {
      if (child.pid !== undefined) process.kill(-child.pid);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  const port = await promise;
  server.close();
  return port;
}
