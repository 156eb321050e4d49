import type { Context } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { scratchDraft } from "../../ledger/read-draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { type ErrorCode, FleetkeeperError } from "../../service/contract/errors.ts";
import { USD } from "../../service/contract/money.ts";
import { partsByWhole } from "../fleet/phase/whole-parts.ts";
import { clean } from "../fleet/text/text.ts";
import type { ServicesPlan } from "../json/agent.ts";
import type { WholeStatus } from "../json/whole.ts";
import { type Bound, boundOf } from "../planning/told/bound.ts";
import { planFacts } from "../planning/told/fleet-plan.ts";
import { wholesOf } from "../status/whole-status.ts";
import { admittedOf, type PreviewInput, plansIn, readInput } from "./preview.ts";
import { previewParts } from "./preview-parts.ts";
import { putReasons } from "./store-reasons.ts";

/** One of several services, as it was read for a plan, or why it could not be. */
export interface ServiceRead {
  readonly service: string;
  /** The names of its parts of fleets that several keep, by these fleets' names: its account may never have been seen. */
  readonly parts: ReadonlyMap<string, string>;
  readonly looked?: PreviewInput;
  readonly error?: { readonly text: string; readonly code: ErrorCode };
}

/** A service of an agent. */
export interface ServiceToRead extends Pick<ServiceRead, "service" | "parts"> {
  /** Undefined: its account is not open now. */
  readonly keeper?: Keeper | undefined;
  /** Why it is not. */
  readonly error?: ServiceRead["error"] | undefined;
}

/** Reads them all at once: one that does not answer holds up no other. */
export function readServices(
  services: readonly ServiceToRead[],
  signal: AbortSignal,
  ordered: (account: string, draft: Draft) => void = () => undefined,
): Promise<readonly ServiceRead[]> {
  return Promise.all(
    services.map(async ({ service, parts, keeper, error = NOT_OPEN }): Promise<ServiceRead> => {
      if (!keeper) return { service, parts, error };
      try {
        const looked = await readInput(keeper, undefined, signal, (draft) => ordered(keeper.account, draft));
        return { service, parts, looked };
      } catch (thrown) {
        if (signal.aborted || !(thrown instanceof FleetkeeperError)) throw thrown;
        return { service, parts, error: { text: clean(thrown.message, 2000), code: thrown.code } };
      }
    }),
  );
}

const NOT_OPEN = { text: "its account is not open yet", code: "BUSY" } as const;

/** What all agents would do now, with what fleets have in several services planned as one. Nothing is stored. */
export async function planOfServices(
  asked: readonly ServiceRead[],
  ledger: Ledger,
  context: Context,
  ordered: (account: string, draft: Draft) => void = () => undefined,
): Promise<ServicesPlan> {
  const looked = new Map(
    asked.flatMap(({ looked: each }) => (each ? [[each.keeper.account, each] as const] : [])),
  );
  const unread = new Map<string, Draft>();
  for (const { key } of await ledger.accounts()) {
    if (looked.has(key)) continue;
    const draft = await scratchDraft({ ledger, account: key });
    ordered(key, draft);
    unread.set(key, draft);
  }
  previewParts(looked, unread);
  const planned = asked.map((each) => ({ ...each, plans: each.looked ? plansIn(each.looked) : [] }));
  // What holds launches by now, and before the launches of the plan are counted as if they were there.
  for (const { looked: each, plans } of planned) if (each) putReasons(each.draft, plans, () => true);
  const drafts = new Map([...[...looked].map(([key, { draft }]) => [key, draft] as const), ...unread]);
  // As it stands before what is admitted counts as if it were there.
  const wholes = wholesOf(drafts, (key) => looked.has(key), context).map((whole) => withAway(whole, asked));
  const admitted = planned.flatMap(({ service, looked: each, plans }) =>
    each ? admittedOf(each, plans).map((plan) => ({ service, draft: each.draft, plan })) : [],
  );
  // What was admitted in one account counts for the bound of the whole.
  const boundOfWhole = (fleet: FleetRow | undefined, draft: Draft): Bound | undefined =>
    fleet?.part && boundOf(draft, fleet, context, partsByWhole(drafts).get(fleet.part.of));
  return {
    wholes,
    fleets: admitted.map(({ service, draft, plan }) => {
      const most = boundOfWhole(draft.fleets.get(plan.fleet), draft) ?? plan.most;
      return { service, ...planFacts({ ...plan, most }) };
    }),
    errors: asked.flatMap(({ service, error }) =>
      error ? [{ service, error: error.text, code: error.code }] : [],
    ),
    believed: [...looked.values()].every(({ believed }) => believed),
  };
}

/** What could not be asked gives nothing, and says why; its account may never have been seen. */
function withAway(whole: WholeStatus, asked: readonly ServiceRead[]): WholeStatus {
  const zero = { runningGpus: 0, startingGpus: 0, stoppingGpus: 0, readyGpus: null, unknownLaunches: 0 };
  const spent = { today: "0.0000", refundedToday: "0.0000", ever: "0.0000", unpriced: 0 };
  const nothing = { ...zero, portion: 0, pricePerHour: "0.0000", currency: whole.currency ?? USD, spent };
  const away = asked.flatMap(({ service, error, parts }) => {
    const known = whole.services.find((part) => part.service === service);
    const mine = parts.get(whole.name) ?? known?.fleet;
    if (error === undefined || mine === undefined) return [];
    const part = known ?? { service, fleet: mine, account: "?", ...nothing };
    return [{ ...part, state: "away" as const, why: error.text }];
  });
  const names = new Set(away.map(({ service }) => service));
  return { ...whole, services: [...whole.services.filter(({ service }) => !names.has(service)), ...away] };
}
