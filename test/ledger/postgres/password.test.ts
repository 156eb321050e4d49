import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openPostgresLedger } from "../../../ledger/postgres/postgres-ledger.ts";

/** A server that asks for a password by SCRAM, and waits for ever. */
async function asking(): Promise<{ readonly port: number; readonly sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(asks("SCRAM-SHA-256\0\0", 10)));
    // The client's first proof. It has no password for the next one.
    socket.on("data", (sent) => {
      const nonce = /r=([^,\0]+)/.exec(sent.toString("latin1"))?.[1];
      if (nonce !== undefined) socket.write(asks(`r=${nonce}x,s=c2FsdA==,i=4096`, 11));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** AuthenticationSASL (10), AuthenticationSASLContinue (11). */
function asks(text: string, kind: number): Buffer {
  const body = Buffer.from(text, "latin1");
  const head = Buffer.alloc(9);
  head.write("R");
  head.writeInt32BE(body.length + 8, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, body]);
}

test("a server that asks for a password, where there is none, is left at once, and keeps no process", async () => {
  const { port, sockets } = await asking();
  const url = `postgres://me@127.0.0.1:${port}/fleets`;
  const opened = openPostgresLedger({ url, newId: () => "ledger0000000000", now: 1 });
  await expect(opened).rejects.toMatchObject({
    code: "LEDGER",
    message: expect.stringMatching(/the server asks for a password, and none was given/),
  });
  const [socket] = sockets;
  if (socket && !socket.readableEnded && !socket.destroyed) await once(socket, "close");
  expect(sockets).toHaveLength(1);
});
