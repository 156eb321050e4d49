import fc from "fast-check";
import { createService } from "../../service/client.ts";
import { LONGEST_NAME } from "../../service/contract/limits.ts";
import { parseUsd } from "../../service/contract/money.ts";
import { isUnread } from "../../service/contract/unread.ts";
import { createSimulator, SIMULATOR_URL, VirtualClock } from "../../simulator/index.ts";
import { chosen, edits } from "./damage.ts";
import { type DamagedAnswer, damagedTransport } from "./damaged-transport.ts";
import { demand, demandClear } from "./demand.ts";
import { target } from "./target.ts";
import { WIRES } from "./wires.ts";

/** One answer of a service, by each profile: it is read or refused clearly, and leads to no endless reading. */
const STATUSES = [200, 201, 204, 302, 400, 401, 404, 409, 429, 500, 503];
const WAITS = ["-1", "1e9", "9".repeat(400), "NaN", "Tue, 01 Jan 2030 00:00:00 GMT", "\u0000", "1, 2", ""];

const mostly = <T>(usual: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: seldom });

export const damagedAnswers: fc.Arbitrary<DamagedAnswer> = fc.record({
  values: edits(3),
  text: mostly(fc.constant([]), edits(2)),
  status: mostly<number | undefined>(fc.constant(undefined), fc.constantFrom(...STATUSES)),
  retryAfter: mostly<string | undefined>(fc.constant(undefined), fc.constantFrom(...WAITS)),
});

const ASKED = ["account", "balance", "deployments", "deployment", "offers", "launch", "stop"] as const;

interface Asked {
  readonly wire: number;
  readonly asked: (typeof ASKED)[number];
  readonly damage: DamagedAnswer;
}

/** One page leads to the next one, and a question is sent again a few times. */
const MOST_REQUESTS = 200;
const REFUSALS = [
  ...(["PROFILE_PART_MISSING", "CREDENTIAL", "UNREACHABLE", "UNREADABLE_ANSWER"] as const),
  ...(["LIST_INCOMPLETE", "REFUSED"] as const),
];

async function ask({ wire, asked, damage }: Asked): Promise<void> {
  const clock = new VirtualClock();
  const { profile, dialect, offer, settings, parameters = {} } = chosen(WIRES, wire);
  const simulator = createSimulator({ clock, dialect, offers: [offer] });
  const [id = ""] = [1, 2].map(() => simulator.control.launchByHand(offer));
  let requests = 0;
  const service = createService({
    ...{ profile, clock, baseUrl: SIMULATOR_URL, secret: simulator.apiKey, random: () => 0.5 },
    ...(settings && { settings }),
    transport: damagedTransport(simulator.transport, () => {
      requests += 1;
      demand(requests < MOST_REQUESTS, `${asked} asks ${requests} times`);
      return damage;
    }),
  });
  const { signal } = new AbortController();
  const questions: Readonly<Record<Asked["asked"], () => Promise<unknown>>> = {
    account: () => service.account(signal),
    balance: () => service.balance(signal),
    deployments: () => service.deployments(signal),
    deployment: () => service.deployment(id, signal),
    offers: () => service.offers(signal),
    launch: () => service.launch({ ...offer, marker: "fuzz", parameters }, signal),
    stop: () => service.stop({ id }, signal),
  };
  const said = await clock.run(questions[asked]()).catch((error: unknown) => {
    // What a launch became is always said: an exception would leave it open, or have it sent again.
    if (asked === "launch") throw error;
    demandClear(error, REFUSALS);
  });
  for (const each of [said].flat()) demandFit(each);
}

/** Names, prices and sizes that the ledger and sums can hold. */
function demandFit(said: unknown): void {
  if (typeof said !== "object" || said === null || isUnread(said) || "kind" in said) return;
  for (const [key, value] of Object.entries(said)) {
    if (
      ["id", "status", "offer", "provider", "location", "marker", "gpuModel"].includes(key) &&
      value !== undefined
    )
      demand(
        typeof value === "string" && value !== "" && value.length <= LONGEST_NAME && value.isWellFormed(),
        `${key} is ${JSON.stringify(value)}`,
      );
    if (["pricePerHour", "balance"].includes(key) && value !== undefined)
      demand(parseUsd(String(value)) !== undefined, `${key} is ${JSON.stringify(value)}`);
    if (["gpus", "stock", "retryAfter", "cools"].includes(key) && value !== undefined)
      demand(Number.isFinite(value) && Number(value) >= 0, `${key} is ${JSON.stringify(value)}`);
  }
}

export const answerTarget = target<Asked>({
  name: "answers",
  runs: 15_000,
  inputs: fc.record({ wire: fc.nat(), asked: fc.constantFrom(...ASKED), damage: damagedAnswers }),
  run: ask,
});
