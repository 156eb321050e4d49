import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asking } from "../../agent/ask/ask.ts";
import { machineAgent } from "../../agent/ask/exchange.ts";
import { readGpuUse } from "../../agent/ask/gpu-use.ts";
import { askingIdle } from "../../agent/ask/idle.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";

/** As the DCGM exporter shows them. */
const dcgm = (...uses: readonly (number | string)[]): string =>
  [
    "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).",
    "# TYPE DCGM_FI_DEV_GPU_UTIL gauge",
    ...uses.map(
      (use, gpu) =>
        `DCGM_FI_DEV_GPU_UTIL{gpu="${gpu}",UUID="GPU-${gpu}",device="nvidia${gpu}",modelName="NVIDIA H100 80GB HBM3",Hostname="n1"} ${use}`,
    ),
    'DCGM_FI_DEV_MEM_COPY_UTIL{gpu="0",UUID="GPU-0",device="nvidia0"} 99',
    "",
  ].join("\n");

const agent = machineAgent();

/** What a machine of two GPUs says whose exporter shows this text. */
async function said(text: string, status = 200, gpus = 2): Promise<string> {
  const server = createServer((asked, answer) => {
    answer.writeHead(asked.url === "/metrics" ? status : 404).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return ask((server.address() as AddressInfo).port, gpus);
}

async function ask(port: number, gpus = 2, more = ""): Promise<string> {
  const [fleet] = parseFleetFile(
    `fleets: [{ name: web, gpus: 8, select: {}, idle: { address: host, for: 30m, dcgm: { port: ${port}, below: 5 } ${more} } }]`,
    "fleet.yaml",
  ).fleets;
  const idle = fleet?.wish.idle;
  if (!idle) throw new Error("no idle");
  const row = { id: "d-1", connection: { host: "127.0.0.1" } } as unknown as DeploymentRow;
  const watched = { fleet: "web", source: "file:/fleet.yaml", row, idle, address: idle.address };
  const asked = asking({ agent, environment: { PATH: process.env.PATH } });
  const answer = await askingIdle(asked, agent)(watched, gpus, new AbortController().signal);
  return answer.kind === "good" ? "idle" : `${answer.kind}: ${answer.why}`;
}

test("a machine is idle while each of its GPUs is used to less than the limit, and busy if one is not", async () => {
  expect(await said(dcgm(0, 4.5))).toBe("idle");
  expect(await said(dcgm(0, 5))).toBe("bad: a GPU is used to 5 %");
  expect(await said(dcgm(100, 0))).toBe("bad: a GPU is used to 100 %");
});

test("one that does not show each of its GPUs is unknown: so is DCGM's blank, MIG, another page, an error and no exporter", async () => {
  const one = "unknown: DCGM_FI_DEV_GPU_UTIL can be read of 1 GPUs of 2";
  expect(await said(dcgm(0))).toBe(one);
  expect(await said(dcgm(0, "9223372036854775794"))).toBe(one);
  expect(await said(dcgm(0, "NaN"))).toBe(one);
  // One GPU, shown for each of two containers.
  expect(await said(dcgm(0) + dcgm(0))).toBe(one);
  expect(await said("<html>")).toBe("unknown: DCGM_FI_DEV_GPU_UTIL can be read of 0 GPUs of 2");
  expect(await said("", 200, 0)).toMatch(/^unknown/);
  expect(await said(dcgm(0, 0), 503)).toMatch(/^unknown: .*\/metrics: answered HTTP 503$/);
  expect(await said(dcgm(0, 0) + "#".repeat(1_048_577))).toMatch(/^unknown: .*more than 1 MiB$/);
  expect(await ask(1)).toMatch(/^unknown: .*ECONNREFUSED/);
});

test("one way that finds it busy is enough, whatever the others say, and one that says nothing leaves it unknown", async () => {
  const command = (code: number): string => `, command: [sh, -c, "exit ${code}"]`;
  const server = createServer((_, answer) => void answer.end(dcgm(0, 0)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  expect(await ask(port, 2, command(0))).toBe("idle");
  expect(await ask(port, 2, command(1))).toMatch(/^bad/);
  expect(await ask(port, 2, command(255))).toMatch(/^unknown/);
  expect(await ask(1, 2, command(1))).toMatch(/^bad/);
});

test.each<[string, string]>([
  ["for: 30m", "expected at least one of command, gpud, dcgm"],
  ["for: 30m, dcgm: { below: 101 }", "expected a percentage above 0, up to 100"],
  ["for: 30m, dcgm: { below: 0 }", "expected a percentage above 0, up to 100"],
  ["for: soon, command: [x]", "expected a duration"],
  ["for: 30m, command: [x], then: end", "expected tell, stop or drain"],
  ["for: 30m, command: [x], keep: 2", "expected none beside then: tell, as it says what then: stop leaves"],
  ["for: 30m, command: [x], then: stop, keep: 9", "expected at most gpus, which is 8"],
  ["for: 30m, gpud: { below: 5 }", "expected the connection detail that holds a machine's address"],
  ["for: 30m, command: [x], then: stop }, allOrNothing: { within: 20m", "the fleet wants all or nothing"],
])("a fleet file with idle: { %s } is refused", (idle, why) => {
  const text = `fleets: [{ name: web, gpus: 8, select: {}, idle: { ${idle} } }]`;
  expect(() => parseFleetFile(text, "fleet.yaml")).toThrow(why);
});

test("gpud is asked on its own port by TLS, and its certificate, which it makes itself, is not checked", async () => {
  const [fleet] = parseFleetFile(
    "fleets: [{ name: web, gpus: 8, select: {}, ready: { address: host, tcp: 22 }, idle: { for: 30m, gpud: { below: 5 } } }]",
    "fleet.yaml",
  ).fleets;
  const { idle } = fleet?.wish ?? {};
  expect(idle).toEqual({ for: "30m", then: "tell", gpud: { port: 15_132, below: 5 } });
  const folder = mkdtempSync(join(tmpdir(), "gpud-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=gpud"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files], {
    cwd: folder,
    stdio: "ignore",
  });
  const [key, cert] = ["key.pem", "cert.pem"].map((file) => readFileSync(join(folder, file)));
  const shown = (gpu: number): string =>
    `accelerator_nvidia_utilization_gpu_util_percent{component="accelerator-nvidia-utilization",uuid="GPU-${gpu}"} 0\n`;
  const server = createTlsServer({ key, cert }, (_, answer) => void answer.end(shown(0) + shown(1)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const gauge = {
    scheme: "https",
    port: (server.address() as AddressInfo).port,
    metric: "accelerator_nvidia_utilization_gpu_util_percent",
    below: 5,
  } as const;
  const { signal } = new AbortController();
  expect(await readGpuUse(agent, "127.0.0.1", gauge, 2, signal)).toEqual({ kind: "good" });
});
