import { afterEach, describe, expect, it } from "vitest";
import { toRenew } from "../../agent/fleet/phase/renewal-marks.ts";
import type { Draft } from "../../ledger/index.ts";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, slot, wish } from "../../provider/kinds.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { COMBINATION, type Desk, deskOn, slotOf } from "./support.ts";

let on: Stage | undefined;
afterEach(async () => on?.stop());

it("other triggers of a Deployment make another slot, and so another machine; the same ones do not", async () => {
  on = await stage();
  const desk = deskOn(on);
  const { slot: made } = await slotOf(desk, { triggers: "hash-1" });
  const diff = (triggers?: string) => slot.diff(desk, made.id, made.outs, { ...made.outs, triggers });
  expect(await diff("hash-1")).toEqual({ changes: false, replaces: [] });
  expect(await diff("hash-2")).toEqual({ changes: true, replaces: ["triggers"] });
  expect(await diff()).toEqual({ changes: true, replaces: ["triggers"] });
});

describe("other triggers of a Fleet", () => {
  const candidate = { ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour };
  const three = { gpus: 3 * H100.gpus, candidates: [candidate], triggers: "hash-1" };

  /** A fleet of three machines; the agent keeps it, or `up` itself. */
  async function made(reconcile: "agent" | "inline", args: Properties = {}) {
    on = await stage();
    if (reconcile === "agent") {
      on.start();
      await on.clock.advance(1_000);
    }
    const desk = deskOn(on);
    const half = await fleet.create(desk, { label: "project/dev/training", name: "training" });
    const given = { ...half.outs, ...three, reconcile, source: `stack:${half.id}`, ...args };
    const { outs } = await on.clock.run(wish.create(desk, given));
    return { desk, given, outs };
  }

  function update(desk: Desk, outs: Properties, news: Properties): Promise<Properties> {
    return on!.clock.run(wish.update(desk, "training", outs, news));
  }

  /** The most machines that were paid for at one moment, and the fewest that ran when one of them had just ended. */
  function mostAndFewest(): readonly [number, number] {
    const { machines } = on!.simulator.truth();
    const at = machines.map(({ committedAt }) => committedAt);
    const alive = (moment: number) =>
      machines.filter(({ committedAt, endedAt }) => committedAt <= moment && (endedAt ?? Infinity) > moment);
    const ends = machines.flatMap(({ endedAt }) => endedAt ?? []);
    const running = (moment: number) =>
      alive(moment).filter(({ states }) =>
        states.some((each) => each.state === "running" && each.at <= moment),
      );
    return [
      Math.max(...at.map((moment) => alive(moment).length)),
      Math.min(...ends.map((moment) => running(moment).length)),
    ];
  }

  it.each(["agent", "inline"] as const)(
    "have all its machines replaced, one after the other, and never one more paid for (%s)",
    async (reconcile) => {
      const { desk, given, outs } = await made(reconcile);
      const before = on!.alive().map(({ id }) => id);
      expect(before).toHaveLength(3);
      const news = { ...given, triggers: "hash-2" };
      expect(await wish.diff(desk, "training", outs, news)).toEqual({ changes: true, replaces: [] });
      expect(desk.lines.join("\n")).toContain(
        "training: its triggers change: all machines that it has are replaced",
      );
      const updated = await update(desk, outs, news);
      expect(updated).toMatchObject({ runningGpus: 3 * H100.gpus, reasons: [] });
      expect(on!.alive()).toHaveLength(3);
      expect(on!.alive().filter(({ id }) => before.includes(id))).toEqual([]);
      expect(on!.simulator.truth().machines).toHaveLength(6);
      expect(mostAndFewest()).toEqual([3, 2]);
      // Triggers that did not change ask for nothing.
      await update(desk, updated, { ...news, timeouts: { update: "20m" } });
      expect(on!.simulator.truth().machines).toHaveLength(6);
    },
  );

  it("stop nothing while nothing could take its place", async () => {
    const { desk, given, outs } = await made("agent");
    on!.simulator.control.cooldown(H100, 900);
    // Known to the ledger, as after any launch that met it.
    const { ledger, account, clock } = on!.keeper;
    await ledger.decide(account, (draft) =>
      draft.putCooldown({ ...COMBINATION, since: clock.now(), seconds: 900 }),
    );
    const updating = wish.update(desk, "training", outs, { ...given, triggers: "hash-2" });
    await on!.clock.advance(300_000);
    expect(on!.alive()).toHaveLength(3);
    expect(on!.simulator.truth().machines).toHaveLength(3);
    await on!.clock.run(updating);
    expect(on!.simulator.truth().machines).toHaveLength(6);
    expect(mostAndFewest()).toEqual([3, 2]);
  });

  it("are over for a machine that a person has given to another fleet", async () => {
    await made("inline");
    const { ledger, account } = on!.keeper;
    const names = await ledger.decide(account, (draft: Draft) => {
      const [row] = [...draft.deployments.values()];
      draft.putDeployment({ ...row!, renew: row!.owner! });
      const before = toRenew(draft, "training").length;
      deploymentAsFound(draft, { ...draft.deployments.ever(row!.id)!, owner: "fleet:other" });
      return [before, toRenew(draft, "training").length, toRenew(draft, "other").length];
    });
    expect(names).toEqual([1, 0, 0]);
  });
});
