import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { HttpRequest } from "../../service/contract/transport.ts";
import { TransportError } from "../../service/contract/transport.ts";
import { createUndiciTransport, type UndiciTransportOptions } from "../../service/http/undici-transport.ts";
import { never, serve } from "./support.ts";

/** A server below HTTP: it does to the socket what it is told, and counts connections. */
async function tcp(onConnection: (socket: import("node:net").Socket) => void): Promise<number> {
  const sockets = new Set<import("node:net").Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as import("node:net").AddressInfo).port;
}

async function failure(
  url: string,
  options: UndiciTransportOptions = {},
  signal = never(),
  method: HttpRequest["method"] = "POST",
): Promise<TransportError> {
  const { transport, close } = createUndiciTransport(options);
  onTestFinished(close);
  const error = await transport({ method, url, headers: {}, body: "{}" }, signal).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TransportError);
  return error as TransportError;
}

test("NOT_SENT: the connection is refused", async () => {
  const error = await failure("http://127.0.0.1:1/api");
  expect(error.code).toBe("NOT_SENT");
  expect(error.message).toMatch(/POST http:\/\/127\.0\.0\.1:1\/api: .*ECONNREFUSED/);
});

test("NOT_SENT: the name is not found", async () => {
  expect((await failure("https://no-such-host.invalid/")).code).toBe("NOT_SENT");
});

test("NOT_SENT: the TLS handshake fails before the request", async () => {
  let bytes = "";
  const port = await tcp((socket) => {
    socket.on("data", (data) => {
      bytes += data.toString("latin1");
      socket.end("HTTP/1.1 400 this is no TLS\r\n\r\n");
    });
  });
  expect((await failure(`https://127.0.0.1:${port}/api`)).code).toBe("NOT_SENT");
  expect(bytes).not.toContain("POST");
});

test("NOT_SENT: the other side resets during the TLS handshake", async () => {
  const port = await tcp((socket) => socket.on("data", () => socket.resetAndDestroy()));
  expect((await failure(`https://127.0.0.1:${port}/`)).code).toBe("NOT_SENT");
});

test("NOT_SENT: the connection is not made in time", async () => {
  const port = await tcp(() => {});
  const error = await failure(`https://127.0.0.1:${port}/`, { connectTimeout: 50 });
  expect(error.code).toBe("NOT_SENT");
  expect(error.message).toMatch(/timeout: 50ms.*UND_ERR_CONNECT_TIMEOUT/);
});

test("NOT_SENT: aborted before the call", async () => {
  const { url, requests } = await serve((_request, response) => response.end("{}"));
  expect((await failure(url, {}, AbortSignal.abort())).code).toBe("NOT_SENT");
  expect(requests).toHaveLength(0);
});

test("NOT_SENT: aborted while the connection is being made, and the connection is given up on close", async () => {
  const controller = new AbortController();
  const port = await tcp((socket) => socket.on("data", () => controller.abort()));
  // The handshake is never answered, so that the request is still waiting for its connection.
  // There is no connect timeout that would end it, only close can.
  const options = { connectTimeout: 0 };
  expect((await failure(`https://127.0.0.1:${port}/`, options, controller.signal)).code).toBe("NOT_SENT");
});

test("a request given up while it waited for its connection is not sent once there is one", async () => {
  const { url, requests } = await serve((_request, response) => response.end("{}"));
  const { transport, close } = createUndiciTransport();
  onTestFinished(close);
  const controller = new AbortController();
  const answer = transport({ method: "POST", url, headers: {}, body: "{}" }, controller.signal);
  controller.abort();
  await expect(answer).rejects.toMatchObject({ code: "NOT_SENT" });
  // The connection of the request above is made before this one is answered.
  await transport({ method: "POST", url, headers: {}, body: "{}" }, never());
  await transport({ method: "GET", url, headers: {} }, never());
  expect(requests).toHaveLength(2);
});

test("NO_ANSWER: the connection is reset after the request", async () => {
  const { url, requests } = await serve((request) => request.socket.resetAndDestroy());
  expect(await failure(url, {}, never(), "GET")).toMatchObject({ code: "NO_ANSWER", reused: false });
  expect((await failure(url)).code).toBe("NO_ANSWER");
  expect(requests).toHaveLength(2);
});

test("NO_ANSWER: the connection ends after the request without an answer", async () => {
  const { url, requests } = await serve((request) => request.socket.end());
  expect((await failure(url)).code).toBe("NO_ANSWER");
  expect(requests).toHaveLength(1);
});

test("NO_ANSWER: what comes back is not HTTP", async () => {
  const port = await tcp((socket) => socket.on("data", () => socket.end("hello\r\n\r\n")));
  expect((await failure(`http://127.0.0.1:${port}/`)).code).toBe("NO_ANSWER");
});

test("NO_ANSWER: the answer is cut off in its body", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(201, { "content-length": "100" });
    response.write('{"id":', () => response.socket?.destroy());
  });
  expect((await failure(url)).code).toBe("NO_ANSWER");
});

test("NO_ANSWER: no headers in time", async () => {
  const { url, requests } = await serve(() => {});
  expect((await failure(url, { headersTimeout: 50 }, never(), "GET")).code).toBe("NO_ANSWER");
  // It has left. The server may not have had its turn to read it.
  await expect.poll(() => requests.length).toBe(1);
});

test("NO_ANSWER: the body stalls", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200);
    response.write("{");
  });
  expect((await failure(url, { bodyTimeout: 50 })).code).toBe("NO_ANSWER");
});

test("NO_ANSWER: an answer that drips for ever ends at the whole timeout", async () => {
  const { url } = await serve((_request, response) => {
    const drip = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(drip));
  });
  const error = await failure(url, { wholeTimeout: 2_000 });
  expect(error.code).toBe("NO_ANSWER");
  expect(error.message).toContain("no whole answer within 2000 ms");
});

test("NO_ANSWER: aborted after the request had left", async () => {
  const controller = new AbortController();
  const { url, requests } = await serve(() => controller.abort());
  expect((await failure(url, {}, controller.signal)).code).toBe("NO_ANSWER");
  expect(requests).toHaveLength(1);
});

test("NO_ANSWER: the answer is larger than the limit", async () => {
  const { url } = await serve((_request, response) => response.end("x".repeat(2000)));
  const error = await failure(url, { maxAnswerBytes: 1999 });
  expect(error.code).toBe("NO_ANSWER");
  expect(error.message).toContain("larger than 1999 bytes");
});

test("an answer of exactly the limit is read", async () => {
  const { url } = await serve((_request, response) => response.end("x".repeat(2000)));
  const { transport, close } = createUndiciTransport({ maxAnswerBytes: 2000 });
  onTestFinished(close);
  expect((await transport({ method: "GET", url, headers: {} }, never())).body).toHaveLength(2000);
});
