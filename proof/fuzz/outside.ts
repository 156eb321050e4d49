import { askGpud } from "../../agent/ask/gpud.ts";
import { numberIn, valueIn, valueOfQuery } from "../../agent/ask/metric-value.ts";
import { OidcTokens } from "../../agent/orders/oidc.ts";
import { parseRetryAfter } from "../../service/http/retry-after.ts";
import { type Damage, damagedJson, damagedText, damages, type Tree } from "./damage.ts";
import { demand } from "./demand.ts";
import { target } from "./target.ts";

/** What metrics, monitors, targets of messages and issuers of tokens answer: a value, or that it is unknown, and never an exception. */
const VECTOR: Tree = {
  status: "success",
  data: { resultType: "vector", result: [{ metric: { job: "queue" }, value: [1893456000.1, "12"] }] },
};
const GPUD: Tree = [
  {
    component: "accelerator-nvidia-ecc",
    states: [{ health: "Healthy", reason: "ok", suggested_actions: { repair_actions: ["REBOOT_SYSTEM"] } }],
  },
];
const ISSUER = "https://issuer.example.com";
const CONFIGURATION: Tree = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
const KEYS: Tree = { keys: [{ kty: "RSA", kid: "one", use: "sig", alg: "RS256", n: "sXch", e: "AQAB" }] };
const HEADER: Tree = { alg: "RS256", kid: "one", typ: "JWT" };
const CLAIMS: Tree = { iss: ISSUER, sub: "repo:a/b", aud: "fleetkeeper", exp: 1_900_000_000 };

function demandNumber(said: ReturnType<typeof numberIn>): void {
  if (said.kind === "value")
    demand(/^\d{1,1100}(\.\d+)?$/.test(said.value), `a measured value is ${said.value}`);
  else demand(said.why.length < 400, `why it is unknown has ${said.why.length} characters`);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64url");

/** Nobody has signed it, so nobody is let in, whatever stands in token, keys and configuration. */
async function offerToken(damage: Damage): Promise<void> {
  const [header, claims, configuration, keys] = [HEADER, CLAIMS, CONFIGURATION, KEYS].map((tree, at) =>
    damage.of % 4 === at ? damagedJson(tree, damage) : JSON.stringify(tree),
  );
  const tokens = new OidcTokens({
    fetchText: async (url) => `${url.endsWith("/keys") ? keys : configuration}`,
    now: () => Date.UTC(2030, 0, 1),
  });
  tokens.trusted = [{ issuer: ISSUER, audience: "fleetkeeper", may: "operate", claims: { sub: "*" } }];
  const said = await tokens.actorOf(`${base64(header ?? "")}.${base64(claims ?? "")}.c2lnbmVk`);
  demand(said === undefined || "refused" in said, `somebody is let in: ${JSON.stringify(said)}`);
}

export const outsideTarget = target<Damage>({
  name: "outside",
  runs: 24_000,
  inputs: damages(),
  run: async (damage) => {
    const vector = damagedJson(VECTOR, damage);
    demandNumber(valueOfQuery(vector));
    demandNumber(valueIn(vector, "/data/result/0/value/1"));
    demandNumber(numberIn(damagedText("12.50", damage.text)));
    const said = await askGpud(Promise.resolve(damagedJson(GPUD, damage)));
    demand(["good", "bad", "unknown"].includes(said.kind), `gpud: ${said.kind}`);
    for (const wait of ["120", "Tue, 01 Jan 2030 00:02:00 GMT"]) {
      const seconds = parseRetryAfter(damagedText(wait, damage.text), undefined, Date.UTC(2030, 0, 1));
      demand(
        seconds === undefined || (Number.isFinite(seconds) && seconds >= 0),
        `Retry-After is ${seconds}`,
      );
    }
    await offerToken(damage);
  },
});
