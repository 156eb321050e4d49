import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startWaitingServer } from "../../agent/tell/http/reach/listening.ts";

it("300 connections that ask nothing keep no probe from its answer", async () => {
  const server = await startWaitingServer({ host: "127.0.0.1", port: 0 }, undefined);
  const { port } = new URL(server.url);
  const sockets = [];
  for (let index = 0; index < 300; index++) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
    await once(socket, "connect");
  }
  try {
    const answers = await Promise.all([1, 2, 3].map(() => fetch(`${server.url}healthz`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});
