import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** One state of a component, as gpud's api/v1/types.go has it. */
interface State {
  readonly name: string;
  readonly health: "Healthy" | "Unhealthy" | "Degraded" | "Initializing";
  readonly reason?: string;
  readonly actions?: readonly string[];
}

/** What GET /v1/states answers, as the documents of gpud show it. */
export function states(...components: readonly (readonly [string, ...State[]])[]): string {
  return JSON.stringify(
    components.map(([component, ...of]) => ({
      component,
      states: of.map(({ actions, ...state }) => ({
        time: null,
        ...state,
        ...(actions && { suggested_actions: { description: "", repair_actions: actions } }),
      })),
    })),
  );
}

const CPU = ["cpu", { name: "cpu", health: "Healthy", reason: "ok" }] as const;
export const WELL = states(CPU, [
  "accelerator-nvidia-error-xid",
  { name: "error_xid", health: "Healthy", reason: "XIDComponent is healthy" },
]);
/** With the words of gpud's own documents for such an error. */
export const XID_79 = states(CPU, [
  "accelerator-nvidia-error-xid",
  {
    name: "error_xid",
    health: "Unhealthy",
    reason: "XID 79 (GPU has fallen off the bus) detected on PCI:0000:04:00",
    actions: ["REBOOT_SYSTEM"],
  },
]);

export interface Gpud {
  readonly port: number;
  status: number;
  answer: string;
  readonly paths: string[];
}

let made: { readonly key: Buffer; readonly cert: Buffer } | undefined;

function certificate() {
  if (made) return made;
  const folder = mkdtempSync(join(tmpdir(), "gpud-"));
  const files = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"];
  const more = ["-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", ["req", "-x509", ...files, ...more], { cwd: folder, stdio: "ignore" });
  made = { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) };
  rmSync(folder, { recursive: true, force: true });
  return made;
}

/** gpud as far as it is asked here: https with a certificate of its own, and no credential. */
export async function gpud(): Promise<Gpud> {
  const at: Gpud & { port: number } = { port: 0, status: 200, answer: WELL, paths: [] };
  const server = createServer(certificate(), (request, response) => {
    at.paths.push(`${request.method} ${request.url}`);
    response.writeHead(at.status, { "content-type": "application/json" });
    response.end(at.answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  at.port = (server.address() as AddressInfo).port;
  return at;
}
