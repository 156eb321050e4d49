import { subscribe } from "node:diagnostics_channel";
import type { Http2Session, ServerHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const CANCEL = "pulumirpc.ResourceProvider/Cancel";
/** Time between two questions to the engine while it has no connection here. Each opens one. */
const ASK_MS = 1_000;

export interface EngineEvents {
  /** A first Ctrl-C. The engine tells the host of dynamic providers, which passes it to no provider. */
  readonly onCancel: () => void;
  /** The engine has died: nobody reads what is printed, and nobody waits for an answer. Called once. */
  readonly onGone: () => void;
}

/**
 * Watches the engine that this process serves. The host tells its providers nothing of it, but this process
 * has the HTTP/2 server at which the engine's requests and connections arrive.
 *
 * The parent process is no sign: it is a shell, which outlives the engine. Nor is a closed connection: an
 * engine without a call for half an hour closes it and comes back. So when none is open, its address is
 * tried: if nobody listens, it is gone.
 */
export function watchEngine(address: string | undefined, { onCancel, onGone }: EngineEvents): void {
  const connections = new Set<Http2Session>();
  let asking = false;
  const askWhileAlone = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    while (connections.size === 0) {
      if (await isRefused(address)) return onGone();
      await sleep(ASK_MS, undefined, { ref: false });
    }
    asking = false;
  };
  subscribe("http2.server.stream.start", (message) => {
    const { stream, headers } = message as {
      readonly stream: ServerHttp2Stream;
      readonly headers?: Readonly<Record<string, unknown>>;
    };
    const { session } = stream;
    if (session && !connections.has(session)) {
      connections.add(session);
      session.once("close", () => {
        connections.delete(session);
        void askWhileAlone();
      });
    }
    if (String(headers?.[":path"]).endsWith(CANCEL)) onCancel();
  });
  // The engine's first connection came before this subscription, so it is not counted.
  void askWhileAlone();
}

/** True if nobody listens at this address. If that cannot be found out: false. */
function isRefused(address: string | undefined): Promise<boolean> {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(address ?? "") ?? [];
  if (host === undefined || Number(port) > 65_535) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    const answer = (refused: boolean): void => {
      socket.destroy();
      resolve(refused);
    };
    socket.once("connect", () => answer(false));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => answer(code === "ECONNREFUSED"));
  });
}
