import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Ports of this machine that nobody listens on now. None is one that a system gives to whoever asks for any (from 32768 on,
 * mostly): between this look and the moment at which a page's program listens, another test or a connection may be given it.
 */
const FROM = 10_240;
const UNTIL = 32_768;

export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FROM + Math.floor(Math.random() * (UNTIL - FROM));
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    await once(server.close(), "close");
    return true;
  } catch {
    return false;
  }
}
