import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections that ask nothing: a browser keeps some, a proxy a few more. */
const MOST_IDLE = 64;

/**
 * Closes the connection that has asked nothing for longest once there are too many of them. Whoever opens
 * hundreds and says nothing would else fill the server until they time out, and a probe that nobody answers
 * has a healthy agent restarted.
 */
export function closeIdle(server: Server): void {
  const idle = new Set<Socket>();
  const rest = (socket: Socket): void => {
    if (socket.destroyed) return;
    idle.add(socket);
    const [oldest] = idle;
    if (idle.size <= MOST_IDLE || !oldest) return;
    // Its own word of that comes later.
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
