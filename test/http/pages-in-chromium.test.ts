import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { makeShare } from "../../agent/tell/http/reach/share.ts";
import { startServicesServer } from "../../agent/tell/http/services.ts";
import { contextOf } from "../../launch/keeper.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeInChromium, launchChromium, watchedPage } from "./chromium.ts";
import { befoul } from "./hostile.ts";
import type { Scene } from "./scene.ts";
import { badDay, MINUTE, scene } from "./scene.ts";

const SHOTS = process.env.FLEETKEEPER_SHOTS;

interface Findings {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

describeInChromium("the pages in a browser", () => {
  let browser: Browser;
  let on: Scene | undefined;
  let complaints: readonly string[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await on?.close();
  });

  async function blank(options: BrowserContextOptions = {}): Promise<Page> {
    const watched = await watchedPage(browser, options);
    const { page } = watched;
    complaints = watched.complaints;
    return page;
  }
  const at = (path: string): string => `${on?.server.url.slice(0, -1)}${path}`;
  /** Evaluated in the page; as text, since the types here know no document. */
  const ask = <T>(page: Page, script: string): Promise<T> => page.evaluate(script) as Promise<T>;

  /** Each page of an account by its name. */
  async function pages(): Promise<ReadonlyMap<string, string>> {
    const { deployments, intents } = await (on as Scene).ledger.read((on as Scene).keeper.account);
    const failed = deployments.find(({ end }) => end === "failed");
    const refused = intents.find(({ state }) => state === "rejected");
    return new Map([
      ["status", "/"],
      ["machine", `/machine?id=${failed?.id}`],
      ["launch", `/launch?id=${refused?.id}`],
      ["fleet", "/fleet?name=training"],
      ["places", "/places"],
      ["search", "/search?q=h100"],
      ["unknown", "/machine?id=nobody"],
      ["share", "/share"],
    ]);
  }

  it("axe-core finds nothing on any page, light or dark, wide or narrow", async () => {
    on = await badDay();
    const found: string[] = [];
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 360],
    ] as const) {
      // axe is no script of the page: its policy would refuse it.
      const page = await blank({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
      for (const [name, path] of await pages()) {
        await page.goto(at(path));
        await ask(page, axe.source);
        const { violations } = await ask<Findings>(
          page,
          "axe.run(document, { resultTypes: ['violations'] })",
        );
        for (const { id, nodes } of violations)
          found.push(
            `${name} ${colorScheme}: ${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
          );
      }
    }
    expect(found).toEqual([]);
  });

  it("axe-core sees what is wrong", async () => {
    on = await scene();
    const page = await blank({ bypassCSP: true });
    await page.goto(at("/search"));
    await ask(
      page,
      "document.querySelector('label').remove(); document.documentElement.removeAttribute('lang')",
    );
    await ask(page, axe.source);
    const { violations } = await ask<Findings>(page, "axe.run()");
    expect(violations.map(({ id }) => id)).toEqual(expect.arrayContaining(["html-has-lang", "label"]));
  });

  const fits = "every page fits a screen of %d pixels, whatever the service says";
  const onWidth = async (width: number): Promise<void> => {
    on = await badDay();
    const shoot = async (page: Page, name: string, scheme: string): Promise<unknown> =>
      SHOTS && page.screenshot({ path: `${SHOTS}/${name}-${width}-${scheme}.png`, fullPage: true });
    for (const scheme of SHOTS ? (["light", "dark"] as const) : (["light"] as const)) {
      const page = await blank({ viewport: { width, height: 900 }, colorScheme: scheme });
      for (const [name, path] of await pages()) {
        await page.goto(at(path));
        await shoot(page, name, scheme);
        expect(await ask<number>(page, "document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(
          width,
        );
      }
    }
    await befoul(on);
    const page = await blank({ viewport: { width, height: 900 } });
    for (const path of [
      "/",
      "/search",
      "/machine?id=a1%22%3E%3Cimg%20src%3Dx%20onerror%3D%22document.title%3D'owned'%22%3E",
    ]) {
      await page.goto(at(path));
      expect(await ask<number>(page, "document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(
        width,
      );
      expect(await page.title()).not.toBe("owned");
    }
    expect(complaints).toEqual([]);
  };
  it.each([320])(fits, onWidth);
  it.each([1280, 2560])(fits, REPEATS, onWidth);

  it("is walked from the status page to a machine, its launch's fleet and back, by keyboard and without a complaint", async () => {
    on = await badDay();
    const page = await blank();
    await page.goto(at("/"));
    const id = await page.locator('#fleet-0-machines a[href^="machine"]').first().textContent();
    await page.locator('#fleet-0-machines a[href^="machine"]').first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Machine ${id}` }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("Tab");
    expect(await ask<string>(page, "document.activeElement.textContent")).toBe("To the content");
    await page.keyboard.press("Enter");
    expect(await ask<string>(page, "document.activeElement.id")).toBe("main");
    await page.locator('#part-story a[href^="fleet"]').first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Fleet / }).waitFor();
    await page.getByRole("link", { name: "7 days" }).click();
    await page.waitForURL(/days=7$/);
    expect(complaints).toEqual([]);
  });

