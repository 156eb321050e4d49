import {
  type HttpRequest,
  type HttpResponse,
  TOO_LATE,
  type Transport,
  TransportError,
} from "../service/contract/transport.ts";
import type { SimulatorClock } from "./clock.ts";
import type { Handle } from "./handler.ts";

/**
 * The simulator without a network. `latencyMs` passes before the request arrives, and again before its answer
 * does. A request that is aborted on its way still arrives, as on a network; nobody gets its answer.
 */
export function createTransport(handle: Handle, clock: SimulatorClock, latencyMs = 0): Transport {
  return async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    if (signal.aborted) throw noAnswer("aborted before it was sent", signal.reason);
    if (request.mayLeave?.() === false) throw new TransportError("NOT_SENT", TOO_LATE);
    if (latencyMs > 0) await clock.sleep(latencyMs);
    const reply = handle(request);
    switch (reply.kind) {
      case "refuse":
        throw new TransportError("NOT_SENT", `${request.method} ${request.url}: connection refused`);
      case "drop":
        if (latencyMs > 0) await clock.sleep(latencyMs, signal).catch(() => undefined);
        throw noAnswer("the connection broke", signal.reason);
      case "answer":
        await clock.sleep(reply.delayMs + latencyMs, signal).catch((cause: unknown) => {
          throw noAnswer("aborted while waiting for the answer", cause);
        });
        if (signal.aborted) throw noAnswer("aborted while waiting for the answer", signal.reason);
        return reply.response;
    }
  };
}

function noAnswer(message: string, cause: unknown): TransportError {
  return new TransportError("NO_ANSWER", message, { cause });
}
