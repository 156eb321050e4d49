import { expect, it } from "vitest";
import { MINUTE_MS } from "../../ledger/instant.ts";
import { declareTwo, keeperOn, startAgent } from "../../proof/fuzz/agent-on.ts";
import { WIRES } from "../../proof/fuzz/wires.ts";
import type { Transport } from "../../service/contract/transport.ts";
import { createSimulator, VirtualClock } from "../../simulator/index.ts";

it("keeps the machine that shows its launch's marker, where the answer named another id", async () => {
  const [wire] = WIRES;
  if (!wire) throw new Error("no wire");
  const clock = new VirtualClock();
  const { dialect, offer } = wire;
  const simulator = createSimulator({ clock, dialect, offers: [offer], balance: "100000.0000" });
  const stopped: string[] = [];
  let launched = 0;
  const transport: Transport = async (request, signal) => {
    const answer = await simulator.transport(request, signal);
    if (request.method !== "POST") return answer;
    if (request.url.endsWith("/stop")) stopped.push(request.url.split("/").at(-2) ?? "");
    // The first one proves the profile.
    if (answer.status !== 201 || ++launched !== 2) return answer;
    const id = simulator.living().at(-1)?.id ?? "";
    return { ...answer, body: answer.body.replaceAll(id, "nobody") };
  };
  const keeper = await keeperOn({ wire, clock, simulator, transport });
  await declareTwo(keeper, wire);
  const agent = startAgent(keeper, clock, (error) => expect(error.code).toBe(undefined));
  await clock.advance(90 * MINUTE_MS);
  await agent.end();
  keeper.ledger.close();
  expect(simulator.living()).toHaveLength(2);
  expect(simulator.truth().launches).toHaveLength(2);
  expect([...new Set(stopped)]).toEqual(["nobody"]);
});
