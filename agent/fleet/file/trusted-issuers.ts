import { z } from "zod";
import { RIGHTS } from "../../../ledger/rows.ts";
import { isLoopback } from "../../../service/http/loopback.ts";

/*
 * Whose tokens the agent's API takes beside its own: those that an OpenID Connect issuer signs for a job of a CI, so that no
 * secret is stored there.
 */

const ISSUER = "expected the issuer's address, such as https://token.actions.githubusercontent.com";
const CLAIMS =
  "expected at least one claim with its value, such as repository: acme/train. Without one whoever has a token of that issuer could order";

/** A fleet's name, or a stack's PROJECT/STACK/NAME, in which a * stands for anything. */
export const FLEETS = /^[A-Za-z0-9._*/-]{1,200}$/;

const claim = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => /[^*]/.test(text), "expected a value: a * alone is anybody's");

const trustSchema = z.strictObject({
  issuer: z
    .string()
    .refine(isIssuer, ISSUER)
    .describe("as iss of its tokens has it; https, but http on this machine's own loopback"),
  audience: z.string().min(1).max(200).describe("what aud of a token has to be: the agent, and nobody else"),
  claims: z
    .record(z.string().min(1).max(100), claim)
    .refine((claims) => Object.keys(claims).length > 0, CLAIMS)
    .describe("what the token has to say, each of it; a * in a value stands for anything"),
  may: z.enum(RIGHTS).describe("what it may do, and all before that"),
  fleets: z
    .array(z.string().regex(FLEETS, "expected a fleet's name, in which * stands for anything"))
    .nonempty()
    .optional()
    .describe("it orders only about these; without: about all, and the account"),
});
export type TrustedIssuer = z.output<typeof trustSchema>;

/** The key `api` of a fleet file. */
export const apiSchema = z
  .strictObject({
    oidc: z
      .array(trustSchema)
      .max(50)
      .default([])
      .describe("issuers whose tokens may order, the first that fits"),
  })
  .prefault({});

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username + password + search + hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
