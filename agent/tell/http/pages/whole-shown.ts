import { contextOf } from "../../../../launch/keeper.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import type { WholePart, WholeStatus } from "../../../json/whole.ts";
import { wholesOfAccount } from "../../../status/account-status.ts";
import type { PageOptions } from "./basics.ts";

export const WORDS: Readonly<Record<WholePart["state"], string>> = {
  complete: "all that is asked of it",
  launches: "launches what is missing",
  dearer: "gives no more",
  held: "gives no more",
  unknown: "gives no more",
  away: "away",
  paused: "paused",
  drained: "drained",
};

/**
 * As a page of this account may show them. A service may repeat a secret in its texts, and only the agent of an account knows
 * its secrets: why another one gives nothing stands on that one's page.
 */
export async function shownWholes({
  keeper,
  hide,
}: Pick<PageOptions, "keeper" | "hide">): Promise<readonly WholeStatus[]> {
  const draft = await readDraft(keeper);
  const wholes = await wholesOfAccount(draft, keeper.ledger, contextOf(keeper));
  return wholes.map((whole) => ({
    ...whole,
    services: whole.services.map((part) => ({
      ...part,
      why: part.why !== null && draft.fleets.has(part.fleet) ? hide(part.why) : null,
    })),
  }));
}

/** Each once, as its accounts show it: each part with what its own one says. */
export function merged(found: readonly WholeStatus[]): readonly WholeStatus[] {
  return [...Map.groupBy(found, ({ name }) => name).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const said = alike.flatMap(({ services }) => services).filter(({ why }) => why !== null);
    const services = first.services.map((part) => said.find(({ fleet }) => fleet === part.fleet) ?? part);
    return [{ ...first, services }];
  });
}
