import { describe, expect, it } from "vitest";
import type { Order } from "../../agent/orders/order.ts";
import { ORDERS } from "../../agent/orders/orders.ts";
import { moreThanShown } from "../../agent/tell/http/mcp/more-than-shown.ts";

describe("more than was shown", () => {
  const launch = { pricePerHour: "2.0000" };
  const plan = (launches: object[], stops: string[], more = {}) =>
    ({
      fleets: [{ launches, stops: stops.map((id) => ({ id })) }],
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
});
