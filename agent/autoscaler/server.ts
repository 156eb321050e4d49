import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { isLoopback } from "../../service/http/loopback.ts";
import type { HttpAddress } from "../tell/http/reach/address.ts";
import type { Calls } from "./calls.ts";
import { refusalOf } from "./refusal.ts";
import { type Asked, DEFINITION } from "./wire.ts";

/** Files in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Who signs the certificates of those who may call. */
  readonly clientCa: string;
}

/** Serves the calls until it is closed. Throws CONFIG where the address cannot be had. */
export async function serveCalls(
  calls: Calls,
  { host, port }: HttpAddress,
  tls: TlsFiles | undefined,
): Promise<{ readonly port: number; close(): void }> {
  if (!tls && !isLoopback(host))
    throw new FleetkeeperError(
      "CONFIG",
      `--listen ${host}:${port}: others than this machine reach that address, and whoever calls it can rent. Give --cert, --key and --client-ca; --insecure is for the loopback alone.`,
    );
  const credentials = tls ? await mutualTls(tls) : ServerCredentials.createInsecure();
  const server = new Server();
  server.addService(
    DEFINITION,
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, answering(call)]),
    ) as UntypedServiceImplementation,
  );
  const at = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(at, credentials, (error, got) => (error ? reject(error) : resolve(got)));
  }).catch((cause: Error) => {
    throw new FleetkeeperError("CONFIG", `--listen ${at}: it cannot be listened on: ${cause.message}`, {
      cause,
    });
  });
  return { port: bound, close: () => server.forceShutdown() };
}

/** Who calls has to show a certificate that `clientCa` has signed. */
async function mutualTls({ cert, key, clientCa }: TlsFiles): Promise<ServerCredentials> {
  const pem = (flag: string, path: string): Promise<Buffer> =>
    readFile(path).catch((cause: Error) => {
      throw new FleetkeeperError("CONFIG", `${flag} ${path}: it cannot be read: ${cause.message}`, { cause });
    });
  const [chain, secret, ca] = await Promise.all([
    pem("--cert", cert),
    pem("--key", key),
    pem("--client-ca", clientCa),
  ]);
  try {
    createSecureContext({ cert: chain, key: secret, ca });
    return ServerCredentials.createSsl(ca, [{ private_key: secret, cert_chain: chain }], true);
  } catch (cause) {
    throw new FleetkeeperError(
      "CONFIG",
      `--cert ${cert}, --key ${key}, --client-ca ${clientCa}: they are no certificate, key and authority in PEM that go together: ${(cause as Error).message}`,
      { cause },
    );
  }
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
