import { expect, it } from "vitest";
import { z } from "zod";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { parseDocument } from "../../service/document/document.ts";

const schema = z.strictObject({ name: z.string() });

function problems(text: string): readonly string[] {
  try {
    parseDocument(text, "f.yaml", schema);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(FleetkeeperError);
    return (error as Error).message.split("\n");
  }
}

it("a file that is larger than any configuration is not read", () => {
  expect(problems(`name: x\n# ${"x".repeat(1_000_000)}`)).toEqual([
    "f.yaml has 1,000,010 characters, and 1,000,000 are the most that is read: is it the right file?",
  ]);
  expect(problems(`name: x\n# ${"x".repeat(900_000)}`)).toEqual([]);
});

it("of a great many mistakes the first are said, and that there are more", () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => `k${index}: 1\n`).join("");
  const said = problems(`name: x\n${keys}`);
  expect(said).toHaveLength(51);
  expect(said[0]).toContain("f.yaml:2:1 k0: is not a known key");
  expect(said.at(-1)).toBe("there is more that is wrong: correct these first");
});

it("of long mistakes so many are said as a person reads", () => {
  const keys = Array.from({ length: 40 }, (_, index) => `${"k".repeat(900)}${index}: 1\n`).join("");
  const said = problems(`name: x\n${keys}`);
  expect(said.join("\n").length).toBeLessThan(21_000);
  expect(said.at(-1)).toBe("there is more that is wrong: correct these first");
});

it("a key that is there twice is found, also within another one", () => {
  expect(problems("name: x\nname: y\n")).toEqual([
    "f.yaml:2:1 this key stands here a second time: keep one of the two",
  ]);
  expect(problems("name: x\nother: { a: 1, b: 2, a: 3 }\n")[0]).toMatch(/^f.yaml:2:22 this key stands/);
});
