import { expect, onTestFinished, test } from "vitest";
import { digestOf, TransportError } from "../../service/contract/transport.ts";
import { createUndiciTransport } from "../../service/http/undici-transport.ts";
import { never, serve } from "./support.ts";

function setUp() {
  const { transport, close } = createUndiciTransport();
  onTestFinished(close);
  return (method: "GET" | "POST" | "DELETE", url: string) =>
    transport({ method, url, headers: {}, ...(method === "POST" ? { body: "{}" } : {}) }, never());
}

test("GETs share kept-alive connections", async () => {
  const { url, requests } = await serve((_request, response) => response.end("{}"));
  const send = setUp();
  for (let count = 0; count < 6; count++) await send("GET", url);
  // undici opens a second one while it still tidies up the first.
  expect(new Set(requests.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
});

test("a POST never goes out over a kept-alive connection", async () => {
  const { url, requests } = await serve((_request, response) => response.end("{}"));
  const send = setUp();
  await send("GET", url);
  for (let count = 0; count < 4; count++) await send("POST", url);
  expect(new Set(requests.map(({ port }) => port)).size).toBe(5);
});

test("a POST whose connection dies is counted once by the server", async () => {
  const { url, requests } = await serve((request, response) => {
    if (request.method === "POST") request.socket.destroy();
    else response.end("{}");
  });
  const send = setUp();
  await send("GET", url);
  await expect(send("POST", url)).rejects.toMatchObject({ code: "NO_ANSWER" });
  // Another request on the same agents would carry out anything that was queued again.
  await send("GET", url);
  expect(requests.map(({ method }) => method)).toEqual(["GET", "POST", "GET"]);
});

test("a request on a kept-alive connection that the server closes just then is not sent again", async () => {
  const ports: (number | undefined)[] = [];
  const { url, requests } = await serve((request, response) => {
    if (ports.includes(request.socket.remotePort)) request.socket.destroy();
    else response.end("{}");
    ports.push(request.socket.remotePort);
  });
  const send = setUp();
  await send("GET", url);
  await new Promise((resolve) => setImmediate(resolve));
  const error = await send("GET", url).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ code: "NO_ANSWER", reused: true });
  expect(requests).toHaveLength(2);
});

test("a POST that may not leave any more when its connection stands is not sent", async () => {
  const { url, requests } = await serve((_request, response) => response.end("{}"));
  const { transport, close } = createUndiciTransport();
  onTestFinished(close);
  const asked: number[] = [];
  const post = (may: boolean): Promise<unknown> => {
    const mayLeave = (): boolean => asked.push(requests.length) > 0 && may;
    return transport({ method: "POST", url, headers: {}, body: "{}", mayLeave }, never());
  };
  await post(true);
  await expect(post(false)).rejects.toMatchObject({
    code: "NOT_SENT",
    message: expect.stringContaining("too late"),
  });
  await post(true);
  expect(asked).toEqual([0, 1, 1]);
  expect(requests).toHaveLength(2);
});

test("many POSTs at once are each sent once, none behind another", async () => {
  const answers: (() => void)[] = [];
  const { url, requests } = await serve((_request, response) => {
    answers.push(() => response.end("{}"));
    // No answer before all have arrived: pipelined or queued ones would never come.
    if (answers.length === 10) for (const answer of answers) answer();
  });
  const send = setUp();
  await Promise.all(Array.from({ length: 10 }, () => send("POST", url)));
  expect(requests).toHaveLength(10);
  expect(new Set(requests.map(({ port }) => port)).size).toBe(10);
});

test.each([301, 302, 303, 307, 308])(
  "a redirect with %i is an answer and is not followed",
  async (status) => {
    const { url, requests } = await serve((_request, response) => {
      response.writeHead(status, { location: "/elsewhere" }).end();
    });
    const send = setUp();
    const response = await send("POST", url);
    expect([response.status, response.headers.location]).toEqual([status, "/elsewhere"]);
    expect(requests).toHaveLength(1);
  },
);

test("header names come in lower case, repeated ones joined, and the body whole", async () => {
  const { url } = await serve((_request, response) => {
    response.setHeader("X-Twice", ["a", "b"]);
    response.writeEarlyHints({ link: "</x>; rel=preload" });
    response.writeHead(202, { "Retry-After": "3" });
    response.write("\ufeffgrüß ");
    response.end("dich");
  });
  const response = await setUp()("GET", url);
  expect(response).toMatchObject({
    status: 202,
    body: "grüß dich",
    headers: { "retry-after": "3", "x-twice": "a, b" },
    digest: digestOf(["\ufeffgrüß dich"]),
  });
});

test("answers that differ in one byte have other digests, however their pieces come", async () => {
  const bodies = [["ab", "c"], ["a", "bc"], ["abd"]];
  const { url } = await serve((_request, response) => {
    for (const piece of bodies.shift() ?? []) response.write(piece);
    response.end();
  });
  const send = setUp();
  const [first, second, third] = [await send("GET", url), await send("GET", url), await send("GET", url)];
  expect(second.digest).toBe(first.digest);
  expect(third.digest).not.toBe(first.digest);
});

test("after close nothing is sent", async () => {
  const { url, requests } = await serve((_request, response) => response.end("{}"));
  const { transport, close } = createUndiciTransport();
  await close();
  await expect(transport({ method: "POST", url, headers: {} }, never())).rejects.toMatchObject({
    code: "NOT_SENT",
  });
  expect(requests).toHaveLength(0);
});
