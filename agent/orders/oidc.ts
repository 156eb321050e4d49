import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import type { TrustedIssuer } from "../fleet/file/trusted-issuers.ts";
import { type Actor, fits } from "./actor.ts";

/** Keys are asked for anew after this time, and where a token names one that is not there, at most so often. */
const KEPT_MS = 10 * 60_000;
const ASKED_MS = 60_000;
const FAILED_MS = 10_000;
/** In seconds: clocks differ. */
const TOLERANCE = 30;
/** A token of a public key's owner. One of a shared secret or of none (HS256, none) is nobody's. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const LONGEST_NAME = 200;

export interface IssuersFrom {
  /** GETs a text. Throws, in words for people. */
  readonly fetchText: (url: string) => Promise<string>;
  /** Wall time, in milliseconds. */
  readonly now: () => number;
}

/** Why a token is not taken, for whoever sent it. */
export interface NotTaken {
  readonly refused: string;
}

interface Keys {
  /** When they were asked for. */
  readonly at: number;
  readonly set: Promise<JSONWebKeySet>;
}

/** Three parts, as a signed JWT has them. No secret of ours has a dot. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const LONGEST_JWT = 16_384;

/** Takes tokens that an issuer of the fleet file has signed. */
export class OidcTokens {
  /** What is trusted by now. */
  trusted: readonly TrustedIssuer[] = [];
  readonly #from: IssuersFrom;
  readonly #keys = new Map<string, Keys>();

  constructor(from: IssuersFrom) {
    this.#from = from;
  }

  /** Undefined: it is no such token. */
  async actorOf(token: string): Promise<Actor | NotTaken | undefined> {
    if (this.trusted.length === 0 || token.length > LONGEST_JWT || !JWT.test(token)) return undefined;
    const issuer = issuerOf(token);
    const its = this.trusted.filter((each) => each.issuer === issuer);
    if (issuer === undefined || its.length === 0)
      return { refused: "its issuer stands in no api.oidc of the fleet file." };
    try {
      const claims = await this.#verified(token, issuer);
      const found = its.find((each) => isOf(each, claims));
      if (found) return actorFor(found, claims);
      return { refused: `no api.oidc of ${issuer} in the fleet file fits its audience and claims.` };
    } catch (error) {
      const why =
        error instanceof errors.JOSEError
          ? error.message
          : `the keys of ${issuer} cannot be had: ${(error as Error).message}`;
      return { refused: `the token is not taken: ${why}.` };
    }
  }

  async #verified(token: string, issuer: string): Promise<JWTPayload> {
    const check = async (mayAsk: number): Promise<JWTPayload> => {
      const keys = createLocalJWKSet(await this.#keysOf(issuer, mayAsk));
      const currentDate = new Date(this.#from.now());
      const required = { issuer, requiredClaims: ["exp", "sub", "aud"], algorithms: ALGORITHMS };
      return (await jwtVerify(token, keys, { ...required, currentDate, clockTolerance: TOLERANCE })).payload;
    };
    try {
      return await check(KEPT_MS);
    } catch (error) {
      // It may have been signed by a key that is new since.
      if (error instanceof errors.JWKSNoMatchingKey) return check(ASKED_MS);
      throw error;
    }
  }

  /** As they were asked for at most so long ago. A failure counts for a while, too: anybody may send what names an issuer. */
  async #keysOf(issuer: string, ms: number): Promise<JSONWebKeySet> {
    const known = this.#keys.get(issuer);
    const lasts = (await known?.set.catch(() => undefined)) ? ms : FAILED_MS;
    if (known && this.#from.now() - known.at < lasts) return known.set;
    const asked = { at: this.#from.now(), set: this.#ask(issuer) };
    this.#keys.set(issuer, asked);
    return asked.set;
  }

  async #ask(issuer: string): Promise<JSONWebKeySet> {
    const where = JSON.parse(
      await this.#from.fetchText(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`),
    ) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
    if (where.issuer !== issuer) throw new Error("its configuration names another issuer");
    if (typeof where.jwks_uri !== "string" || !isAsSafe(where.jwks_uri, issuer))
      throw new Error("its configuration names no address of keys by https");
    return JSON.parse(await this.#from.fetchText(where.jwks_uri)) as JSONWebKeySet;
  }
}

/** No keys come by http from where the issuer has https. */
function isAsSafe(url: string, issuer: string): boolean {
  return (
    URL.canParse(url) &&
    (new URL(url).protocol === "https:" || new URL(issuer).origin === new URL(url).origin)
  );
}

/** What it says, before anybody has looked who signed it. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function isOf({ audience, claims }: TrustedIssuer, said: JWTPayload): boolean {
  if (![said.aud].flat().includes(audience)) return false;
  return Object.entries(claims).every(([name, pattern]) => {
    const value = Object.hasOwn(said, name) ? said[name] : undefined;
    return (
      (typeof value === "string" || typeof value === "number" || typeof value === "boolean") &&
      fits(pattern, `${value}`)
    );
  });
}

function actorFor({ issuer, may, fleets }: TrustedIssuer, { sub = "", exp = 0 }: JWTPayload): Actor {
  // With its path: one host may have many issuers, each with an ann of its own.
  const { host, pathname } = new URL(issuer);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const name = `oidc:${host}${pathname.replace(/\/$/, "")}:${sub.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?").slice(0, LONGEST_NAME)}`;
  return { name, may, fleets, until: (exp + TOLERANCE) * 1000 };
}
