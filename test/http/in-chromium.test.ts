import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeInChromium, launchChromium, watchedPage } from "./chromium.ts";
import { befoul } from "./hostile.ts";
import type { Scene } from "./scene.ts";
import { badDay, MINUTE, NORTH, scene } from "./scene.ts";

describeInChromium("the status page in a browser", () => {
  let browser: Browser;
  let on: Scene | undefined;
  let complaints: readonly string[];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await on?.close();
  });

  async function open(options: BrowserContextOptions = {}, path = "/"): Promise<Page> {
    const watched = await watchedPage(browser, options);
    const { page } = watched;
    complaints = watched.complaints;
    await page.goto(on?.server.url.slice(0, -1) + path);
    return page;
  }

  /** Evaluated in the page; as text, since the types here know no document. */
  const ask = <T>(page: Page, script: string): Promise<T> => page.evaluate(script) as Promise<T>;
  const isLive = (page: Page): Promise<void> => page.getByText("Live", { exact: true }).waitFor();

  async function quiet(): Promise<void> {
    on = await scene({ balance: "5000.0000" });
    await on.declare({ training: { gpus: 16, candidates: [NORTH] } });
    on.start();
    await on.clock.advance(10 * MINUTE);
  }

  it("is live of a fresh list alone: in an outage it says how old everything is, and is live again after it", async () => {
    await quiet();
    const page = await open();
    await isLive(page);
    on?.simulator.control.faults.chance("deployments", [{ fault: { kind: "refuse" }, probability: 1 }]);
    await on?.clock.advance(20 * MINUTE);
    const live = page.locator("#live");
    // As old as it was at the last poll: how many polls came in between is the agent's affair.
    await live.getByText(/^As of \d\d:\d\d, 1\d min ago$|, 20 min ago$/).waitFor();
    await page.getByText(/it may have changed since/).waitFor();
    await page.getByText(/The service cannot be read since/).waitFor();
    if (process.env.FLEETKEEPER_SHOTS)
      await page.screenshot({ path: `${process.env.FLEETKEEPER_SHOTS}/outage.png`, fullPage: true });
    on?.simulator.control.faults.clear();
    await on?.clock.advance(2 * MINUTE);
    await isLive(page);
    expect(await page.getByText(/it may have changed since/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("loads under its own policy without a complaint, styled and charted", async () => {
    await quiet();
    const page = await open();
    await isLive(page);
    expect(await page.title()).toBe("16 of 16 GPUs · fleetkeeper");
    expect(await ask<string>(page, "getComputedStyle(document.querySelector('.tiles')).display")).toBe(
      "grid",
    );
    const drawn = await ask<number[]>(
      page,
      "[...document.querySelectorAll('.chart path.stroke')].map((path) => path.getBoundingClientRect().width)",
    );
    expect(drawn.length).toBeGreaterThanOrEqual(3);
    expect(await page.getByRole("img", { name: "GPUs of training" }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it("shows what changes without being asked, and leaves folds and keyboard where they were", async () => {
    await quiet();
    const page = await open();
    await isLive(page);
    const machines = page.locator("#fleet-0-machines > summary");
    await machines.focus();
    await page.keyboard.press("Enter");
    expect(await ask<boolean>(page, "document.getElementById('fleet-0-machines').open")).toBe(false);
    const [first] = on?.simulator.truth().machines ?? [];
    on?.simulator.control.cooldown(NORTH, 600);
    on?.simulator.control.interrupt(first?.id ?? "", { now: true });
    await on?.clock.advance(MINUTE);
    await page.getByText("8 of 16 GPUs", { exact: true }).waitFor();
    await page.getByRole("rowheader", { name: "h100-8 @ north/oslo" }).waitFor();
    expect(await page.title()).toBe("8 of 16 GPUs · fleetkeeper");
    expect(await ask<boolean>(page, "document.getElementById('fleet-0-machines').open")).toBe(false);
    expect(await ask<string>(page, "document.activeElement.parentElement.id")).toBe("fleet-0-machines");
    expect(complaints).toEqual([]);
  });

  it("says when the agent is gone", async () => {
    await quiet();
    const page = await open();
    await isLive(page);
    await on?.close();
    await page.getByText("No connection: what you see may be old").waitFor();
  });

  it("without a script shows all of it, and asks to come again", async () => {
    on = await badDay();
    const page = await open({ javaScriptEnabled: false });
    await page.getByText("24 of 32 GPUs").waitFor();
    expect(await page.locator("noscript meta[http-equiv=refresh]").count()).toBe(1);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toContain("Cooling down");
  });

  it("runs nothing that a hostile service says, and stays as wide as the screen", async () => {
    on = await badDay();
    await befoul(on);
    const page = await open({ viewport: { width: 360, height: 740 } });
    await isLive(page);
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("main img, main script, body style").count()).toBe(0);
    expect(await ask<number>(page, "document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    expect(complaints).toEqual([]);
    // Control: what is put into the page as markup is kept from running by the policy, too.
    const injected = await ask<string>(
      page,
      `(() => { try { document.body.innerHTML = "<b>"; return "markup was taken"; } catch (error) { return error.name; } })()`,
    );
    expect(injected).toBe("TypeError");
  });

  const fits = "fits a screen of %d pixels, with nothing cut off";
  const onWidth = async (width: number): Promise<void> => {
    on = await badDay();
    // Moments at each edge of the time that is shown.
    const page = await open({ viewport: { width, height: 740 } }, "/?range=7d");
    await isLive(page);
    expect(await ask<number>(page, "document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    const cut = await ask<string[]>(
      page,
      `[...document.querySelectorAll(".chart text")].filter((text) => {
        const [at, around] = [text, text.ownerSVGElement].map((each) => each.getBoundingClientRect());
        return at.left < around.left - 1 || at.right > around.right + 1;
      }).map((text) => text.textContent)`,
    );
    expect(cut).toEqual([]);
    const outside = await ask<string[]>(
      page,
      `[...document.querySelectorAll("main *:not(.visually-hidden, thead, thead *, svg *)")]
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
        .map((each) => each.outerHTML.slice(0, 80))`,
    );
    expect(outside).toEqual([]);
    const texts = await ask<number[]>(
      page,
      `[...document.querySelectorAll(".chart text")].map((text) => parseFloat(getComputedStyle(text).fontSize))`,
    );
    expect(Math.min(...texts)).toBeGreaterThanOrEqual(12);
  };
  it.each([360])(fits, onWidth);
  it.each([768, 1280])(fits, REPEATS, onWidth);

  it("keeps tables tables for those who hear them, also where they look like cards", async () => {
    on = await badDay();
    const page = await open({ viewport: { width: 360, height: 740 } });
    const table = page.getByRole("table", { name: "Failures and interruptions" });
    expect(await table.getByRole("row").count()).toBe(4);
    expect(await table.getByRole("columnheader").count()).toBe(4);
    expect(await table.getByRole("rowheader").count()).toBe(3);
  });

  it("is walked through by keyboard from top to bottom, each stop in sight and marked", async () => {
    on = await badDay();
    const page = await open();
    await isLive(page);
    const stops: { name: string; top: number; outline: string }[] = [];
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press("Tab");
      const stop = await ask<{ name: string; top: number; outline: string } | null>(
        page,
        `(() => { const at = document.activeElement; if (!at || at === document.body) return null;
          return { name: at.textContent.trim(), top: at.getBoundingClientRect().top + scrollY, outline: getComputedStyle(at).outlineStyle }; })()`,
      );
      if (stop === null) break;
      stops.push(stop);
    }
    const names = stops.map(({ name }) => name);
    expect(names[0]).toBe("To the content");
    for (const name of [
      "see below",
      "reason and suggested action",
      "3 machines",
      "6h6 hours",
      "30d30 days",
      "Metrics",
    ])
      expect(names).toContain(name);
    expect(names.indexOf("see below")).toBeLessThan(names.indexOf("3 machines"));
    expect(names.indexOf("3 machines")).toBeLessThan(names.indexOf("6h6 hours"));
    for (const { name, outline } of stops) expect(outline, name).toBe("solid");
    const below = stops.slice(1).map(({ top }) => Math.round(top / 60));
    expect(below).toEqual([...below].sort((one, other) => one - other));
  });

  it("is light or dark as the person wants it, and readable in both", async () => {
    on = await badDay();
    const grounds: number[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await open({ colorScheme });
      const worst = await ask<{ ground: number; low: string[] }>(page, CONTRASTS);
      grounds.push(worst.ground);
      expect(worst.low, colorScheme).toEqual([]);
    }
    expect(grounds[0]).toBeGreaterThan(0.8);
    expect(grounds[1]).toBeLessThan(0.05);
  });

  it("shows another time span by a link", async () => {
    on = await badDay();
    const page = await open();
    await page.getByRole("link", { name: "7 days" }).click();
    await page.waitForURL(/\?range=7d$/);
    expect(await page.locator(".ranges [aria-current]").textContent()).toContain("7d");
  });

  it("asks a person for the token, and goes on with it", async () => {
    on = await scene({ token: "correct-horse-battery-staple" });
    const page = await open({
      httpCredentials: { username: "me", password: "correct-horse-battery-staple" },
    });
    await page.locator("#live").getByText("No list yet").waitFor();
    on.start();
    await on.clock.advance(MINUTE);
    await isLive(page);
    await page
      .getByText("List of just now")
      .or(page.getByText(/List of \d+ s ago/))
      .waitFor();
  });
});

/** The page's own brightness, and each text whose contrast with what is behind it is below 4.5 (WCAG AA). */
const CONTRASTS = `(() => {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const bright = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || element.closest(".visually-hidden, .skip, noscript, script")) continue;
    const style = getComputedStyle(element);
    const behind = ground(element);
    const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), behind);
    const [one, other] = [bright(ink), bright(behind)].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) low.push(element.outerHTML.slice(0, 60) + " " + contrast.toFixed(2));
  }
  return { ground: bright(ground(document.documentElement)), low };
})()`;
