import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { giveToken } from "../support/token.ts";
import { describeInChromium, launchChromium, watchedPage } from "./chromium.ts";
import { badDay, MINUTE, type Scene } from "./scene.ts";

const SHOTS = process.env.FLEETKEEPER_SHOTS;

describeInChromium("orders on the pages in a browser", () => {
  let browser: Browser;
  let on: Scene;
  let secret: string;
  let complaints: readonly string[];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    on = await badDay();
    secret = await giveToken(on, { name: "ann", may: "admin" });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await on.close();
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const watched = await watchedPage(browser, options);
    complaints = watched.complaints;
    return watched.page;
  }
  const ask = <T>(page: Page, script: string): Promise<T> => page.evaluate(script) as Promise<T>;
  const at = (path = ""): string => `${on.server.url}${path}`;
  const shoot = async (page: Page, name: string): Promise<unknown> =>
    SHOTS && page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  const isPaused = async (): Promise<boolean | undefined> =>
    (await on.ledger.read(on.keeper.account)).fleets.find(({ name }) => name === "training")?.paused;

  async function signIn(page: Page): Promise<void> {
    await page.goto(at("sign-in"));
    await page.getByLabel("Token", { exact: true }).fill(secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Acting as").waitFor();
  }

  /** Tab until what has the focus says this. */
  async function tabTo(page: Page, text: RegExp): Promise<void> {
    const seen: string[] = [];
    for (let step = 0; step < 200; step++) {
      await page.keyboard.press("Tab");
      const name = await ask<string>(
        page,
        "(document.activeElement?.textContent || document.activeElement?.id || '').trim()",
      );
      seen.push(name);
      if (text.test(name)) return;
    }
    throw new Error(`nothing with the focus says ${text}: ${seen.slice(-40).join(" | ")}`);
  }

  it("pauses, takes it back, stops a machine and then all, by keyboard and without scripts", async () => {
    const page = await open({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
    const press = async (text: RegExp): Promise<void> => {
      await tabTo(page, text);
      await page.keyboard.press("Enter");
    };
    const asked = (title: string): Promise<void> => page.getByRole("heading", { name: title }).waitFor();
    await page.goto(at());
    await press(/^Sign in to act$/);
    await asked("Sign in to act");
    // The field gets the focus by itself.
    await page.locator("input:focus").waitFor();
    await page.keyboard.type(secret);
    await page.keyboard.press("Enter");
    await page.getByText("Acting as").waitFor();
    await press(/^Pause training$/);
    await asked("Pause training?");
    await press(/^Pause training$/);
    await page.getByRole("status").getByText("training is paused").waitFor();
    expect(await isPaused()).toBe(true);
    await press(/^Take it back$/);
    await asked("Resume training?");
    await press(/^Resume training$/);
    await page.getByText("training is resumed").waitFor();
    expect(await isPaused()).toBe(false);
    const { deployments } = await on.ledger.read(on.keeper.account);
    const id = deployments.find(({ end, owner }) => end === null && owner === "fleet:training")?.id ?? "";
    await press(new RegExp(`^${id}$`));
    await asked(`Machine ${id}`);
    await press(/^Stop /);
    await asked("Stop this machine?");
    await tabTo(page, /^shrink$/);
    await page.keyboard.press("Space");
    await press(/^Show what would follow$/);
    await page.getByText("none is rented in its place before").waitFor();
    await press(/^Stop this machine$/);
    await page.getByText(`${id} is told to stop`).waitFor();
    await press(/^ann$/);
    await asked("You are signed in");
    await press(/^Stop everything$/);
    await asked("Stop everything in you@example.com?");
    await press(/^Stop everything in /);
    // The browser holds back a form whose box is not ticked.
    await asked("Stop everything in you@example.com?");
    await page.getByLabel(/^Yes, stop all/).focus();
    await page.keyboard.press("Space");
    await press(/^Stop everything in /);
    await page.getByText("stops all that surely is its own").waitFor();
    await on.clock.advance(5 * MINUTE);
    const left = on.simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
    expect(left).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  // pages-in-chromium.test.ts has it of the pages to which these lead.
  it("axe-core finds nothing on any step, which fits a phone, light or dark", REPEATS, async () => {
    const found: string[] = [];
    const { deployments } = await on.ledger.read(on.keeper.account);
    const ours = deployments.find(({ end, owner }) => end === null && owner === "fleet:training");
    const stranger = deployments.find(({ end, owner }) => end === null && owner === null);
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 360],
      ...(SHOTS
        ? ([
            ["light", 360],
            ["dark", 1280],
          ] as const)
        : []),
    ] as const) {
      await on.clock.advance(MINUTE);
      const page = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
      const look = async (name: string, path: string): Promise<void> => {
        if (path !== "-") await page.goto(at(path));
        await shoot(page, `acts-${name}-${width}-${colorScheme}`);
        expect(await ask<number>(page, "document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(
          width,
        );
        await ask(page, axe.source);
        const { violations } = await ask<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          page,
          "axe.run(document, { resultTypes: ['violations'] })",
        );
        for (const { id, nodes } of violations)
          found.push(
            `${name} ${colorScheme}: ${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
          );
      };
      await look("sign-in", "sign-in");
      await page.getByLabel("Token", { exact: true }).fill("fk_wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await look("wrong-token", "-");
      await signIn(page);
      await look("status", "");
      await look("who", "sign-in");
      for (const order of ["pause", "resume", "drain", "wake"])
        await look(order, `act?order=${order}&fleet=training`);
      await look("drain-whole", "act?order=drain&whole=training");
      await look("machine", `machine?id=${ours?.id}`);
      for (const order of ["stop", "hold"])
        await look(order, `act?order=${order}&deployment=${ours?.id}&from=own`);
      for (const order of ["adopt", "disown"])
        await look(order, `act?order=${order}&deployment=${stranger?.id}`);
      await look("adopt-training", `act?order=adopt&deployment=${stranger?.id}&by=fleet:training`);
      await look("stop-all", "act?order=stop");
      await look("fleet", "fleet?name=training");
      await page.context().close();
    }
    expect(found).toEqual([]);
  });
});
