import {
  budgetsOver,
  contextOf,
  type Hold,
  holdText,
  isReserving,
  kindOf,
  type LaunchResult,
  type LaunchWish,
  launch,
  planHolds,
  SLOT_RULES,
  slowList,
} from "../../../launch/index.ts";
import { type DeploymentRow, elapsed, readDraft, slotOwner } from "../../../ledger/index.ts";
import { takenAtOnce } from "../../../service/contract/billing.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { FleetkeeperError, unhandled } from "../../../service/contract/errors.ts";
import { amountText, parseUsd } from "../../../service/contract/money.ts";
import { type Candidate, candidatesOf, type Next, Ranking } from "../inputs/candidates.ts";
import type { MachineInputs } from "../inputs/inputs.ts";
import { adoptInto, toAdopt } from "../ownership/adoption.ts";
import { undecided } from "../ownership/doubt.ts";
import { readSlot, type SlotState } from "../ownership/owned.ts";
import type { Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import { outlive, type WaitLimit } from "../session/wait-limit.ts";
import { termsOf } from "./prices.ts";

/** How often a launch is tried of which surely no byte left this machine. */
const SENDS = 5;
const FIRST_PAUSE_MS = 1_000;
/** Time between two looks for the end of another launch of the same group. A look costs no request. */
const NEIGHBOUR_MS = 250;

/**
 * Brings one machine into the slot and returns its claim, by the launch protocol: what is there is used, an
 * open launch is looked for, and only then is a machine adopted or launched. It can be called again
 * after an interruption.
 *
 * Of several candidates the first is launched that neither cools down nor was definitely refused in this run.
 * An open launch is no refusal: it is looked for, however long that takes, before another candidate is tried.
 */
export async function fillSlot(
  session: Session,
  inputs: MachineInputs,
  tell: Progress,
  waitLimit: WaitLimit,
): Promise<DeploymentRow> {
  const { keeper, lists } = session;
  const { clock, settings } = keeper;
  const candidates = candidatesOf(inputs);
  const ranking = new Ranking(candidates);
  const priced = new Map<Candidate, string | null>();
  let unsent = 0;
  let looked = false;
  /** Launches into the slot that this run did not send. */
  let before: ReadonlySet<string> | undefined;
  /** The reason for the wait, for the error if its time is up. */
  let held: string | undefined;
  for (;;) {
    waitLimit.check(`no machine of ${candidates.map(combinationText).join(" or ")}`, held);
    const state = await readSlot(keeper, inputs.slot);
    const { machine, alive, open, disputed } = state;
    before ??= new Set([...state.draft.intents.of("owner", slotOwner(inputs.slot))].map(({ id }) => id));
    const holds = planHolds(state.draft, ownedBy(inputs), state.context);
    const closing = holds.find(({ kind }) => kind === "closing");
    if (closing) throw refusal(holdText(closing));
    if (machine) {
      if (looked) return machine;
      // The machine may have ended since the ledger's newest list.
      await patiently(async () => {
        await lists.recent(settings.poll);
        looked = true;
      });
      continue;
    }
    looked = true;
    if (disputed.length > 0) throw undecided(slotOwner(inputs.slot), disputed);
    if (open.length > 0 || alive.length > 0) {
      tell(
        open[0]
          ? `looking for ${combinationText(open[0])}: ${open[0].detail}`
          : `waiting until ${alive[0]?.id} has stopped`,
      );
      await lookAgain();
      continue;
    }
    const failed = failedSince(state, inputs.slot, before);
    if (failed) return failed;
    const over = holds.find(({ kind }) => kind === "deadline");
    if (over) throw new FleetkeeperError("CONFIG", holdText(over));
    const known = toAdopt(inputs, state);
    if (known !== undefined) {
      await adoptInto(session, known, inputs);
      tell(`adopted ${known}`);
      continue;
    }
    if (holds.length > 0) {
      const error = await answer(holds, candidates);
      if (error) throw error;
      continue;
    }
    const next = ranking.next(state.draft, state.context);
    if (next.kind === "none")
      throw refusal(
        `none of the candidates could be launched: ${next.reasons.join("; ")}. Nothing was launched.`,
      );
    if (next.kind === "wait") {
      await coolDown(next);
      continue;
    }
    held = undefined;
    if (next.passed.length > 0)
      tell(`${next.passed.join(", ")}: going on to ${combinationText(next.candidate)}`);
    const settled = await settle(next.candidate, await launchOnce(next.candidate));
    if (settled) throw settled;
  }

  /** Does a request. If the service cannot be asked, a poll passes before the next look. */
  async function patiently(work: () => Promise<void>): Promise<void> {
    await outlive(work, tell, () => clock.sleep(settings.poll, waitLimit.signal));
  }

  /** Never past the wait's limit: a service may name a wait of days. */
  async function pause(ms: number): Promise<void> {
    await clock.sleep(Math.min(ms, waitLimit.left()), waitLimit.signal);
  }

  function waitFor(text: string): void {
    held = text;
    tell(`waiting: ${text}`);
  }

  async function coolDown({ candidate, ms, asked }: Extract<Next, { kind: "wait" }>): Promise<void> {
    const seconds = Math.ceil(ms / 1000);
    const clears = new Date(clock.now().wall + ms).toISOString().replace(/\.\d+Z$/, "Z");
    held = `${combinationText(candidate)} is cooling down until ${clears}`;
    const whose = asked ? "as the service said" : "since the service names a shorter wait, or none";
    tell(`${combinationText(candidate)} is cooling down: waiting ${seconds} s, ${whose}`);
    await pause(ms);
  }

  function isAffordable(balance: string | undefined, price: string | null | undefined): boolean {
    const [has, costs, floor] = [balance, price, inputs.budget?.floor].map((text) => parseUsd(text ?? ""));
    if (has === undefined || costs === undefined || floor === undefined) return false;
    return has.minus(takenAtOnce(keeper.service.abilities.billing, costs)).gte(floor);
  }

  async function launchOnce(candidate: Candidate): Promise<LaunchResult> {
    const { floor, perHour } = inputs.budget ?? {};
    const isShared = budgetsOver(await readDraft(keeper), slotOwner(inputs.slot)).length > 0;
    const limited = floor !== undefined || perHour !== undefined || isShared;
    const { pricePerHour, gpus, extra } = await termsOf(session, candidate, tell, limited);
    priced.set(candidate, pricePerHour);
    await patiently(() => lists.recent(settings.poll / 2));
    if (floor !== undefined) await patiently(() => session.balances.next());
    const wish = wishOf(inputs, { ...candidate, gpus, pricePerHour: pricePerHour ?? undefined });
    // Told only when it goes first: of many launches that wait, each would repeat it.
    const admitted = (): void =>
      tell(
        `launching ${combinationText(candidate)}${pricePerHour === null ? "" : ` at ${amountText(pricePerHour, keeper.service.abilities.currency)} an hour`}`,
      );
    return launch(keeper, { ...wish, extra, admitted }, waitLimit.signal);
  }

  /** What follows from one attempt: an error that ends the work; or undefined: look at the rows again. */
  async function settle(candidate: Candidate, result: LaunchResult): Promise<Error | undefined> {
    switch (result.kind) {
      case "claimed":
        tell(`launched as ${result.id}`);
        return undefined;
      case "open":
        tell(`its outcome is not certain yet: ${result.reason}`);
        // Should nothing be found, it would be refused again.
        if (result.refused)
          ranking.refuse(candidate, `${result.reason}. It was looked for, and nothing was found`);
        await outlive(() => lists.next(), tell);
        return undefined;
      case "cooling":
        // The row has the cooldown's end: the next look skips this candidate, or waits for it.
        return undefined;
      case "rejected":
        // The ledger knows how long to wait.
        if (result.tooMany) return undefined;
        if (candidates.length === 1)
          return refusal(
            `the service refused to launch ${combinationText(candidate)}: ${result.reason}. Nothing was launched.`,
          );
        ranking.refuse(candidate, result.reason);
        return undefined;
      case "notSent": {
        unsent += 1;
        if (result.permanent || unsent >= SENDS)
          return new FleetkeeperError(
            result.permanent ? "CONFIG" : "UNREACHABLE",
            `${combinationText(candidate)} could not be launched, nothing was sent: ${result.reason}`,
          );
        tell(`nothing was sent (${result.reason}), trying again`);
        await pause(FIRST_PAUSE_MS * 2 ** (unsent - 1));
        return undefined;
      }
      case "refused":
        return answer(result.holds, [candidate]);
      default:
        return unhandled(result);
    }
  }

  /** What follows from holds: an error that ends the work; or undefined: what they wait for may be over. */
  async function answer(holds: readonly Hold[], of: readonly Candidate[]): Promise<Error | undefined> {
    const isForPeople = (each: Hold): boolean =>
      kindOf(each).remedy === "person" && kindOf(each).about !== "money";
    const toMend = holds.filter(isForPeople).map((each) => holdText(each));
    if (toMend.length > 0) return notLaunched(of, toMend.join("; "));
    const [first] = holds;
    if (first === undefined) return undefined;
    const { wall } = clock.now();
    const text = holdText(first, wall);
    const { kind, numbers, until = wall } = first;
    switch (kind) {
      case "group":
      case "probe":
        waitFor(text);
        await neighbour();
        return undefined;
      case "late":
      case "restored":
      case "nameless":
      case "forgotten":
        waitFor(text);
        await lookAgain();
        return undefined;
      case "tooMany":
        waitFor(`the service asks to wait ${Math.ceil((until - wall) / 1000)} s (${numbers.detail})`);
        await pause(until - wall);
        return undefined;
      case "paced":
        waitFor(text);
        await pause(until - wall);
        return undefined;
      case "unlisted":
      case "stale": {
        const slow = slowList(lists.took, settings);
        waitFor(slow === undefined ? text : `${text}; ${slow}`);
        // A list that takes longer than a poll would start again as soon as it ends.
        if (slow !== undefined) await pause(settings.poll);
        else
          await outlive(
            () => lists.next(),
            tell,
            () => pause(settings.poll),
          );
        return undefined;
      }
      default:
        // What was there a moment ago: the rows say what it is now.
        return kindOf(first).about === "money" ? tooDear(of, text) : undefined;
    }
  }

  async function tooDear(of: readonly Candidate[], text: string): Promise<Error | undefined> {
    const draft = await readDraft(keeper);
    const { balance } = draft.account;
    // The balance has grown too old for the floor meanwhile: it is read again.
    if (balance && elapsed(balance.begun, clock.now()) > settings.poll) {
      held = text;
      return undefined;
    }
    const isPaid = of.some((each) => isAffordable(balance?.amount, priced.get(each)));
    if (isReserving(draft, contextOf(keeper)) && isPaid) {
      held = text;
      tell(`waiting until the balance shows what was launched just now: ${text}`);
      await lookAgain();
      return undefined;
    }
    if (candidates.length === 1) return notLaunched(of, text);
    for (const each of of) ranking.refuse(each, text);
    return undefined;
  }

  /** The other launch is mostly answered within a moment. If not, lists must resolve it. */
  async function neighbour(): Promise<void> {
    await clock.sleep(Math.min(NEIGHBOUR_MS, settings.poll), waitLimit.signal);
    await outlive(() => lists.recent(settings.poll), tell);
  }

  async function lookAgain(): Promise<void> {
    await outlive(() => lists.poll(waitLimit.signal), tell);
  }
}

/** The machine of a launch of this run that has failed before anything showed it alive: how it ended is told, as of any other. */
function failedSince(
  { draft }: SlotState,
  slot: string,
  before: ReadonlySet<string>,
): DeploymentRow | undefined {
  return [...draft.deployments.of("owner", slotOwner(slot))].find(
    ({ end, intent }) => end === "failed" && intent !== null && !before.has(intent),
  );
}

function ownedBy({ slot, budget = {} }: MachineInputs): Pick<LaunchWish, "owner" | "limits" | "rules"> {
  return {
    owner: slotOwner(slot),
    limits: {
      floor: budget.floor === undefined ? undefined : parseUsd(budget.floor),
      perHour: budget.perHour === undefined ? undefined : parseUsd(budget.perHour),
    },
    rules: SLOT_RULES,
  };
}

function wishOf(inputs: MachineInputs, candidate: Candidate): LaunchWish {
  const { offer, provider, location, gpus = 0, pricePerHour = null } = candidate;
  const { parameters = {} } = inputs;
  return { ...ownedBy(inputs), offer, provider, location, gpus, pricePerHour, parameters };
}

function refusal(text: string): FleetkeeperError {
  return new FleetkeeperError("REFUSED", text);
}

function notLaunched(candidates: readonly Candidate[], reason: string): FleetkeeperError {
  return refusal(`${candidates.map(combinationText).join(" or ")} was not launched: ${reason}`);
}
