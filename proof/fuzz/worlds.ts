import fc from "fast-check";
import { MINUTE_MS } from "../../ledger/instant.ts";
import { createSimulator, VirtualClock } from "../../simulator/index.ts";
import { declareTwo, keeperOn, MACHINES, startAgent } from "./agent-on.ts";
import { damagedAnswers } from "./answers.ts";
import { chosen, TEXT_KINDS } from "./damage.ts";
import { type DamagedAnswer, damagedTransport } from "./damaged-transport.ts";
import { demand, demandClear } from "./demand.ts";
import { target } from "./target.ts";
import { WIRES } from "./wires.ts";

/**
 * The agent keeps two machines while some answers are damaged, and then none any more. By the simulator's books: it lives, it has
 * paid for no machine that no damaged answer explains, and in the end it has what was asked for, or says why not.
 */
interface Play {
  readonly wire: number;
  /** Only what answers a POST is damaged, by a cut, and counted. */
  readonly onlyPosts: boolean;
  /** What happens to the answer after so many others, since the last damaged one. */
  readonly damaged: readonly { readonly after: number; readonly damage: DamagedAnswer }[];
  /** One machine is lost on the way. */
  readonly loses: boolean;
}

/** Longer than any backoff, and than lists take to show what lifts a halt. */
const CALM_MS = 90 * MINUTE_MS;
const MOST_REQUESTS = 4_000;

async function play({ wire: number, onlyPosts, damaged, loses }: Play): Promise<void> {
  const clock = new VirtualClock();
  const wire = chosen(WIRES, number);
  const { dialect, offer } = wire;
  const simulator = createSimulator({ clock, dialect, offers: [offer], balance: "100000.0000" });
  const left = [...damaged];
  let isNoisy = false;
  let [requests, since, explained] = [0, 0, 0];
  const transport = damagedTransport(simulator.transport, (method) => {
    demand(++requests < MOST_REQUESTS, `${requests} requests in two hours`);
    if (!isNoisy || (onlyPosts && method !== "POST")) return undefined;
    if (since++ < (left[0]?.after ?? Number.POSITIVE_INFINITY)) return undefined;
    since = 0;
    const damage = left.shift()?.damage;
    // An answer that was cut says nothing: what it launched is looked for, and never launched again. One with another id, or
    // a list that lacks machines, is believed after a while.
    explained += onlyPosts ? 0 : MACHINES;
    return damage;
  });
  const keeper = await keeperOn({ wire, clock, simulator, transport });
  await declareTwo(keeper, wire);
  const agent = startAgent(keeper, clock, (error) => demandClear(error, READ_ERRORS));
  isNoisy = true;
  await clock.advance(12 * MINUTE_MS);
  const [first] = simulator.living();
  if (loses && first) simulator.control.interrupt(first.id, { now: true });
  await clock.advance(18 * MINUTE_MS);
  isNoisy = false;
  await clock.advance(CALM_MS);
  const ended = await agent.end();
  keeper.ledger.close();
  if (ended !== undefined) throw ended;
  const [launches, living] = [simulator.truth().launches.length, simulator.living().length];
  const most = MACHINES + (loses ? 1 : 0) + explained;
  demand(launches <= most, `${launches} launches, where damaged answers explain ${most}`);
  demand(living <= MACHINES, `${living} machines run, and ${MACHINES} are wanted`);
  demand(living === MACHINES || agent.reasons().length > 0, `${living} machines run, and nothing says why`);
}

const READ_ERRORS = [
  ...(["CREDENTIAL", "UNREACHABLE", "UNREADABLE_ANSWER", "LIST_INCOMPLETE", "REFUSED"] as const),
  ...(["WRONG_ACCOUNT", "BUSY"] as const),
];

const cut: fc.Arbitrary<DamagedAnswer> = fc.nat().map((where) => ({
  values: [],
  text: [{ where, how: TEXT_KINDS.indexOf("cut"), what: 0 }],
}));

const plays = (
  onlyPosts: boolean,
  furthest: number,
  damage: fc.Arbitrary<DamagedAnswer>,
): fc.Arbitrary<Play> =>
  fc.record({
    wire: fc.nat(),
    onlyPosts: fc.constant(onlyPosts),
    damaged: fc.array(fc.record({ after: fc.nat(furthest), damage }), { minLength: 1, maxLength: 5 }),
    loses: fc.boolean(),
  });

export const worldTarget = target<Play>({
  name: "worlds",
  runs: 400,
  inputs: fc.oneof(plays(true, 1, cut), plays(false, 30, damagedAnswers)),
  run: play,
});
