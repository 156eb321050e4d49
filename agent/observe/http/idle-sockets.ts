import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Idle connections: a browser keeps some, a proxy a few more. */
const MOST_IDLE = 64;

/**
 * Closes the longest idle connection if there are too many. Else hundreds of them would fill the server until
 * they time out. Probes would get no answer, and a healthy agent would be restarted.
 */
export function closeIdle(server: Server): void {
  const idle = new Set<Socket>();
  const rest = (socket: Socket): void => {
    if (socket.destroyed) return;
    idle.add(socket);
    const [oldest] = idle;
    if (idle.size <= MOST_IDLE || !oldest) return;
    // Its "close" event comes later.
    idle.delete(oldest);
    oldest.destroy();
  };
  server.on("connection", (socket: Socket) => {
    socket.once("close", () => idle.delete(socket));
    rest(socket);
  });
  server.on("request", ({ socket }, response) => {
    idle.delete(socket);
    response.once("close", () => rest(socket));
  });
}
