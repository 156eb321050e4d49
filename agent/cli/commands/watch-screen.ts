import { setTimeout as sleep } from "node:timers/promises";
import { timeOfDay } from "../../fleet/text.ts";
import { type CliContext, mistake, printingEnds } from "./cli-context.ts";

/** The wait between two looks. A look reads a local file and costs little. */
const LOOK_MS = 1_000;

const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

/**
 * Shows a text on the terminal's other screen, as `watch` and `less` do, and draws it again when it changes.
 * It ends when the signal aborts or nobody reads; the terminal is then as before. Lines that do not fit are
 * cut, and their count is shown. Throws CONFIG if there is no terminal.
 */
export async function watchScreen(text: () => Promise<string>, cli: CliContext): Promise<void> {
  const { screen } = cli;
  const signal = printingEnds(cli);
  if (!screen) {
    throw mistake(
      "--watch draws on a terminal, and standard output is none. Without it the same is printed once; fleetkeeper history --json is for programs.",
    );
  }
  let drawn = "";
  screen.write(ENTER);
  try {
    while (!signal.aborted) {
      const frame = whatFits(await text(), screen.rows());
      if (frame !== drawn) screen.write(toScreen(frame));
      drawn = frame;
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    screen.write(LEAVE);
  }
}

/** As many lines as fit below the title. */
function whatFits(text: string, rows: number): string {
  const title = `fleetkeeper status at ${timeOfDay(Date.now())}; Ctrl-C ends it`;
  const lines = text.split("\n");
  const room = Math.max(1, rows - 2);
  const shown =
    lines.length <= room
      ? lines
      : [...lines.slice(0, room - 1), `... and ${lines.length - room + 1} lines more`];
  return [title, "", ...shown].join("\n");
}

/** Draws over the old text, line by line: clearing the screen first would flicker. */
function toScreen(frame: string): string {
  const lines = frame.split("\n").map((line) => `${line}\u001b[K`);
  return `\u001b[H${lines.join("\r\n")}\u001b[J`;
}
