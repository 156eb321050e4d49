import { HOUR_MS } from "../../../ledger/instant.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import { amountText, parseUsd } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { abilitiesOf } from "../../../service/profile/abilities.ts";
import { counted } from "../../../service/text/counted.ts";
import type { ProgramProblem } from "../../ask/programs.ts";
import type { FleetDeclaration } from "../../fleet/declare/fleets.ts";
import type { TakenName } from "../../fleet/declare/taken-names.ts";
import { checkDoubts, whyTooLate } from "../../fleet/phase/check-doubts.ts";
import { atLast } from "../../fleet/phase/lacking.ts";
import { atItsLargest } from "../../fleet/size/asked-size.ts";
import { gpusFor } from "../../fleet/size/metric-size.ts";
import { scheduleTexts } from "../../fleet/size/schedule-text.ts";
import { isLimited } from "../../fleet/wish/wish.ts";
import { whyImpossible } from "../../fleet/wish/work-wish.ts";
import { noRoom, spreadOf } from "../../planning/choices/impossible.ts";
import { improveDoubts } from "../../planning/choices/improve-doubts.ts";
import { unofferedTexts } from "../../planning/choices/offered-models.ts";
import { allowed, fitting, nothingFits, withinCeiling } from "../../planning/choices/options.ts";
import { knownOffers, knownWish } from "../../planning/count/known-prices.ts";
import { byMoney, cheapestMix, type Option, obstacle } from "../../planning/mix/mix.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { Check } from "../report.ts";
import { candidateChecks } from "./fleet-candidates.ts";
import { budgetChecks } from "./fleet-money.ts";
import { parameterChecks } from "./fleet-parameters.ts";
import { whyNoneFits } from "./fleet-selection.ts";
import { about, costOf, inFleet, mixText } from "./fleet-words.ts";

/** Whether the service's offers can meet each fleet's wish, and if not, which line of it is to blame. */
export function fleetChecks(input: DoctorInput): readonly Check[] {
  return input.fleets.flatMap((fleet) => {
    const checks = fleetCheck(input, fleet);
    return fleet.part ? checks.map(ofOneService) : checks;
  });
}

/** Where several services keep a fleet, one that cannot meet its wish is no fault of it. */
function ofOneService(check: Check): Check {
  if (check.level !== "problem") return check;
  const says = `${check.says} The fleet's other services may meet it: ask each with --service.`;
  return { ...check, level: "warning", says };
}

/** An agent is refused for each of them, and nothing of its file is in force. */
export function nameChecks(taken: readonly TakenName[]): readonly Check[] {
  return taken.map(({ fleet, why }) =>
    about(fleet, "name").problem(
      `${why}: an agent with this file is refused.`,
      inFleet(fleet, "Choose another name, or take it out there first"),
    ),
  );
}

/** An agent on another machine may have them: whoever asks looks from here. */
export function programChecks(programs: readonly ProgramProblem[]): readonly Check[] {
  return programs.map(({ fleet, key, why, remedy }) =>
    about(fleet, key).warning(
      `its ${key}.command cannot be run on this machine: ${why}.`,
      inFleet(fleet, remedy),
    ),
  );
}

function doubtChecks({ loaded, now }: DoctorInput, fleet: FleetDeclaration): readonly Check[] {
  const late = whyTooLate(fleet.wish, { now: { wall: now } });
  if (late) return [about(fleet, "beforeStop").problem(`${late.why}.`, inFleet(fleet, late.remedy))];
  return checkDoubts(fleet.wish, {
    now: { wall: now },
    wire: { abilities: abilitiesOf(loaded.profile) },
  }).map(({ key, why, remedy }) => about(fleet, key).warning(`${key}: ${why}.`, inFleet(fleet, remedy)));
}

/** What the schedule asks for, and what of it nobody would expect. */
function scheduleChecks({ now }: DoctorInput, fleet: FleetDeclaration): readonly Check[] {
  const { schedule } = fleet.wish;
  if (!schedule) return [];
  const [asks, ...others] = scheduleTexts(schedule, now).map((text) => `${text}.`);
  return [
    about(fleet, "schedule").ok(asks ?? ""),
    ...others.map((text) => about(fleet, "schedule").warning(text)),
  ];
}

/** How many GPUs it takes at least to do the work in time. */
function workChecks({ now }: DoctorInput, fleet: FleetDeclaration): readonly Check[] {
  const { work, gpus } = fleet.wish;
  if (!work) return [];
  const of = about(fleet, "work");
  const wrong = whyImpossible(fleet.wish, { now: { wall: now } });
  if (wrong)
    return [
      of.problem(`${wrong.why}, unless an agent has done some of it already.`, inFleet(fleet, wrong.remedy)),
    ];
  const hours = (Date.parse(work.by) - now) / HOUR_MS;
  const even = Math.ceil(work.gpuHours / hours);
  return [
    of.ok(
      `${work.gpuHours} GPU-hours by ${work.by} take ${counted(even, "GPU")} for all of the ${Math.floor(hours)} hours until then, and it may have ${gpus}.`,
    ),
  ];
}

/** What the metric says now and asks for. Another machine may reach what this one does not. */
function metricChecks({ measured }: DoctorInput, fleet: FleetDeclaration): readonly Check[] {
  const { metric } = fleet.wish;
  const said = measured.get(fleet.name);
  if (!metric || !said) return [];
  const of = about(fleet, "metric");
  if (said.kind === "value")
    return [
      of.ok(
        `the metric says ${said.value}, for which it asks for ${counted(gpusFor(metric, said.value), "GPU")}.`,
      ),
    ];
  return [
    of.warning(`the metric cannot be read from here: ${said.why}. While it is not known, the size stays.`),
  ];
}

