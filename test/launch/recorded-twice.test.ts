import { expect, it } from "vitest";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { LaunchBench } from "./bench.ts";

/*
 * An answer is recorded until it is known to be recorded (launch/protocol.ts). So it may be recorded twice: by a
 * commit of which nobody knew, and again.
 */

const ANSWERS: readonly LaunchAnswer[] = [
  { kind: "accepted", id: "m1", deployment: { status: "initializing" } },
  { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 45 },
  { kind: "rejected", status: 422, code: "no_capacity" },
  { kind: "rejected", status: 429, retryAfter: 5 },
  { kind: "notSent", reason: "connection refused" },
  { kind: "unknown", reason: "connection reset" },
];

it.each([true, false])(
  "the second time tells and changes nothing (an unproven profile: %s)",
  async (unproven) => {
    for (const answer of ANSWERS) {
      const bench = new LaunchBench({ unproven });
      const intent = bench.launch();
      const outcome = bench.answer(intent, answer);
      const [rows, events] = [await bench.ledger.read(bench.account), bench.ledger.eventsNow(bench.account)];
      expect(bench.answer(intent, answer), answer.kind).toEqual(outcome);
      const again = await bench.ledger.read(bench.account);
      for (const table of ["account", "intents", "deployments", "cooldowns"] as const)
        expect(again[table], answer.kind).toEqual(rows[table]);
      expect(bench.ledger.eventsNow(bench.account), answer.kind).toEqual(events);
    }
  },
);
