import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Step, stepsOf } from "./steps.ts";
import { Terminal } from "./terminal.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

const pages = ["start", "tasks"].flatMap((folder) =>
  readdirSync(join(DOCS, folder)).flatMap((name) => (name.endsWith(".md") ? [`${folder}/${name}`] : [])),
);
const steps = new Map<string, readonly Step[]>(
  pages.map((page) => [page, stepsOf(readFileSync(join(DOCS, page), "utf8"))]),
);

/** What a reader does, page after page: each block runs in a shell, and prints what the page shows. */
describe("every command of", () => {
  test.each(pages.filter((page) => steps.get(page)?.length))("docs/%s", async (page) => {
    const terminal = await Terminal.open();
    onTestFinished(() => terminal.close());
    for (const step of steps.get(page) ?? [])
      await terminal.follow(step).catch((error: Error) => {
        throw new Error(`docs/${page}:${step.line}: ${error.message}`, { cause: error });
      });
  });
});

test("there are pages with commands", () => {
  expect(pages.filter((page) => steps.get(page)?.some(({ kind }) => kind === "run")).length).toBeGreaterThan(
    3,
  );
});
