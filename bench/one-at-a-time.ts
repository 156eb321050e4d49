import pRetry from "p-retry";
import type { Service } from "../service/contract/service.ts";
import { readable } from "../service/contract/unread.ts";
import type { VirtualClock } from "../simulator/index.ts";

const RETRIES = 20;
const LOOK_MS = 5_000;

/**
 * What a person would write: one machine after the other, a retry around each launch, the cheapest offer
 * first and the next one at each further try. `untilRunning`: it waits for a machine before it launches the
 * next, as a script does that sets machines up.
 */
export async function oneAtATime(
  service: Service,
  clock: VirtualClock,
  machines: number,
  untilRunning: boolean,
): Promise<void> {
  const signal = new AbortController().signal;
  const launchOne = async (attempt: number): Promise<string> => {
    const offers = readable(await service.offers(signal))
      .filter(({ available }) => available !== false)
      .sort((one, other) => Number(one.pricePerHour) - Number(other.pricePerHour));
    const offer = offers[(attempt - 1) % offers.length];
    if (!offer) throw new Error("nothing is available");
    const answer = await service.launch({ ...offer, marker: "", parameters: {} }, signal);
    if (answer.kind !== "accepted") throw new Error(answer.kind === "rejected" ? answer.code : answer.reason);
    return answer.id;
  };
  for (let machine = 0; machine < machines; machine++) {
    const id = await pRetry(launchOne, { retries: RETRIES });
    while (untilRunning && (await service.deployment(id, signal))?.status !== "running")
      await clock.sleep(LOOK_MS);
  }
}

/** p-retry waits by `setTimeout`: from here on that is this clock's. */
export function waitBy(clock: VirtualClock): void {
  globalThis.setTimeout = ((wake: () => void, ms: number) => {
    void clock.sleep(ms).then(wake);
    return {};
  }) as unknown as typeof setTimeout;
}
