import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { describe } from "vitest";
import { isCi } from "../../scripts/setup/set-up.mjs";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A suite in a real Chromium. Where there is none it is skipped by its name; in a CI that is a failure. */
export function describeInChromium(name: string, suite: () => void): void {
  if (process.env.FLEETKEEPER_CHROMIUM || isCi(process.env)) return void describe(name, suite);
  describe.skip(`${name} [skipped: no Chromium; npm test finds or installs one]`, suite);
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env.FLEETKEEPER_CHROMIUM;
  if (!executablePath)
    throw new Error("there is no Chromium here, and CI is set: see the notice of the set-up");
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A blank page, and what goes wrong in it from then on: errors of its scripts and of its console. */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}
