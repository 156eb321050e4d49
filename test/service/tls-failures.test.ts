import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { exchange } from "../../agent/ask/exchange.ts";
import { TransportError } from "../../service/contract/transport.ts";
import { createUndiciTransport } from "../../service/http/undici-transport.ts";
import { never } from "./support.ts";

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Signed by itself. `days`: how long it is valid from now; null: it was, for a day of 2020. */
function certificate(name: string, days: number | null): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const openssl = (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const key = ["-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem"];
  if (days !== null) openssl("req", "-x509", ...key, "-out", "cert.pem", "-days", String(days), ...subject);
  else {
    openssl("req", ...key, "-out", "request.pem", ...subject);
    for (const [file, text] of Object.entries({ "index.txt": "", serial: "01\n", "ca.cnf": AUTHORITY }))
      writeFileSync(join(folder, file), text);
    const dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"];
    openssl(
      ...["ca", "-config", "ca.cnf", "-batch", "-selfsign", "-keyfile", "key.pem", "-in", "request.pem"],
      ...["-out", "cert.pem", "-notext", ...dates],
    );
  }
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  return { key: read("key.pem"), cert: read("cert.pem") };
}

const AUTHORITY = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** What a GET there fails with. `ca`: what the client trusts. */
async function failure(server: Server, ca?: string): Promise<TransportError> {
  const { transport, close } = createUndiciTransport(ca === undefined ? {} : { ca });
  onTestFinished(close);
  const url = `https://localhost:${await listening(server)}/api/v1/account`;
  const error = await transport({ method: "GET", url, headers: {} }, never()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TransportError) return error;
  throw new Error("it was answered");
}

const answering = (given: Certificate): Server =>
  createServer(given, (_, response) => void response.end("{}"));

test("a certificate that signs itself names NODE_EXTRA_CA_CERTS, and nothing was sent", async () => {
  const error = await failure(answering(certificate("localhost", 2)));
  expect(error.message).toMatch(
    /^GET https:\/\/localhost:\d+\/api\/v1\/account: its certificate is signed by itself, and by nobody that this machine trusts\. .*NODE_EXTRA_CA_CERTS=FILE, and start again \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
  );
  expect(error.code).toBe("NOT_SENT");
});

test("one for another name says both names", async () => {
  const given = certificate("gpu.example.com", 2);
  const { message } = await failure(answering(given), given.cert);
  expect(message).toContain(
    "its certificate is for DNS:gpu.example.com, and not for localhost: use a name that it is for",
  );
});

test("one that has expired says so", async () => {
  const given = certificate("localhost", null);
  const { message } = await failure(answering(given), given.cert);
  expect(message).toContain("its certificate has expired. Whoever runs the service has to renew it");
});

test("a server without TLS is told as that", async () => {
  const { message } = await failure(createPlainServer((_, response) => void response.end("{}")));
  expect(message).toContain("what answers there does not speak TLS: check port and scheme of the address");
});

test("a trusted one is answered", async () => {
  const given = certificate("localhost", 2);
  await expect(failure(answering(given), given.cert)).rejects.toThrow("it was answered");
});

test("a target of notifications with such a certificate is told in the same words", async () => {
  const port = await listening(answering(certificate("localhost", 2)));
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  await expect(
    exchange(agent, `https://localhost:${port}/`, { method: "POST", body: "{}" }, 60_000, never()),
  ).rejects.toThrow("NODE_EXTRA_CA_CERTS=FILE");
});
