import { hash } from "node:crypto";
import type { Draft } from "../ledger/draft.ts";
import type { Deployment } from "../service/service.ts";
import type { Context } from "./context.ts";

/*
 * Of an archived machine the ledger keeps a digest of what a list showed of it in memory: a list that shows the
 * same shows nothing new, and no row is read.
 */

/** True if the machine is archived, and a list shows of it what changes nothing. */
export function isAsArchived(draft: Draft, shown: Deployment, context: Context): boolean {
  const known = draft.archive.digest(shown.id);
  return known !== undefined && known === digestOf(shown, context);
}

/** What a list showed of an archived machine was judged, and changed nothing: it need not be judged again. */
export function rememberArchived(draft: Draft, shown: Deployment, context: Context): void {
  draft.archive.judged(shown.id, digestOf(shown, context));
}

/** By its wire. Records of a list are the same objects as long as they say the same: each is digested once. */
const digests = new WeakMap<Context["wire"], WeakMap<Deployment, string>>();

/** Of all that the service shows of a machine, as this profile reads it. */
export function digestOf(shown: Deployment, { wire }: Context): string {
  const ofWire = digests.get(wire) ?? new WeakMap<Deployment, string>();
  digests.set(wire, ofWire);
  const known = ofWire.get(shown);
  if (known !== undefined) return known;
  const bytes = hash("sha256", wire.profileHash + JSON.stringify(shown), "buffer");
  // A slice of the whole text would hold all of it.
  const digest = bytes.toString("base64url", 0, BYTES);
  ofWire.set(shown, digest);
  return digest;
}

/** 96 bits. */
const BYTES = 12;
