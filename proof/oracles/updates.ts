import { combinationKey } from "../../service/contract/contract.ts";
import type { Evidence, OurMachine, Violation } from "../evidence.ts";
import { gpusOf, isLiving } from "../evidence.ts";
import { isLimited } from "../fleet-file.ts";
import type { MoveSpan } from "../recorder.ts";
import { specOf } from "../scenario.ts";

/** A stop that takes longer leaves the count: the next machine may go beside it. */
const STUCK_MS = 15 * 60_000;

/**
 * An update replaces what its fleet's candidates do not allow any more, and nothing else: so many at a time as the fleet says, what
 * is old once what is new runs, and in the end all of it, unless it is paused.
 */
export function updatesGoOn(evidence: Evidence): readonly Violation[] {
  const { recorder } = evidence;
  const updates = recorder.moves.filter(({ by }) => by === "update");
  const what = [
    ...updates.flatMap((update) => [
      ...needless(evidence, update),
      ...tooMany(evidence, update, updates),
      ...hasty(evidence, update),
    ]),
    ...leftOver(evidence),
  ];
  return what.map(([at, text]) => ({ rule: "15 updates", at, what: text }));
}

type Found = readonly (readonly [at: number, text: string])[];

function oldOf({ ours }: Evidence, { left }: MoveSpan): readonly OurMachine[] {
  return ours.filter(({ machine }) => left.includes(machine.id));
}

/** What the candidates allow stays: so nothing is replaced twice for one wish. */
function needless(evidence: Evidence, update: MoveSpan): Found {
  return oldOf(evidence, update)
    .filter(({ machine }) => update.allowed.includes(combinationKey(machine.combination)))
    .map(({ machine }) => [update.from, `${machine.id} is replaced, and its fleet's candidates allow it`]);
}

function tooMany({ scenario, recorder, truth }: Evidence, update: MoveSpan, all: readonly MoveSpan[]): Found {
  const { most = 1 } = specOf(scenario, update.owner)?.update ?? {};
  const others = all
    .filter(({ owner, from }) => owner === update.owner && from < update.from)
    .flatMap(({ left }) => left)
    .filter((id) => {
      const asked = recorder.condemned.get(id) ?? Number.POSITIVE_INFINITY;
      const ended = truth.machines.find((each) => each.id === id)?.endedAt ?? truth.now;
      return asked <= update.from && update.from < ended && update.from - asked < STUCK_MS;
    });
  const count = update.left.length + others.length;
  return count > most ? [[update.from, `${count} machines are replaced at once, and ${most} may be`]] : [];
}

/** Where what is new comes first, what is old is stopped for it when that runs. */
function hasty(evidence: Evidence, update: MoveSpan): Found {
  const { ours, recorder, scenario } = evidence;
  const { owner, left, isAhead, from } = update;
  if (!isAhead || (specOf(scenario, owner)?.overshoot ?? 0) > 0) return [];
  return left.flatMap((id) => {
    const at = recorder.updated.get(id);
    if (at === undefined || at < from) return [];
    const gone = oldOf(evidence, update).filter(
      ({ machine }) => (recorder.updated.get(machine.id) ?? at + 1) <= at,
    );
    const came = ours.filter(
      ({ owner: of, post, machine }) =>
        of === owner &&
        post.stamped >= from &&
        machine.states.some((one) => one.state === "running" && one.at <= at),
    );
    const what = `an update stops ${gpusOf(gone)} GPUs, and ${gpusOf(came)} new ones run`;
    return gpusOf(came) < gpusOf(gone) ? [[at, what] as const] : [];
  });
}

/** In the end nothing that is certainly ours stands where its fleet may have nothing. */
function leftOver({ ours, recorder, scenario, said, truth }: Evidence): Found {
  return ours.flatMap(({ machine, owner }) => {
    const spec = specOf(scenario, owner);
    const { keys = [], isHeld = false } = recorder.allowed.get(owner) ?? {};
    const isOurs = said.claims.get(machine.id)?.claim === "certain";
    if (!spec?.update || isHeld || isLimited(spec) || !isOurs || !isLiving(machine, truth.now)) return [];
    if (keys.includes(combinationKey(machine.combination))) return [];
    return [[truth.now, `${machine.id} is of an older wish, and was not replaced`] as const];
  });
}
