import { foreseeAdoption } from "../../../agent/planning/machines/initial-adoption.ts";
import {
  nobodysOf,
  otherLedgerTexts,
  type Takes,
  takesOf,
  takeTexts,
} from "../../../agent/planning/told/takes.ts";
import { type Context, livingOf } from "../../../launch/index.ts";
import { type DeploymentRow, type Draft, fleetOwner } from "../../../ledger/index.ts";
import type { Offer } from "../../../service/contract/service.ts";
import type { Environment, Session } from "../session/environment.ts";
import { type Progress, progressOf } from "../session/progress.ts";

/** What one run of an engine was told that its fleets take, by their names: no two of them can have the same machine. */
const foreseen = new WeakMap<Session["lists"], Map<string, readonly DeploymentRow[]>>();

/** Gives the fleets on this draft what they take of what runs already. Returns what this one takes. */
export function foreseeTakes(
  { lists }: Session,
  draft: Draft,
  name: string,
  offers: readonly Offer[] | undefined,
  context: Context,
): Takes {
  const all = foreseen.get(lists) ?? new Map<string, readonly DeploymentRow[]>();
  for (const row of [...all].flatMap(([of, rows]) => (of === name ? [] : rows)))
    if (nobodysOf(draft).has(row.id)) draft.moveDeployment("take", row);
  const nobodys = nobodysOf(draft);
  foreseeAdoption(draft, offers, context);
  const taken = livingOf(draft, fleetOwner(name)).filter(({ id }) => nobodys.has(id));
  foreseen.set(lists, all.set(name, taken));
  return takesOf(draft, name, nobodys, context);
}

/** What runs already and is taken; a warning where another ledger may keep it, too. */
export function tellTakes(
  env: Environment,
  { keeper }: Session,
  name: string,
  takes: Takes,
  tell: Progress,
): void {
  for (const text of takeTexts(takes, keeper.service.abilities.currency)) tell(`takes ${text}`);
  const warn = progressOf(env, name, "warning");
  for (const text of otherLedgerTexts(takes)) warn(text);
  if (takes.length > 0)
    tell(
      "what it takes is its own from then on, and is stopped with it. To leave a machine out, run fleetkeeper disown ID first",
    );
}
