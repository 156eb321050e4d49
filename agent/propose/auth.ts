import { objectAt, type SentCredential } from "./saved/api-document.ts";
import type { Evidence } from "./saved/evidence.ts";
import { credentialsInQuery, tellingHeaders } from "./saved/secrets.ts";
import { isCredentialName, wantedCredential } from "./shape/credential.ts";
import { yamlText } from "./shape/texts.ts";
import type { OpenPoint, Wire } from "./wire.ts";

interface Seen extends SentCredential {
  readonly from: string;
}

const HOW =
  "save a request that works, as the curl command itself or as curl -v prints it (--from FILE): it shows where the key goes. The key in it is copied nowhere";

/** Where the credential goes, from requests that carried one, or else from a document. Never by its usual name. */
export function proposeAuth(
  { asked, shown, documents }: Evidence,
  key: string | undefined,
): { readonly auth?: Wire["auth"]; readonly open: readonly OpenPoint[] } {
  // A request to another address may go to another service.
  const ours = asked.filter(({ path, kind }) => path !== undefined || kind === "stop");
  const carried = ours.flatMap((each) =>
    tellingHeaders(each).map(([header, value]) => ({
      header,
      template: templateOf(header, value, key),
      file: each.file,
    })),
  );
  const inHeaders = carried.flatMap(({ header, template, file }): readonly Seen[] =>
    template === undefined
      ? []
      : [{ in: "header", name: header, value: template, from: `a request in ${file}` }],
  );
  const inQueries = ours.flatMap((each) =>
    credentialsInQuery(each, key).map(
      ([name]): Seen => ({ in: "query", name, value: "{secret}", from: `a request in ${each.file}` }),
    ),
  );
  const seen = [...inHeaders, ...inQueries];
  const written = documents.flatMap(({ file, auth }) =>
    auth.flatMap(({ sent, what, name }): readonly Seen[] =>
      sent === undefined ? [] : [{ ...sent, from: `the security scheme "${name}" (${what}) of ${file}` }],
    ),
  );
  // A header stays out of access logs: a document's other way is taken where it has no header.
  const documented = written.some((each) => each.in === "header")
    ? written.filter((each) => each.in === "header")
    : written;
  const [first, ...others] = distinct(seen.length > 0 ? seen : documented);
  // Each of a document's schemes may carry it: a bearer needs no user name.
  const bearer = seen.length > 0 ? undefined : written.find(({ value }) => value.startsWith("Bearer "));
  if (bearer !== undefined) return { auth: entries(bearer), open: [] };
  if (first !== undefined && others.length === 0) return { auth: entries(first), open: [] };
  if (first !== undefined) {
    const names = [first, ...others].map((each) => `${each.name} (${each.from})`).join(", ");
    const isQuery = [first, ...others].some((each) => each.in === "query");
    return openFor(
      `several ${isQuery ? "places" : "headers"} may carry the credential: ${names}. Only one does: say it with --auth-header and --auth-value${isQuery ? ", or write auth.query in the profile" : ""}`,
    );
  }
  const token = documents.flatMap(({ auth }) => auth.flatMap(({ tokenUrl }) => tokenUrl ?? []))[0];
  if (token !== undefined)
    return {
      auth: {
        header: { lines: ["header: Authorization"], isOpen: true },
        value: { lines: ['value: "Bearer {token}"'], isOpen: true },
        token: { lines: tokenLines(token), isOpen: true },
      },
      ...openFor(
        `the document has OAuth2 client credentials, with tokens from ${token}: look at each line of auth, take the # away, and give the client's id as client under settings`,
        "auth.token",
      ),
    };
  const unclear = carried.find(({ header }) => !/^cookie$/i.test(header));
  if (unclear !== undefined)
    return openFor(
      `the request in ${unclear.file} has a header ${unclear.header}, of which only a part may be the key: set FLEETKEEPER_API_KEY to the key and run this again, so that its place is found; or say --auth-header and --auth-value`,
    );
  const sent = documents.flatMap(({ operations }) => operations.filter(({ kind }) => kind !== undefined));
  const inBody = new Set(
    sent.flatMap(({ body }) => Object.keys(objectAt(body?.properties)).filter(isCredentialName)),
  );
  if (inBody.size > 0)
    return openFor(
      `the document wants ${[...inBody].join(" and ")} in the bodies of its calls, and a profile sends the credential in a header or the query: ask the service for one of these, or let a proxy before it put the key there`,
    );
  const wants = shown.map(({ headers }) => wantedCredential(headers)).find((each) => each !== undefined);
  const hint = wants === undefined ? "" : `; an answer asks for ${wants.scheme ?? "a credential"}`;
  const browser = carried.length > 0 ? "; a dashboard's cookie is no credential of the API" : "";
  return openFor(`${HOW}${hint}${browser}`);
}

function openFor(how: string, part = "auth"): { readonly open: readonly OpenPoint[] } {
  return { open: [{ part, how }] };
}

/** As RFC 6749 (4.4 and 5.1) names the fields. */
function tokenLines(url: string): readonly string[] {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const body = 'grant_type: client_credentials, client_id: "{settings.client}", client_secret: "{secret}"';
  return [
    "token:",
    `  path: ${yamlText(path)}  # ${url}; it must be below the base URL`,
    "  as: form",
    `  body: { ${body} }`,
    "  value: /access_token",
    "  expires: /expires_in",
  ];
}

/** The header's value with {secret} in the place of the key. Undefined if nobody can know that place. */
function templateOf(header: string, value: string, key: string | undefined): string | undefined {
  if (/^cookie$/i.test(header)) return undefined;
  if (key !== undefined && value.includes(key)) return value.replace(key, "{secret}");
  // A variable of the shell, or what a manual writes for a key.
  const gaps = value.match(/\$\{\w+\}|\$\w+|<[^<>]+>|\b(YOUR|MY)[_-]?\w*(KEY|TOKEN|SECRET)\w*\b/gi) ?? [];
  if (gaps.length === 1 && gaps[0] !== undefined) return value.replace(gaps[0], "{secret}");
  if (/^(proxy-)?authorization$/i.test(header)) {
    // A scheme and one credential (RFC 9110, 11.4).
    const scheme = /^([A-Za-z][\w-]*) +[^\s=,;]+=*$/.exec(value)?.[1];
    return scheme === undefined
      ? /^[^\s=,;:]+=*$/.test(value)
        ? "{secret}"
        : undefined
      : `${scheme} {secret}`;
  }
  const speaksOfKeys = /key|token|auth|secret|pass|credential/i.test(header);
  return speaksOfKeys && /^[^\s=,;:]+=*$/.test(value) ? "{secret}" : undefined;
}

function distinct(all: readonly Seen[]): readonly Seen[] {
  const key = (of: Seen): string =>
    `${of.in} ${of.in === "header" ? of.name.toLowerCase() : of.name}: ${of.value}`;
  return all.filter((each, index) => all.findIndex((other) => key(other) === key(each)) === index);
}

function entries({ in: carrier, name, value, from }: Seen): Wire["auth"] {
  const basic = /^basic /i.test(value) ? '; the key is then the base64 text of "user:password"' : "";
  return {
    [carrier]: { lines: [`${carrier}: ${yamlText(name)}  # ${from}`] },
    value: { lines: [`value: ${yamlText(value)}  # ${from}${basic}`] },
  };
}
