import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startWaitingServer } from "../../agent/tell/http/reach/listening.ts";
import { scene } from "./scene.ts";

it("300 connections that ask nothing keep no probe from its answer", async () => {
  const server = await startWaitingServer({ host: "127.0.0.1", port: 0 }, undefined);
  onTestFinished(() => server.close());
  await open(300, server.url, "");
  expect(await probes(server.url)).toEqual([200, 200, 200]);
});

it("300 sign-ins whose form never comes keep no probe from its answer", async () => {
  const { server, close } = await scene({ token: "the-agents-own-token" });
  onTestFinished(close);
  const head = [
    "POST /sign-in HTTP/1.1",
    "Host: localhost",
    "Sec-Fetch-Site: same-origin",
    "Content-Type: application/x-www-form-urlencoded",
  ];
  for (const length of ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    await open(150, server.url, `${[...head, length].join("\r\n")}\r\n\r\n`);
  expect(await probes(server.url)).toEqual([200, 200, 200]);
});

it("a connection that asks on without an answer is closed, and another one goes on", async () => {
  const server = await startWaitingServer({ host: "127.0.0.1", port: 0 }, undefined);
  onTestFinished(() => server.close());
  const answers = async (send: (socket: Socket, answered: () => Promise<void>) => Promise<void>) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    let text = "";
    socket.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    await send(socket, async () => void (await once(socket, "data")));
    await once(socket, "close");
    return text.split("HTTP/1.1 200").length - 1;
  };
  const ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  expect(await answers(async (socket) => void socket.end(`${ask}\r\n`.repeat(1000)))).toBeLessThanOrEqual(8);
  const inTurn = await answers(async (socket, answered) => {
    for (let each = 1; each < 20; each++) {
      socket.write(`${ask}\r\n`);
      await answered();
    }
    socket.end(`${ask}Connection: close\r\n\r\n`);
  });
  expect(inTurn).toBe(20);
});

/** So many connections that send this, and nothing more. */
async function open(count: number, url: string, text: string): Promise<void> {
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let index = 0; index < count; index++) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
    await once(socket, "connect");
    if (text !== "") socket.write(text);
  }
}

async function probes(url: string): Promise<readonly number[]> {
  const answers = await Promise.all([1, 2, 3].map(() => fetch(`${url}healthz`)));
  return answers.map(({ status }) => status);
}
