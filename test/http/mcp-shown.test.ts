import { describe, expect, it } from "vitest";
import type { Order } from "../../agent/orders/order.ts";
import { ORDERS } from "../../agent/orders/orders.ts";
import { moreThanShown } from "../../agent/tell/http/mcp/more-than-shown.ts";

describe("more than was shown", () => {
  const launch = { pricePerHour: "2.0000" };
  const plan = (launches: object[], stops: string[], more = {}) =>
    ({
      fleets: [{ fleet: "training", launches, stops: stops.map((id) => ({ id })) }],
      believed: true,
      answer: {},
      ...more,
    }) as never;
  const goesOn = ORDERS.find(({ name }) => name === "drain");
  const before = { order: goesOn as Order, target: "", body: {}, foreseen: plan([launch], ["a", "b"]) };

  it.each([
    ["another machine to be stopped", plan([launch], ["a", "c"]), /more machines would be stopped/],
    ["another launch", plan([launch, launch], ["a"]), /2 machines would be launched, and not 1/],
    ["a higher price", plan([{ pricePerHour: "2.0001" }], []), /2\.0001 an hour, and not 2\.0000/],
    ["an unknown price", plan([{ pricePerHour: null }], []), /of unknown price/],
    ["another answer of an order that stops", plan([], [], { answer: { machines: 3 } }), /what it stops/],
    ["a list that is not believed", plan([], [], { believed: false }), /not believed/],
    ["less of all", plan([], ["b"]), undefined],
  ])("is %s", (_, now, why) => {
    const said = moreThanShown(before, now);
    if (why) expect(said).toMatch(why);
    else expect(said).toBeUndefined();
  });

  it("is more launches of one fleet, whatever another one does less", () => {
    const of = (training: number, other: number) => ({
      believed: true,
      answer: {},
      fleets: Object.entries({ training, other }).map(([fleet, count]) => ({
        fleet,
        launches: Array.from({ length: count }, () => launch),
        stops: [],
      })),
    });
    const shown = { ...before, foreseen: of(1, 8) as never };
    expect(moreThanShown(shown, of(1, 0) as never)).toBeUndefined();
    expect(moreThanShown(shown, of(2, 0) as never)).toMatch(/2 machines would be launched, and not 1/);
  });

  it("is another fleet that a file would drain, also one without machines", () => {
    const declare = ORDERS.find(({ name, about }) => name === "declare" && about === "file") as Order;
    const shown = {
      ...before,
      order: declare,
      foreseen: plan([], [], { answer: { changes: [], drains: [] } }),
    };
    const now = plan([], [], { answer: { changes: ["new is left out, and drains"], drains: ["new"] } });
    expect(moreThanShown(shown, now)).toMatch(/what it stops/);
  });
});
