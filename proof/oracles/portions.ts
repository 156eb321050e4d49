import { combinationKey } from "../../service/contract/contract.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { specOf } from "../scenario/scenario.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { aliveAt, gpusOf } from "./evidence.ts";

/** The parts of a fleet, and what is on its way between them, are the whole at every commit. */
export function portionsAreTheWhole({ recorder }: Evidence): readonly Violation[] {
  return recorder.surpluses.map(({ at, what }) => ({ rule: "13 portions", at, what }));
}

/** Where nothing happens, each machine is the cheapest by the work that it does, over all services. */
export function cheapestByWork({ scenario, ours }: Evidence): readonly Violation[] {
  const { services, events, offers } = scenario;
  if (!services || events.length > 0) return [];
  return ours.flatMap(({ machine, owner }) => {
    const at = machine.committedAt;
    const { worth = {} } = specOf(scenario, owner) ?? {};
    const byWork = ({ pricePerHour, gpuModel, gpus }: Scenario["offers"][number]): number =>
      Number(pricePerHour) / gpus / Number(worth[gpuModel ?? ""] ?? 1);
    const before = ours.filter((each) => each.machine.committedAt <= at && each.machine !== machine);
    const free = offers.filter((offer) => before.filter((each) => isAt(each, offer)).length < offer.capacity);
    const taken = offers.find((offer) => isAt({ machine }, offer));
    const best = Math.min(...free.map(byWork));
    if (!taken || byWork(taken) <= best + 1e-9) return [];
    const what = `${owner} pays ${byWork(taken)} USD for the work of an hour, and ${best} was to be had`;
    return [{ rule: "13 by work", at, what }];
  });
}

function isAt({ machine }: Pick<OurMachine, "machine">, offer: Scenario["offers"][number]): boolean {
  return combinationKey(machine.combination) === combinationKey(offer);
}

/** No service has more of a fleet that is spread than its share. */
export function spreadLimit({ scenario, recorder, ours }: Evidence): readonly Violation[] {
  const { atLeast } = scenario;
  if (atLeast === undefined) return [];
  return ours.flatMap(({ machine, owner, late, post }) => {
    const at = machine.committedAt;
    const { provider } = machine.combination;
    const there = ours.filter(
      (each) =>
        each.owner === owner && each.machine.combination.provider === provider && aliveAt(each.machine, at),
    );
    const wishes = recorder.wishes.filter(
      ({ owner: whose, from, until }) => whose === owner && from <= at && until >= post.stamped - 60_000,
    );
    const most = Math.max(...wishes.map(({ gpus, overshoot }) => Math.ceil(gpus / atLeast) + overshoot));
    const has = gpusOf(there);
    if (late || has <= most) return [];
    return [
      { rule: "13 spread", at, what: `${provider} has ${has} GPUs, and ${most} are the most of one service` },
    ];
  });
}