function fleetCheck(input: DoctorInput, declared: FleetDeclaration): readonly Check[] {
  const { accounts, loaded } = input;
  // Prices that machines were seen to cost count here, as they do at the launch.
  const doubts = accounts.flatMap(({ profiles }) => profiles[loaded.hash]?.prices?.doubts ?? []);
  const atFirst = { ...declared, wish: atItsLargest(knownWish(doubts, declared.wish)) };
  const fleet = { ...atFirst, wish: atLast(atFirst.wish) };
  const { wish } = fleet;
  const checks = [
    ...parameterChecks(input, fleet),
    ...doubtChecks(input, fleet),
    ...scheduleChecks(input, fleet),
    ...metricChecks(input, fleet),
    ...workChecks(input, fleet),
  ];
  const offers = knownOffers(doubts, input.seen?.rest?.offers.read?.value);
  if (wish.candidates !== undefined) checks.push(...candidateChecks(fleet, offers));
  else if (offers === undefined) return [...checks, unreadOffers(input, fleet)];
  checks.push(
    ...improveDoubts(wish, offers, input.now).map((text) => about(fleet, "improve").warning(`${text}.`)),
  );
  if (wish.gpus === 0) return [...checks, about(fleet).ok("asks for no GPUs: everything it has is stopped.")];

  const options = optionsOf(fleet, offers);
  if (options.length === 0) {
    const isTooDear = fitting(wish, offers).length > 0 && withinCeiling(wish, offers).length === 0;
    if (isTooDear) {
      const remedy = inFleet(fleet, "Raise budget.perGpuHour, or allow other offers");
      return [...checks, about(fleet).problem(`${nothingFits(wish, offers, input.money)}.`, remedy)];
    }
    return wish.candidates === undefined ? [...checks, whyNoneFits(input, fleet, offers ?? [])] : checks;
  }
  const bounds = { gpus: wish.gpus, slack: wish.overshoot, spread: spreadOf(wish) };
  const perHour = wish.budget.perHour === undefined ? undefined : parseUsd(wish.budget.perHour);
  const cheapest = cheapestMix(byMoney(options), bounds);
  const mix = cheapestMix(options, { ...bounds, cost: perHour }) ?? cheapest;
  if (cheapest === undefined || mix === undefined)
    return [...checks, noMix(fleet, options, obstacle(options, bounds))];
  const cost = costOf(mix);
  const priced =
    cost === undefined
      ? "of a price that nobody has said"
      : `for ${amountText(cost, input.money.currency)} an hour`;
  const byWork = wish.select?.worth ? ", the cheapest by work" : "";
  const { patience } = wish.select ?? {};
  const isDear = patience && !cheapestMix(byMoney(optionsOf(atFirst, offers)), bounds);
  const later = isDear ? `, once GPUs were missing for ${patience.for} (select.patience)` : "";
  const ok = about(fleet, "mix").ok(
    `${counted(wish.gpus, "GPU")} can be had: ${mixText(mix)}, ${priced}${byWork}${later}.`,
  );
  const unoffered = unofferedTexts(wish.select, offers).map((text) =>
    about(fleet, "models").warning(`${text}.`),
  );
  return [...checks, ok, ...unoffered, ...budgetChecks(input, fleet, options, cheapest)];
}

/** What the agent could launch. Candidates that the catalogue does not list would be refused. */
function optionsOf({ wish }: FleetDeclaration, offers: readonly Offer[] | undefined): readonly Option[] {
  if (wish.candidates === undefined) return allowed(wish, offers);
  const listed = offers === undefined ? undefined : new Set(offers.map(combinationKey));
  // As in the agent's plan: a fleet with candidates and a budget is judged by the service's own prices.
  return withinCeiling(wish, isLimited(wish) ? offers : undefined)
    .map(({ stock: _, ...option }) => option)
    .filter((option) => listed?.has(combinationKey(option)) ?? true);
}

function unreadOffers(input: DoctorInput, fleet: FleetDeclaration): Check {
  const says = "it selects among the service's offers, and they cannot be read";
  if (input.seen?.rest === undefined)
    return about(fleet).skipped(`${says}: the service was not asked for them.`);
  const hasPart = input.loaded.profile.offers !== undefined;
  return about(fleet).problem(`${says}${hasPart ? ", see above" : ': the profile has no part "offers"'}.`);
}

function noMix(
  fleet: FleetDeclaration,
  options: readonly Option[],
  what: ReturnType<typeof obstacle>,
): Check {
  const { wish } = fleet;
  const check = about(fleet);
  if (what === "stock") {
    return check.warning(
      `the service has less than ${counted(wish.gpus, "GPU")} of what fits now: the rest waits.`,
    );
  }
  if (what === "spread") {
    const text = "Change its placement, ask for another count, or allow other machines";
    return check.problem(`${noRoom(wish, wish.gpus)}.`, inFleet(fleet, text));
  }
  const sizes = [...new Set(options.map(({ gpus }) => gpus))].sort((a, b) => a - b);
  const without = `machines of ${sizes.join(", ")} GPUs do not add up to ${wish.gpus}${wish.overshoot > 0 ? `, nor to ${wish.overshoot} more` : " exactly"}.`;
  for (let slack = wish.overshoot + 1; slack < Math.max(...sizes); slack++) {
    const mix = cheapestMix(options, { gpus: wish.gpus, slack });
    if (mix === undefined) continue;
    const more = mix.reduce((sum, { gpus }) => sum + gpus, 0) - wish.gpus;
    const text = `Ask for another count, or accept ${counted(more, "GPU")} more (${mixText(mix)})`;
    return check.problem(without, inFleet(fleet, text, [`overshoot: ${more}`]));
  }
  return check.problem(without, inFleet(fleet, "Ask for another count, or allow machines of other sizes"));
}
