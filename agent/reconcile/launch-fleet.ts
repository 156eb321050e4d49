import type { LaunchWish } from "../../launch/admit/rule.ts";
import { overlap } from "../../launch/claim/groups.ts";
import { groupNow } from "../../launch/claim/open-in-group.ts";
import { allOf, contextOf, type Keeper } from "../../launch/keeper.ts";
import { type LaunchResult, launch } from "../../launch/protocol.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { limitsOf, type Wish } from "../fleet/wish/wish.ts";
import { launchBackoffOf } from "../planning/choices/launch-backoff.ts";
import { wishInForce } from "../planning/count/wish-in-force.ts";
import { FLEET_RULES } from "../planning/holds/fleet-holds.ts";
import type { Option } from "../planning/mix/mix.ts";

/** One launch of a fleet, and what came of it. */
export interface FleetLaunch {
  readonly fleet: string;
  readonly option: Option;
  readonly result: LaunchResult;
}

/** The most launches of one fleet that are under way at once. */
const MOST_AT_ONCE = 64;

/**
 * Slow start: 1, 2, 4, ... launches at a time while all succeed. One that the service does not grant ends the
 * round, and the next round begins with 1: a service in trouble is not stormed. One that is refused here,
 * before it is sent, ends the round and says nothing about the service. `wish`: the options were chosen for
 * it.
 */
export async function launchFleet(
  keeper: Keeper,
  fleet: string,
  wish: Wish,
  options: readonly Option[],
  signal: AbortSignal,
): Promise<readonly FleetLaunch[]> {
  const done: FleetLaunch[] = [];
  let left = options;
  while (left.length > 0 && !signal.aborted) {
    const draft = await readDraft(keeper);
    const row = draft.fleets.get(fleet);
    if (!row) return done;
    const inForce = wishInForce(draft, row, contextOf(keeper));
    const { batch, rest } = nextBatch(keeper, draft, row, left);
    const round = await allOf(
      batch.map(async (option) => ({
        fleet,
        option,
        result: await launch(keeper, launchWish(fleet, wish, option, inForce), signal),
      })),
    );
    // A launch that a list could not tell from another one waits for it, and goes out in the next round.
    const grouped = round.filter(isGrouped);
    const others = round.filter((each) => !isGrouped(each));
    done.push(...others);
    const bad = others.some(({ result }) => result.kind !== "claimed" && result.kind !== "refused");
    const good = others.length > 0 && others.every(({ result }) => result.kind === "claimed");
    if (bad) await setPace(keeper, fleet, 1);
    else if (good)
      await setPace(keeper, fleet, grouped.length > 0 ? 1 : Math.min(row.pace * 2, MOST_AT_ONCE));
    if (!good) return [...done, ...grouped];
    left = [...grouped.map(({ option }) => option), ...rest];
  }
  return done;
}

/** Refused because a list could not tell it from a launch that is under way. */
export function isGrouped({ result }: FleetLaunch): boolean {
  return result.kind === "refused" && result.holds[0]?.kind === "group";
}

/** `asked`: as declared. `inForce`: as of now, whose limits on money count. */
export function launchWish(fleet: string, asked: Wish, option: Option, inForce: Wish = asked): LaunchWish {
  const { offer, provider, location, gpus, pricePerHour, worth, model, extra } = option;
  return {
    owner: fleetOwner(fleet),
    offer,
    provider,
    location,
    gpus,
    pricePerHour: pricePerHour?.toFixed() ?? null,
    worth,
    model,
    parameters: asked.parameters,
    extra,
    limits: limitsOf(inForce),
    rules: FLEET_RULES,
    asked,
  };
}

/**
 * As many as the pace allows, and of each combination no more than its answers allow: where no stock is shown, 1, 2, 4, ... Only one
 * of those that a list could not tell apart.
 */
function nextBatch(
  keeper: Keeper,
  draft: Draft,
  row: FleetRow,
  options: readonly Option[],
): { readonly batch: readonly Option[]; readonly rest: readonly Option[] } {
  const context = contextOf(keeper);
  const launchBackoff = launchBackoffOf(
    draft,
    fleetOwner(row.name),
    wishInForce(draft, row, context),
    context,
  );
  const sent = new Map<string, number>();
  const groups: ReturnType<typeof groupNow>[] = [];
  const batch: Option[] = [];
  const rest: Option[] = [];
  for (const [index, option] of options.entries()) {
    const key = combinationKey(option);
    const group = groupNow(draft, { ...option, id: String(index) }, context);
    const before = sent.get(key) ?? 0;
    const waits =
      batch.length >= row.pace ||
      (before > 0 && before >= launchBackoff.mostAtOnce(option)) ||
      groups.some((one) => overlap(one, group));
    (waits ? rest : batch).push(option);
    if (waits) continue;
    groups.push(group);
    sent.set(key, before + 1);
  }
  return { batch, rest };
}

async function setPace({ ledger, account }: Keeper, name: string, pace: number): Promise<void> {
  await ledger.decide(account, (draft) => {
    const fleet = draft.fleets.get(name);
    if (fleet && fleet.pace !== pace) draft.putFleet({ ...fleet, pace });
  });
}
