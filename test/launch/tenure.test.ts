import { expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

it.each([
  ["unstated", false, "tenure"],
  ["unstated", true, "admitted"],
  ["exclusive", false, "admitted"],
  ["shared", false, "admitted"],
] as const)("an account that is %s, with a marker: %s -> %s", (tenure, marker, why) => {
  const bench = new LaunchBench({ tenure, marker });
  bench.list();
  expect(bench.why(bench.admit())).toBe(why);
});

it("takes an unstated account for a shared one: nothing but a marker makes a claim certain by looking", () => {
  const bench = new LaunchBench({ tenure: "unstated", marker: true });
  const intent = bench.launch();
  bench.lose(intent);
  for (const id of ["m1", "m2"]) bench.show(id);
  bench.poll(15_000);
  expect(bench.intent(intent).state).toBe("disputed");
});
