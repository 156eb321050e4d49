import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { isLoopback } from "../../service/http/loopback.ts";
import type { HttpAddress } from "../tell/http/reach/address.ts";
import type { Calls } from "./calls.ts";
import { mutualTls, type TlsFiles } from "./mutual-tls.ts";
import { refusalOf } from "./refusal.ts";
import { type Asked, DEFINITION } from "./wire.ts";

/** How often the files of TLS are looked at. */
const LOOK_MS = 10_000;
/** Whoever stays connected shows a certificate anew so often: it may be over, or its authority another one. */
const SHOWN_EVERY_MS = 3_600_000;

/**
 * Serves the calls until it is closed. Throws CONFIG where the address cannot be had.
 *
 * @param tell says to people what became of the files of TLS.
 */
export async function serveCalls(
  calls: Calls,
  { host, port }: HttpAddress,
  tls: TlsFiles | undefined,
  tell: (text: string) => void,
  lookMs: number = LOOK_MS,
): Promise<{ readonly port: number; close(): void }> {
  if (!tls && !isLoopback(host))
    throw new FleetkeeperError(
      "CONFIG",
      `--listen ${host}:${port}: others than this machine reach that address, and whoever calls it can rent. Give --cert, --key and --client-ca; --insecure is for the loopback alone.`,
    );
  const secured = tls && (await mutualTls(tls, tell, lookMs));
  const server = new Server({ "grpc.max_connection_age_ms": SHOWN_EVERY_MS });
  server.addService(
    DEFINITION,
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, answering(call)]),
    ) as UntypedServiceImplementation,
  );
  const at = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(at, secured?.credentials ?? ServerCredentials.createInsecure(), (error, got) =>
      error ? reject(error) : resolve(got),
    );
  }).catch((cause: Error) => {
    secured?.close();
    throw new FleetkeeperError("CONFIG", `--listen ${at}: it cannot be listened on: ${cause.message}`, {
      cause,
    });
  });
  const close = (): void => {
    secured?.close();
    server.forceShutdown();
  };
  return { port: bound, close };
}

type Answer = (error: object | null, answer?: object) => void;

function answering(call: Calls[keyof Calls]) {
  return ({ request }: { readonly request: Asked }, answer: Answer): void => {
    Promise.resolve()
      .then(() => call(request))
      .then(
        (said) => answer(null, said),
        (error: unknown) => answer(refusalOf(error)),
      );
  };
}
