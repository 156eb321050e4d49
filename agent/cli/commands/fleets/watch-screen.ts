import { setTimeout as sleep } from "node:timers/promises";
import { isDown, isLedgerBusy } from "../../../../service/contract/errors.ts";
import { cleanFor, timeOfDay } from "../../../fleet/text/text.ts";
import { type CliContext, mistake, printingEnds } from "../shared/cli-context.ts";

/** The wait between two looks. A look reads a local file, or asks an agent, and costs little. */
const LOOK_MS = 1_000;
/** The longest one, where no answer comes: each wait is twice the one before. */
const LONGEST_MS = 30_000;

const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

/**
 * Shows a text on the terminal's other screen, as `watch` and `less` do, and draws it again when it changes.
 * It ends when the signal aborts or nobody reads; the terminal is then as before. Lines that do not fit are
 * cut, and their count is shown. Once it has drawn, an answer that does not come is told there, and asked for again: an
 * agent may begin anew. A token that is refused ends it. Throws CONFIG if there is no terminal.
 */
export async function watchScreen(text: () => Promise<string>, cli: CliContext): Promise<void> {
  const { screen } = cli;
  const signal = printingEnds(cli);
  if (!screen) {
    throw mistake(
      "--watch draws on a terminal, and standard output is none. Without it the same is printed once; fleetkeeper history --json is for programs.",
    );
  }
  const clean = cleanFor(cli);
  let drawn = "";
  let seen: { readonly text: string; readonly at: number } | undefined;
  let failures = 0;
  screen.write(ENTER);
  try {
    while (!signal.aborted) {
      let wait = LOOK_MS;
      let trouble = "";
      try {
        seen = { text: await text(), at: Date.now() };
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (!seen || !(isDown(error) || isLedgerBusy(error))) throw error;
        wait = Math.min(LOOK_MS * 2 ** ++failures, LONGEST_MS);
        trouble = `No answer since then. Asked again in ${wait / 1000} s: ${clean(error.message)}`;
      }
      const frame = whatFits(seen, trouble, screen.rows());
      if (frame !== drawn) screen.write(toScreen(frame));
      drawn = frame;
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    screen.write(LEAVE);
  }
}

/** As many lines as fit below the title. */
function whatFits(
  { text, at }: { readonly text: string; readonly at: number },
  trouble: string,
  rows: number,
): string {
  const title = `fleetkeeper status at ${timeOfDay(at)}; Ctrl-C ends it`;
  const lines = text.split("\n");
  const room = Math.max(1, rows - 2);
  const shown =
    lines.length <= room
      ? lines
      : [...lines.slice(0, room - 1), `... and ${lines.length - room + 1} lines more`];
  return [title, trouble, ...shown].join("\n");
}

/** Draws over the old text, line by line: clearing the screen first would flicker. */
function toScreen(frame: string): string {
  const lines = frame.split("\n").map((line) => `${line}\u001b[K`);
  return `\u001b[H${lines.join("\r\n")}\u001b[J`;
}
