import { hash } from "node:crypto";
import type { Draft } from "../../ledger/draft.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { createMemory } from "../../service/same/memory.ts";
import type { Context } from "../facts/context.ts";

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

const digests = createMemory<Deployment, string>();

/** Of all that the service shows of a machine, as this profile reads it. */
export function digestOf(shown: Deployment, { wire }: Context): string {
  return digests.of(shown, [wire], () => {
    const bytes = hash("sha256", wire.profileHash + JSON.stringify(shown), "buffer");
    // A slice of the whole text would hold all of it.
    return bytes.toString("base64url", 0, BYTES);
  });
}

/** 96 bits. */
const BYTES = 12;
