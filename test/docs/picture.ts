import { join } from "node:path";
import { launchChromium } from "../http/chromium.ts";
import { badDay } from "../http/scene.ts";

/*
 * Draws docs/status-page.png: the agent's page on a simulated bad day. Run it when the page looks otherwise than on the
 * picture: `FLEETKEEPER_CHROMIUM=/usr/bin/chromium node test/docs/picture.ts`.
 */
const browser = await launchChromium();
const on = await badDay("shared");
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 1000 }, colorScheme: "light" });
  await page.goto(on.server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.screenshot({ path: join(import.meta.dirname, "..", "..", "docs", "status-page.png") });
} finally {
  await on.close();
  await browser.close();
}
