import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TransportError } from "../../service/contract/transport.ts";
import { createUndiciTransport } from "../../service/http/undici-transport.ts";
import { folder } from "../ledger/folder.ts";
import { never, serve } from "./support.ts";

/** Found by no name server: whoever reaches it went through the proxy. */
const NAME = "gpus.invalid";

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A forward proxy, which finds every name here. `refuses`: how it answers a CONNECT; null: it hangs up; 0: never. */
async function proxy(refuses: { with: number | null | undefined } = { with: undefined }) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url} by ${incoming.socket.remotePort}`);
    const { pathname, port } = new URL(incoming.url ?? "");
    const { method, headers } = incoming;
    const onward = forward({ host: "127.0.0.1", port, path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  server.on("connect", ({ url = "", headers }, client: Socket) => {
    seen.push(`CONNECT ${url} ${headers["proxy-authorization"] ?? ""}`.trim());
    sockets.add(client);
    client.on("error", () => undefined);
    if (refuses.with === null) return client.destroy();
    if (refuses.with === 0) return undefined;
    if (refuses.with) return client.end(`HTTP/1.1 ${refuses.with} No\r\n\r\n`);
    const onward = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(client).pipe(onward);
    });
    return onward.on("error", () => client.destroy());
  });
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  return { seen, url: `http://127.0.0.1:${await listening(server)}` };
}

let made: { readonly key: string; readonly cert: string } | undefined;

function certificate() {
  if (made) return made;
  const at = folder();
  const subject = ["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`];
  const files = ["-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"];
  execFileSync("openssl", ["req", "-x509", ...files, "-days", "2", ...subject], { cwd: at, stdio: "ignore" });
  made = { key: readFileSync(join(at, "key.pem"), "utf8"), cert: readFileSync(join(at, "cert.pem"), "utf8") };
  return made;
}

/** An HTTPS service, and what reached it. */
async function service() {
  const requests: string[] = [];
  const server = createTlsServer(certificate(), (request, response) => {
    requests.push(`${request.method} by ${request.socket.remotePort}`);
    response.end("{}");
  });
  return { requests, url: `https://${NAME}:${await listening(server)}/api/v1/deployments` };
}

function sending(environment: Readonly<Record<string, string>>, wholeTimeout = 10_000) {
  const made = createUndiciTransport({
    environment,
    ca: certificate().cert,
    wholeTimeout,
    connectTimeout: 1_000,
  });
  const { transport, close } = made;
  onTestFinished(close);
  return (method: "GET" | "POST", url: string, mayLeave?: () => boolean) =>
    transport(
      { method, url, headers: {}, ...(method === "POST" && { body: "{}" }), ...(mayLeave && { mayLeave }) },
      never(),
    );
}

test("HTTPS_PROXY is asked for a tunnel: GETs share it, each POST has its own, and a POST that is too late does not leave", async () => {
  const { seen, url } = await proxy();
  const { requests, url: target } = await service();
  const send = sending({ HTTPS_PROXY: url.replace("//", "//me:sesame@") });
  await send("GET", target);
  await send("POST", target);
  await send("POST", target, () => true);
  const asked: number[] = [];
  const late = send("POST", target, () => asked.push(seen.length) > 1);
  await expect(late).rejects.toMatchObject({
    code: "NOT_SENT",
    message: expect.stringContaining("too late"),
  });
  // Asked once its tunnel stood.
  expect(asked).toEqual([4]);
  expect(requests.map((each) => each.split(" ")[0])).toEqual(["GET", "POST", "POST"]);
  expect(new Set(requests).size).toBe(3);
  expect(seen).toHaveLength(4);
  expect(seen[0]).toBe(
    `CONNECT ${new URL(target).host} Basic ${Buffer.from("me:sesame").toString("base64")}`,
  );
});

test.each([
  ["is refused", 403],
  ["wants a password", 407],
  ["is hung up on", null],
  ["is not answered", 0],
])("a CONNECT that %s sent nothing, and the error shows no password", async (_how, answer) => {
  const refuses: { with: number | null | undefined } = { with: answer };
  const { seen, url } = await proxy(refuses);
  const { requests, url: target } = await service();
  const send = sending({ https_proxy: url.replace("//", "//me:sesame@") }, 1_500);
  const error: TransportError = await send("POST", target).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "NOT_SENT" });
  expect(error.message).not.toContain("sesame");
  // What was given up is not sent when the proxy works again.
  refuses.with = undefined;
  await send("GET", target);
  expect(requests.map((each) => each.split(" ")[0])).toEqual(["GET"]);
  expect(seen.length).toBeGreaterThanOrEqual(2);
});

test("a proxy that is not there sent nothing", async () => {
  const { url: target } = await service();
  const send = sending({ HTTPS_PROXY: "127.0.0.1:1" });
  await expect(send("POST", target)).rejects.toMatchObject({ code: "NOT_SENT" });
});

test("HTTP_PROXY is handed requests of plain HTTP, each POST on a connection of its own; one that was begun may have left", async () => {
  const { seen, url } = await proxy();
  const { url: here, requests } = await serve((request, response) => {
    if (request.url === "/cut") request.socket.destroy();
    else response.end("{}");
  });
  const target = here.replace("127.0.0.1", NAME);
  const send = sending({ HTTP_PROXY: url });
  for (const method of ["GET", "POST", "POST"] as const) await send(method, target);
  const late = send("POST", target, () => false);
  await expect(late).rejects.toMatchObject({
    code: "NOT_SENT",
    message: expect.stringContaining("too late"),
  });
  await expect(send("POST", `${target}/cut`)).rejects.toMatchObject({ code: "NO_ANSWER" });
  expect(requests.map(({ method }) => method)).toEqual(["GET", "POST", "POST", "POST"]);
  expect(new Set(seen.map((each) => each.split(" by ")[1])).size).toBe(4);
});

test.each([
  ["NO_PROXY names it", { NO_PROXY: `example.com,${NAME}` }, NAME],
  ["NODE_USE_ENV_PROXY is 0", { NODE_USE_ENV_PROXY: "0" }, NAME],
  ["it is on this computer", {}, "localhost"],
])("a service is reached without the proxy where %s", async (_why, environment, name) => {
  const { seen, url } = await proxy();
  const { url: target } = await service();
  const send = sending({ HTTPS_PROXY: url, HTTP_PROXY: url, ...environment });
  await expect(send("GET", target.replace(NAME, name))).rejects.toMatchObject({ code: "NOT_SENT" });
  expect(seen).toEqual([]);
});

test.each(["socks5://me:sesame@10.0.0.1:1080", "http://", "ftp://proxy"])(
  "a proxy that is none of HTTP is refused, and not shown",
  (url) => {
    expect(() => sending({ HTTPS_PROXY: url })).toThrow(expect.objectContaining({ code: "CONFIG" }));
    expect(() => sending({ HTTPS_PROXY: url })).toThrow(
      /^HTTPS_PROXY is no URL of an HTTP proxy(?!.*sesame)/,
    );
  },
);
