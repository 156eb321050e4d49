import { expect, test } from "vitest";
import { isSameOutput } from "./same-output.ts";
import { stepsOf } from "./steps.ts";

const LS = "```sh\nls\n```\n";
const OUTPUT = "```text\nfleet.yaml\n```\n";

test.each([
  ["right behind its commands", `${LS}\n${OUTPUT}`],
  ["after a sentence", `${LS}\nIt prints:\n\n${OUTPUT}`],
])("an output is compared: %s", (_, page) => {
  expect(stepsOf(page)).toMatchObject([{ kind: "run", output: "fleet.yaml\n" }]);
});

test.each([
  ["under another heading", `${LS}\n## Next\n\n${OUTPUT}`],
  ["before any commands", `Look:\n\n${OUTPUT}`],
  ["as a second one", `${LS}\n${OUTPUT}\n${OUTPUT}`],
])("an output that belongs to no commands is an error: %s", (_, page) => {
  expect(() => stepsOf(page)).toThrow("no block of commands in this section has this output");
});

test("the output of commands that are not run is no step", () => {
  expect(stepsOf(`<!-- run: not here, it costs money -->\n${LS}\nIt prints:\n\n${OUTPUT}`)).toEqual([]);
});

test("an output is the same whether or not a look fell into what a machine passes through, and another word is not", () => {
  const id = "02c83c6f-0326-49ea-b801-13a2effd513d";
  const shown = `    web: stopping ${id}, which is running\n\nResources:\n`;
  const passing = shown.replace("\n", `\n    web: ${id} is stopping\n`);
  expect(isSameOutput(shown, passing) && isSameOutput(passing, shown)).toBe(true);
  expect(isSameOutput(shown, passing.replace("is stopping", "is still running"))).toBe(false);
  expect(isSameOutput(shown, shown.replace("which is running", "which is starting"))).toBe(false);
  expect(isSameOutput(`${id} is stopping\n${id} stopped\n`, `${id} stopped\n`)).toBe(true);
});

test("a machine that a page shows on its way may be further when somebody looks, and none is further back", () => {
  const [early, late] = ["provisioning", "running"].map(
    (state) => `02c83c6f-0326-49ea-b801-13a2effd513d  ${state}  oslo`,
  );
  expect(isSameOutput(early as string, late as string)).toBe(true);
  expect(isSameOutput(late as string, early as string)).toBe(false);
});

test("what was just now may be some time ago when somebody looks", () => {
  const shown = "Account you@example.com (newest list: just now):\n";
  for (const ago of ["12 s ago", "2 min ago", "1 h 20 min ago"])
    expect(isSameOutput(shown, shown.replace("just now", ago))).toBe(true);
  expect(isSameOutput(shown, shown.replace("just now", "never"))).toBe(false);
});