  it("a machine's page changes by itself when something happens to it", async () => {
    on = await badDay();
    const { deployments } = await on.ledger.read(on.keeper.account);
    const living = deployments.find(
      ({ end, owner, gpus }) => end === null && owner === "fleet:training" && gpus === 8,
    );
    const page = await blank();
    await page.goto(at(`/machine?id=${living?.id}`));
    await page.getByText("Live", { exact: true }).waitFor();
    on.simulator.control.interrupt(living?.id ?? "", { now: true });
    await on.clock.advance(MINUTE);
    await page.getByText("the service interrupted it").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([true, false])("searches by a form, with a script: %s", async (javaScriptEnabled) => {
    on = await badDay();
    const page = await blank({ javaScriptEnabled });
    await page.goto(at("/"));
    await page.getByRole("link", { name: "Search" }).click();
    await page.getByLabel("Words").fill("south 8");
    await page.getByLabel("State").selectOption("living");
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(/search\?q=south\+8&fleet=&state=living$/);
    const rows = page.getByRole("table").getByRole("row");
    expect(await rows.count()).toBeGreaterThan(1);
    for (const text of (await rows.allTextContents()).slice(1)) expect(text).toContain("south/rome");
    expect(complaints).toEqual([]);
  });

  it("a share link opens the page, leaves its secret in no address and no script's reach, and is over once it is taken back", async () => {
    on = await scene({ token: "correct-horse-battery-staple" });
    const { keeper, ledger } = on;
    on.start();
    await on.clock.advance(MINUTE);
    const secret = "a-secret-of-a-share-link".padEnd(43, "-");
    await ledger.decide(keeper.account, (draft) =>
      makeShare(draft, { id: "one", secret, lasts: 60 * MINUTE }, contextOf(keeper)),
    );
    const page = await blank();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.headers().referer ?? ""}`));
    await page.goto(at(`/share#${secret}`));
    await page.getByText("You see this by a share link.").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(page.url()).toBe(at("/"));
    // The first one is what the person opened: a browser sends nothing of it behind the #.
    expect(sent.slice(1).join()).not.toContain(secret);
    expect(
      await ask<string>(page, "document.cookie + JSON.stringify(localStorage) + document.referrer"),
    ).toBe("{}");
    expect(await ask<number>(page, "history.length")).toBeLessThanOrEqual(2);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain(secret);
    await page.goto(at("/"));
    await page.getByText("Live", { exact: true }).waitFor();
    await ledger.decide(keeper.account, (draft) => draft.putAccount({ ...draft.account, shares: [] }));
    await on.clock.advance(MINUTE);
    await page.getByText("This share link is over: what you see is old").waitFor();
    await page.goto(at(`/share#${secret}`));
    await page.getByText("This link is over, or was taken back. Ask for a new one.").waitFor();
    expect(page.url()).toBe(at("/share"));
  });

  it("lists several services without a finding, and goes on to do so", async () => {
    on = await scene();
    const services = new Map([
      ["acme", { problem: "The key is refused." }],
      ["dune", {}],
    ]);
    const server = await startServicesServer({
      address: { host: "127.0.0.1", port: 0 },
      token: undefined,
      services,
    });
    try {
      const page = await blank({ bypassCSP: true, viewport: { width: 320, height: 700 } });
      await page.goto(server.url);
      await page.getByText("The key is refused.").waitFor();
      await ask(page, axe.source);
      const { violations } = await ask<Findings>(page, "axe.run()");
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(await ask<number>(page, "document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    } finally {
      await server.close();
    }
  });
});
