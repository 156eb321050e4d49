import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import { FleetkeeperError } from "../../service/contract/errors.ts";

/** Files in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Who signs the certificates of those who may call. */
  readonly clientCa: string;
}

interface Pems {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/** Whoever calls has to show a certificate that the authority has signed. */
class MutualTls extends ServerCredentials {
  constructor(pems: Pems) {
    super({ requestCert: true, rejectUnauthorized: true }, { ...pems });
  }

  /** For all connections that begin from now on. */
  renew(pems: Pems): void {
    this.updateSecureContextOptions({ ...pems });
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

/**
 * Takes the files, and takes them again when they change: their content is compared, as mounted files change by a link, and that
 * is no event of theirs. Files that do not go together change nothing: what was taken before stays in force. Throws CONFIG if they
 * do not at first.
 *
 * @param tell says to people what was taken, and what is wrong for longer than one look: files may change one after the other.
 */
export async function mutualTls(
  files: TlsFiles,
  tell: (text: string) => void,
  lookMs: number,
): Promise<{ readonly credentials: ServerCredentials; close(): void }> {
  let inForce = await taken(files);
  const credentials = new MutualTls(inForce);
  let wrong: { readonly why: string; readonly looks: number } | undefined;
  const look = async (): Promise<void> => {
    try {
      const found = await taken(files);
      wrong = undefined;
      if (isSame(found, inForce)) return;
      credentials.renew(found);
      inForce = found;
      tell(`${named(files)}: they have changed, and who calls from now on is met by the new ones.`);
    } catch (error) {
      const why = (error as Error).message;
      wrong = { why, looks: wrong?.why === why ? wrong.looks + 1 : 1 };
      if (wrong.looks === 2) tell(`${why} What was read before stays in force.`);
    }
  };
  const timer = setInterval(() => void look(), lookMs);
  return { credentials, close: () => clearInterval(timer) };
}

async function taken(files: TlsFiles): Promise<Pems> {
  const pem = (flag: string, path: string): Promise<Buffer> =>
    readFile(path).catch((cause: Error) => {
      throw new FleetkeeperError("CONFIG", `${flag} ${path}: it cannot be read: ${cause.message}.`, {
        cause,
      });
    });
  const [cert, key, ca] = await Promise.all([
    pem("--cert", files.cert),
    pem("--key", files.key),
    pem("--client-ca", files.clientCa),
  ]);
  try {
    createSecureContext({ cert, key, ca });
    // An authority that is none is passed over by what stands above.
    new X509Certificate(ca);
    return { cert, key, ca };
  } catch (cause) {
    throw new FleetkeeperError(
      "CONFIG",
      `${named(files)}: they are no certificate, key and authority in PEM that go together: ${(cause as Error).message}.`,
      { cause },
    );
  }
}

function named({ cert, key, clientCa }: TlsFiles): string {
  return `--cert ${cert}, --key ${key}, --client-ca ${clientCa}`;
}

function isSame(one: Pems, other: Pems): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key) && one.ca.equals(other.ca);
}
