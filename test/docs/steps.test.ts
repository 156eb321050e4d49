import { expect, test } from "vitest";
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
