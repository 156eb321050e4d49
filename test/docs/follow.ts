import { readFileSync } from "node:fs";
import { stepsOf } from "./steps.ts";
import { Terminal } from "./terminal.ts";

/*
 * For whoever writes a page: `node test/docs/follow.ts docs/start/first-machine.md` does what it says and prints what
 * comes. It goes on where the page shows something else.
 */
const [page = ""] = process.argv.slice(2);
const terminal = await Terminal.open({ onPrinted: (printed) => console.log(printed) });
try {
  for (const step of stepsOf(readFileSync(page, "utf8"))) {
    console.log(`\n== line ${step.line}\n${step.kind === "run" ? `$ ${step.script}` : step.kind}`);
    await terminal.follow(step).catch((error: Error) => {
      console.log(`-- NOT AS THE PAGE SAYS: ${error.message}`);
      process.exitCode = 1;
    });
  }
} finally {
  await terminal.close();
}
