import type { Draft } from "../../../ledger/draft.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { FleetRow, PartRow } from "../../../ledger/rows.ts";

/** A part of a fleet, and the rows of its account as they were read. */
export interface SeenPart {
  readonly account: string;
  readonly draft: Draft;
  readonly fleet: FleetRow;
  readonly part: PartRow;
}

/** The parts of each fleet that several accounts keep, by its name; the first part stands first. */
export function partsByWhole(drafts: ReadonlyMap<string, Draft>): ReadonlyMap<string, readonly SeenPart[]> {
  const parts = [...drafts].flatMap(([account, draft]) =>
    [...draft.fleets.values()].flatMap((fleet): SeenPart[] =>
      fleet.part ? [{ account, draft, fleet, part: fleet.part }] : [],
    ),
  );
  const isFirst = ({ fleet, part }: SeenPart): boolean => fleet.name === part.of;
  parts.sort(
    (one, other) =>
      Number(isFirst(other)) - Number(isFirst(one)) || one.fleet.name.localeCompare(other.fleet.name),
  );
  return Map.groupBy(parts, ({ part }) => part.of);
}

/** As the ledger has them now. */
export async function readParts(
  ledger: Pick<Ledger, "accounts" | "read">,
): Promise<ReturnType<typeof partsByWhole>> {
  const drafts = new Map<string, Draft>();
  for (const { key } of await ledger.accounts()) drafts.set(key, await readDraft({ ledger, account: key }));
  return partsByWhole(drafts);
}
