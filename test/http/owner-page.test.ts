import { afterEach, expect, it } from "vitest";
import { daysBack, spending } from "../../agent/fleet/money/spend.ts";
import { moneyText } from "../../agent/fleet/text/format.ts";
import { contextOf } from "../../launch/keeper.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { read, section } from "./markup.ts";
import type { Scene } from "./scene.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

let on: Scene;
afterEach(() => on.close());

it("a fleet's money by day is the sums of fleetkeeper spend, with a bar as long as its share of the dearest day", async () => {
  on = await scene({ balance: "5000.0000", protocol: { poll: 10 * MINUTE } });
  await on.declare({
    training: { gpus: 8, candidates: [NORTH] },
    "night & day": { gpus: 0, candidates: [NORTH] },
  });
  on.start();
  await on.clock.advance(30 * 60 * MINUTE);
  const draft = await readDraft(on.keeper);
  for (const days of [7, 30, 90]) {
    const markup = await on.text(`/fleet?name=training&days=${days}`);
    const { owners, days: names } = spending(
      draft,
      daysBack(days, contextOf(on.keeper)),
      contextOf(on.keeper),
    );
    const [training] = owners;
    const money = section(markup, "money");
    // It has cost something on the last two days: of those before, a week is filled up.
    const shown = names.slice(-7);
    const spent = training?.perDay.slice(-7).map(Number) ?? [];
    for (const [index, day] of shown.entries())
      expect(money).toContain(`${day} ${moneyText(String(spent[index]))}`);
    for (const day of names.slice(0, -7)) expect(money).not.toContain(day);
    expect(money).toContain(
      `${moneyText(String(training?.sum))} in these ${days} days, ${moneyText(String(training?.ever))} in all.`,
    );
    const widths = [...markup.matchAll(/class="fill money" width="([\d.]+)%"/g)].map(([, width]) =>
      Number(width),
    );
    const most = Math.max(...spent);
    expect(widths).toEqual(spent.map((each) => Number(((each / most) * 100).toFixed(2))).reverse());
    expect(Math.max(...widths)).toBe(100);
    expect(markup).toContain(`days=${days}" aria-current="true"`);
  }
  // Anything else is the usual time.
  expect(await on.text("/fleet?name=training&days=8")).toContain('days=30" aria-current="true"');
  const none = read(await on.text("/fleet?name=night+%26+day"));
  expect(none).toContain("Nothing was launched or adopted for it yet");
});
