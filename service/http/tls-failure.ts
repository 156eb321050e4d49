/** What was wrong with a certificate, and what a person does about it, by Node's codes. */
const UNTRUSTED =
  "its certificate is signed by nobody that this machine trusts. If the certificate is the right one, put its authority's " +
  "certificate (of a self-signed one: itself) into a file, set NODE_EXTRA_CA_CERTS=FILE, and start again";
const BY_CODE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED.replace("is signed by nobody", "is signed by itself, and by nobody"),
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED:
    "its certificate has expired. Whoever runs the service has to renew it; check this machine's clock, too",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: check this machine's clock",
};

/** A sentence on a TLS connection that failed, without a dot; undefined: the failure is another one. */
export function tlsFailureText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return undefined;
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  if (known !== undefined) return `${known} (${code})`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const { host, cert } = error as { host?: string; cert?: { subjectaltname?: string } };
    const names = cert?.subjectaltname === undefined ? "another name" : cert.subjectaltname.slice(0, 200);
    return `its certificate is for ${names}, and not for ${host}: use a name that it is for in the address, without turning checks off (${code})`;
  }
  if (
    code === "ERR_SSL_WRONG_VERSION_NUMBER" ||
    code === "ERR_SSL_PACKET_LENGTH_TOO_LONG" ||
    code === "ERR_SSL_HTTP_REQUEST"
  )
    return `what answers there does not speak TLS: check port and scheme of the address (${code})`;
  return undefined;
}
