import type { Json } from "../../../service/contract/service.ts";
import { jsonOr } from "../../../service/text/json.ts";
import { isCredentialName } from "../shape/credential.ts";
import { leavesOf, NOTHING } from "../shape/leaves.ts";
import { isSensitive, seemsSecret } from "../shape/proposal.ts";
import { addressOf } from "./classify.ts";
import type { Asked, Evidence } from "./evidence.ts";
import { launchSecrets, offeredTexts } from "./launch-secrets.ts";

/** Headers that carry no credential. Every other header of a request may. */
const HARMLESS =
  /^(host|user-agent|accept.*|content-.*|origin|referer|connection|cache-control|pragma|sec-.*|dnt|te|priority|upgrade.*|if-.*|range|expect|transfer-encoding)$/i;

/** Shorter texts stand everywhere by chance. */
const SHORTEST = 6;

/** The headers of a request that may carry its credential. */
export function tellingHeaders({ request }: Asked): readonly (readonly [string, string])[] {
  return request.headers.filter(([name]) => !HARMLESS.test(name));
}

/** The parameters of a request's query that carry its credential: those that hold the key, or are called like one. */
export function credentialsInQuery(
  { request }: Asked,
  key: string | undefined,
): readonly (readonly [string, string])[] {
  const all = [...addressOf(request).query];
  const holding = all.filter(([, value]) => value === key);
  return holding.length > 0 ? holding : all.filter(([name]) => isCredentialName(name));
}

/** Every text in the evidence that may be a secret: none of them is repeated anywhere. */
export function secretsIn(evidence: Evidence, key: string | undefined): readonly string[] {
  const { shown, asked } = evidence;
  const launches = asked.filter(({ kind }) => kind === "launch");
  const offered = offeredTexts(evidence);
  const found = [
    ...(key === undefined ? [] : [key]),
    ...asked.flatMap((each) => [
      ...tellingHeaders(each).flatMap(([, value]) => partsOf(value)),
      ...inQuery(each),
    ]),
    ...asked.flatMap(({ request }) => secretValues(jsonOf(request.body))),
    ...launches.flatMap(({ request }) => launchSecrets(jsonOf(request.body), offered)),
    ...shown.flatMap(({ json, headers }) => [...secretValues(json), ...partsOf(headers["set-cookie"] ?? "")]),
  ];
  // The longer first: what is hidden within it is hidden, too.
  return [...new Set(found)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}

/** The value as a whole, and the words in it: `Bearer abc`, `pass=abc;v=1`. Variables are none. */
function partsOf(value: string): readonly string[] {
  return [value, ...value.split(/[\s;,=:"]+/)].filter((part) => !part.includes("$") && !/^<.*>$/.test(part));
}

function inQuery({ request }: Asked): readonly string[] {
  return [...addressOf(request).query]
    .filter(([name]) => isSensitive([name.toLowerCase()]))
    .map(([, value]) => value);
}

function secretValues(json: Json | undefined): readonly string[] {
  if (json === undefined) return [];
  return leavesOf([json], NOTHING).flatMap(({ names, around, values }) =>
    values
      .filter(
        (value) => seemsSecret(value) || isSensitive([...names, ...around].filter((word) => word !== "key")),
      )
      .filter((value) => typeof value === "string"),
  );
}

export function jsonOf(body: string | undefined): Json | undefined {
  return body === undefined ? undefined : jsonOr(body);
}
