import {
  declareFleet,
  type FleetDeclaration,
  fleetPhase,
  isOver,
  removeFleet,
  renameFleet,
} from "../../../agent/index.ts";
import { currencyTexts } from "../../../agent/planning/parts/part-troubles.ts";
import { choiceAmong } from "../../../agent/reconcile/move-portions.ts";
import { note } from "../../../launch/facts/events.ts";
import { type Context, contextOf, waking } from "../../../launch/index.ts";
import { type Draft, type FleetRow, fleetOwner, scratchDraft } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { Seen } from "../ownership/fleet-source.ts";
import type { WantedPart } from "../ownership/parts.ts";
import type { Session } from "../session/environment.ts";

type Declared = Pick<FleetDeclaration, "source" | "triggers">;

/**
 * Declares all parts of a fleet, a transaction each, and takes out what it had in other accounts. A part has nothing
 * but what another one has given it, so whatever ends this between two of them leaves no GPU and no money twice.
 */
export async function declareParts(
  { keeper }: Session,
  of: Declared,
  parts: readonly WantedPart[],
  seen: readonly Seen[],
): Promise<void> {
  const { ledger } = keeper;
  for (const each of parts)
    await ledger.decide(
      each.account,
      waking((draft) => declareAt(draft, of, each, contextOf(keeper))),
    );
  for (const { account, fleet } of droppedOf(parts, seen))
    await ledger.decide(
      account,
      waking((draft) => removeFleet(draft, fleet.name, of.source)),
    );
}

/** What the resource has elsewhere: parts in services that it does not name any more. */
function droppedOf(parts: readonly WantedPart[], seen: readonly Seen[]): readonly Seen[] {
  const stays = new Set(parts.map(({ account }) => account));
  return seen.filter(({ account, fleet }) => !fleet.removed && !stays.has(account));
}

function declareAt(draft: Draft, of: Declared, each: WantedPart, context: Context): string | undefined {
  const isFirst = each.part === undefined || each.part.of === each.name;
  // The source's fleet under its name before the rename. Declared beside it, all would be rented twice.
  const before = [...draft.fleets.values()].find((row) => row.source === of.source && !row.removed);
  if (isFirst)
    renameFleet(draft, { name: each.name, previousName: before?.name, source: of.source }, context);
  const was = draft.fleets.get(each.name);
  const life = declareFleet(draft, { ...of, ...each }, context);
  if (draft.fleets.get(each.name) !== was) noteOrder(draft, "declared", each.name, of.source, context);
  return life;
}

/** Where somebody asks for it by name, what a stack declares and takes out is told as an order is. */
export function noteOrder(
  draft: Draft,
  kind: "declared" | "drained",
  fleet: string,
  source: string,
  context: Context,
): void {
  if (context.actor === undefined) return;
  const what = kind === "declared" ? "declared" : "taken out";
  const text = `${fleet} was ${what} by ${source.replace(/#.*$/, "")}${kind === "drained" ? ", and drains" : ""}`;
  note(draft, context, kind, text, { owner: fleetOwner(fleet) });
}

/** A name that is in several accounts cannot change in one transaction. Throws CONFIG. */
export function refuseRename(name: string, seen: readonly Seen[]): void {
  const other = seen.find(
    ({ draft, fleet }) => fleet.part && fleet.part.of !== name && !isOver(draft, fleet),
  );
  if (!other?.fleet.part) return;
  throw new FleetkeeperError(
    "CONFIG",
    `name: expected ${other.fleet.part.of}, got ${name}: a fleet that several services keep keeps its name. Write the old one; or take ` +
      "this Fleet out, and declare one of another name.",
  );
}

interface ForeseenParts {
  readonly stored: FleetRow | undefined;
  readonly life: string | undefined;
  readonly never: string | undefined;
  /** GPUs that it lacks then. */
  readonly short: number;
  /** The rows of its accounts, as if it were declared. */
  readonly drafts: ReadonlyMap<string, Draft>;
}

/** What follows if this is declared in several services, tried on copies of their rows. Throws CONFIG. */
export async function foreseeParts(
  { keeper }: Session,
  of: Declared,
  parts: readonly WantedPart[],
  seen: readonly Seen[],
): Promise<ForeseenParts> {
  const context = contextOf(keeper);
  const tried: (Omit<Seen, "account"> & { readonly part: NonNullable<FleetRow["part"]> })[] = [];
  const drafts = new Map<string, Draft>();
  const lives: (string | undefined)[] = [];
  for (const each of parts) {
    const draft = await scratchDraft({ ledger: keeper.ledger, account: each.account });
    lives.push(declareAt(draft, of, each, context));
    drafts.set(each.account, draft);
    const fleet = draft.fleets.get(each.name);
    if (fleet?.part) tried.unshift({ draft, fleet, part: fleet.part });
  }
  const stored = seen.find(({ fleet }) => !fleet.removed)?.fleet;
  const life = lives.find((each) => each !== undefined);
  const [first] = tried;
  const phase = first && fleetPhase(first.draft, first.fleet, context);
  const [currencies] = currencyTexts(tried);
  const never =
    stored === undefined && phase?.kind === "drained"
      ? `0 of ${parts[0]?.wish.gpus} GPUs wanted: ${phase.why}. Change ${phase.by === "total" ? "budget.total" : "until"}, and it launches`
      : currencies;
  const { short = 0 } = first ? choiceAmong(first, tried, context) : {};
  return { stored, life, never, short, drafts };
}
