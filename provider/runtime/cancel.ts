import { subscribe } from "node:diagnostics_channel";

const CANCEL = "pulumirpc.ResourceProvider/Cancel";

/**
 * Calls back at a first Ctrl-C. The engine tells it to the host of dynamic providers, which answers and hands it on to
 * nobody; but the request can be seen where it arrives, at the HTTP/2 server of this very process.
 */
export function onCancel(callback: () => void): void {
  subscribe("http2.server.stream.start", (message) => {
    const { headers } = message as { readonly headers?: Readonly<Record<string, unknown>> };
    if (headers?.[":path"] === `/${CANCEL}`) callback();
  });
}
