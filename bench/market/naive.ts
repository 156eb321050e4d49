import type { Player } from "../../agent/whatif/play.ts";
import { readable } from "../../service/contract/unread.ts";

/** Out of step with the service's health check. */
const LOOK_MS = 61_000;

/** What a person would write: once a minute, count what lives, and launch the cheapest offers that are to be had for the rest. */
export function naive(wanted: number): Player {
  return async ({ keeper, clock }) => {
    const { service } = keeper;
    const signal = new AbortController().signal;
    const ended = new Set(["stopped", "failed", "interrupted"]);
    const sizes = new Map<string, number>();
    const look = async (): Promise<void> => {
      const list = readable((await service.deployments(signal)) ?? []);
      const living = list.filter(({ status }) => !ended.has(status));
      let missing = wanted - living.reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0);
      if (missing <= 0) return;
      const offers = readable(await service.offers(signal))
        .filter(({ available }) => available !== false)
        .sort((one, other) => Number(one.pricePerHour) / one.gpus - Number(other.pricePerHour) / other.gpus);
      for (const offer of offers) {
        while (offer.gpus <= missing) {
          const answer = await service.launch({ ...offer, marker: "", parameters: {} }, signal);
          if (answer.kind !== "accepted") break;
          sizes.set(answer.id, offer.gpus);
          missing -= offer.gpus;
        }
      }
    };
    void (async () => {
      for (;;) {
        await look();
        await clock.sleep(LOOK_MS);
      }
    })();
  };
}
