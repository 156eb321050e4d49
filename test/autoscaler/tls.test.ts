import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
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

/** An authority, its folder, and what it has signed for this machine. */
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
    folder,
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
  const { port, close } = await serveCalls(
    CALLS,
    { host: "127.0.0.1", port: 0 },
    ours.files,
    () => undefined,
  );
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
    serveCalls(CALLS, { host, port: 0 }, files, () => undefined).then(
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

test("files that change are read anew, however they are mounted; what does not go together changes nothing", async () => {
  const [before, after] = [authority("before"), authority("after")];
  const mount = mkdtempSync(join(tmpdir(), "fleetkeeper-mount-"));
  onTestFinished(() => rmSync(mount, { recursive: true }));
  /** As a kubelet does: names lead to a link, and the link to another folder. */
  const lead = (to: string): void => {
    symlinkSync(to, join(mount, "..data_tmp"));
    renameSync(join(mount, "..data_tmp"), join(mount, "..data"));
  };
  lead(before.folder);
  for (const name of ["tls.crt", "tls.key", "ca.crt"]) symlinkSync(join("..data", name), join(mount, name));
  const at = (name: string): string => join(mount, name);
  const files = { cert: at("tls.crt"), key: at("tls.key"), clientCa: at("ca.crt") };
  const told: string[] = [];
  const { port, close } = await serveCalls(
    CALLS,
    { host: "127.0.0.1", port: 0 },
    files,
    (text) => told.push(text),
    20,
  );
  onTestFinished(() => close());
  const by = (of: typeof before) =>
    label(port, credentials.createSsl(of.read("ca.crt"), of.read("tls.key"), of.read("tls.crt")));
  expect([await by(before), await by(after)]).toEqual(["accelerator", "refused"]);

  // Another one's key, and then an authority that is none.
  for (const [name, said] of [
    ["tls.key", /go together: .*key values mismatch\. What was read before stays in force\.$/],
    ["ca.crt", /go together: .* What was read before stays in force\.$/],
  ] as const) {
    const half = mkdtempSync(join(tmpdir(), "fleetkeeper-half-"));
    onTestFinished(() => rmSync(half, { recursive: true }));
    for (const each of ["tls.crt", "tls.key", "ca.crt"])
      copyFileSync(join(before.folder, each), join(half, each));
    copyFileSync(join(after.folder, "tls.key"), join(half, name));
    lead(half);
    await expect.poll(() => told.pop()).toMatch(said);
    expect([await by(before), await by(after)]).toEqual(["accelerator", "refused"]);
  }

  lead(after.folder);
  await expect
    .poll(() => told)
    .toEqual([expect.stringMatching(/: they have changed, and who calls from now on/)]);
  expect([await by(before), await by(after)]).toEqual(["refused", "accelerator"]);
});
