import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChannelCredentials, credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { createCalls } from "../../agent/autoscaler/calls.ts";
import { serveCalls } from "../../agent/autoscaler/server.ts";
import { DEFINITION } from "../../agent/autoscaler/wire.ts";
import { FILE } from "./cluster.ts";

const CALLS = createCalls({ read: never, order: never }, FILE, () => undefined);

function never(): never {
  throw new Error("nobody asks the agent");
}

/** An authority, and what it has signed for this machine. */
function authority(name: string) {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-mtls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const openssl = (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.crt",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
  );
  openssl(
    ...["req", "-x509", ...key, "-keyout", "tls.key", "-out", "tls.crt", "-days", "2", "-subj", "/CN=it"],
    ...["-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "subjectAltName=IP:127.0.0.1"],
  );
  const at = (file: string): string => join(folder, file);
  return {
    files: { cert: at("tls.crt"), key: at("tls.key"), clientCa: at("ca.crt") },
    read: (file: string): Buffer => readFileSync(at(file)),
  };
}

async function label(port: number, by: ChannelCredentials): Promise<string> {
  const Client = makeGenericClientConstructor(DEFINITION, "CloudProvider");
  const client = new Client(`127.0.0.1:${port}`, by);
  onTestFinished(() => client.close());
  return new Promise((resolve) => {
    client.GPULabel?.({}, { deadline: Date.now() + 20_000 }, (error: Error | null, said: { label: string }) =>
      resolve(error ? "refused" : said.label),
    );
  });
}

test("who has a certificate of the authority is served, and nobody else", async () => {
  const [ours, others] = [authority("ours"), authority("others")];
  const { port, close } = await serveCalls(CALLS, { host: "127.0.0.1", port: 0 }, ours.files);
  onTestFinished(() => close());
  const ca = ours.read("ca.crt");
  const by = (of: typeof ours) => credentials.createSsl(ca, of.read("tls.key"), of.read("tls.crt"));
  expect(await label(port, by(ours))).toBe("accelerator");
  expect(await label(port, by(others))).toBe("refused");
  expect(await label(port, credentials.createSsl(ca))).toBe("refused");
  expect(await label(port, credentials.createInsecure())).toBe("refused");
});

test("without TLS it listens on the loopback alone, and files that are none are named", async () => {
  const serve = (host: string, files?: Parameters<typeof serveCalls>[2]) =>
    serveCalls(CALLS, { host, port: 0 }, files).then(
      ({ close }) => close(),
      ({ message }: Error) => message,
    );
  expect(await serve("0.0.0.0")).toMatch(
    /^--listen 0\.0\.0\.0:0: others than this machine reach that address/,
  );
  const { files } = authority("ours");
  expect(await serve("127.0.0.1", { ...files, key: "/no/such.key" })).toMatch(
    /^--key \/no\/such\.key: it cannot be read/,
  );
  expect(await serve("127.0.0.1", { ...files, key: files.cert })).toMatch(
    /they are no certificate, key and authority in PEM that go together/,
  );
});
