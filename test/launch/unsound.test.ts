import { expect, it } from "vitest";
import { haltsOf, resume } from "../../launch/people/operator.ts";
import { LaunchBench } from "./bench.ts";

/** A decision that would write a launch at another price than it was admitted for. */
function refused(on: LaunchBench, id: string): void {
  expect(() =>
    on.decide((draft) => draft.putIntent({ ...on.intent(id), pricePerHour: "1.0000" })),
  ).toThrowError(expect.objectContaining({ code: "UNSOUND" }));
}

it("a refused decision halts launches, also one that is written and not sent; nothing is stopped for it, and resume goes on", () => {
  const on = new LaunchBench();
  on.machine("m1");
  on.list();
  const waiting = on.admit({ offer: "h100-1", location: "rome" });
  if ("refused" in waiting) throw new Error(waiting.refused.text);
  refused(on, on.row("m1").intent ?? "");
  expect(on.stamp(waiting.intent.id)).toBe(false);
  expect(on.intent(waiting.intent.id).state).toBe("notSent");
  expect(on.why(on.admit())).toBe("unsound");
  expect(on.told("halted")).toEqual([expect.stringMatching(/against the rule price .* fleetkeeper resume$/)]);
  on.poll(60_000);
  expect(on.row("m1")).toMatchObject({ end: null, stop: null, claim: "certain" });
  on.show("m1", { status: "interrupted" });
  on.poll(60_000);
  expect(on.row("m1").end).toBe("interrupted");
  expect(on.why(on.admit())).toBe("unsound");
  expect(on.decide(resume)).toMatchObject({ unsound: true, halted: 0 });
  expect(haltsOf(on.rows.account)).toEqual([]);
  expect(on.why(on.admit())).toBe("admitted");
  expect(on.decide(resume)).toMatchObject({ unsound: false });
});
