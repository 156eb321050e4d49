import { combinationKey } from "../../service/contract/contract.ts";
import { specOf } from "../scenario/scenario.ts";
import type { Evidence, Violation } from "./evidence.ts";
import { isLiving } from "./evidence.ts";

/** How long lists must show a machine before a launch must respect it: lists fail, and launches go on. */
const SHOWN_MS = 60_000;

/**
 * On an exclusive account nothing is rented beside a fitting machine that lists showed and nobody has, also
 * after a lost or restored ledger. Nothing is matched while another launch is open, or where lists show no
 * combination.
 */
export function matchedFirst({ scenario, truth, recorder }: Evidence): readonly Violation[] {
  if (scenario.tenure !== "exclusive" || scenario.wire === "nothing") return [];
  const there = truth.machines.filter(
    ({ id, origin }) => origin.by === "hand" && !recorder.forgotten.has(id),
  );
  return recorder.posts.flatMap(({ entry, stamped, marker }) => {
    const launch = truth.launches[entry - 1];
    const owner = String(launch?.parameters.owner);
    const spec = specOf(scenario, owner);
    if (!launch?.combination || !spec || !recorder.alone.has(marker)) return [];
    const choices = spec.select ? scenario.offers : spec.candidates;
    const launched = gpusAt(choices, combinationKey(launch.combination));
    const left = there.find(
      (machine) =>
        gpusAt(choices, combinationKey(machine.combination)) <= launched &&
        isLiving(machine, stamped) &&
        (recorder.seen.get(machine.id) ?? Number.POSITIVE_INFINITY) + SHOWN_MS <= stamped &&
        (recorder.claimed.get(machine.id) ?? Number.POSITIVE_INFINITY) > stamped,
    );
    if (!left) return [];
    const what = `${owner} launched, and ${left.id.slice(0, 8)} fits and is nobody's`;
    return [{ rule: "4.7 match first", at: stamped, what }];
  });
}

/** No GPUs counts as more than any launch makes. */
function gpusAt(choices: Evidence["scenario"]["offers"], key: string): number {
  return choices.find((each) => combinationKey(each) === key)?.gpus ?? Number.POSITIVE_INFINITY;
}
