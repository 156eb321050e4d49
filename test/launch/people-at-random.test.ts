import { expect, it } from "vitest";
import { declareFleet, removeFleet, renameFleet } from "../../agent/fleet/declare/fleets.ts";
import { limitsOf, parseWish } from "../../agent/fleet/wish/wish.ts";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { adopt, changeTenure, disown, resume } from "../../launch/people/operator.ts";
import { enterSlot, SLOT_RULES } from "../../launch/people/slot.ts";
import { ownerParts, slotOwner } from "../../ledger/owner.ts";
import type { Owner } from "../../ledger/rows.ts";
import { Prng } from "../../simulator/prng.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

/*
 * What people, services and time do, in any order: it may be refused, and no rule of docs/how/assertions.md may speak up. One that
 * does would halt an account for what is legal.
 */

const OWNERS: readonly Owner[] = ["fleet:web", "fleet:other", slotOwner("s1"), slotOwner("s2")];
const SOURCE = "file:fleet.yaml";
const ACTS = 60;

/** Plays one sequence. Gives what was done, and the rule that spoke up, if one did. */
function played(seed: number): { readonly done: readonly string[]; readonly broken?: string } {
  const random = new Prng(`people ${seed}`);
  const chance = (share: number): boolean => random.next() < share;
  const marker = chance(0.5);
  const combination = chance(0.5);
  const on = new LaunchBench({
    ...{ tenure: random.pick(["shared", "exclusive"]), marker, combination, get: chance(0.8) },
    ...(marker && { shownBack: ["marker"] }),
    ...(chance(0.3) && { mayVanish: 300_000 }),
    unproven: chance(0.2),
  });
  on.decide((draft, context) => {
    for (const id of ["s1", "s2"]) enterSlot(draft, id, `project/stack/${id}`, context);
  });

  const open: { readonly intent: string; readonly made: string | undefined }[] = [];
  const price = (): string => random.integer(10, 19).toFixed(4);
  const anyId = (): string =>
    random.pick(["none", ...[...on.draft.deployments.values()].map(({ id }) => id)]);
  const anyShown = (): string | undefined =>
    on.shown.size === 0 ? undefined : random.pick([...on.shown.keys()]);
  let machines = 0;
  const makes = (mark?: string): string => {
    const id = `m${chance(0.05) && machines > 0 ? random.integer(0, machines - 1) : machines++}`;
    on.show(id, {
      status: random.pick(["running", "pending", "provisioning"]),
      ...(combination && random.pick([OSLO, ROME])),
      ...(mark !== undefined && marker && { marker: mark }),
      ...(chance(0.6) && { pricePerHour: price() }),
    });
    return id;
  };
  const limitsFor = (owner: Owner) => {
    const { kind, name } = ownerParts(owner);
    const fleet = kind === "fleet" ? on.draft.fleets.get(name) : undefined;
    return fleet ? limitsOf(parseWish(fleet.wish)) : {};
  };

  const acts: Readonly<Record<string, () => void>> = {
    list: () => on.list(),
    poll: () => on.poll(random.pick([15_000, 60_000, 200_000])),
    advance: () => on.advance(random.pick([1_000, 30_000, 3_600_000, 90_000_000])),
    reboot: () => on.reboot(),
    launch: () => {
      on.list();
      const owner = random.pick(OWNERS);
      const rules = owner.startsWith("slot:") ? SLOT_RULES : [];
      const pricePerHour = chance(0.8) ? price() : null;
      const intent = on.send({
        ...random.pick([OSLO, ROME]),
        owner,
        pricePerHour,
        rules,
        limits: limitsFor(owner),
      });
      open.push({ intent, made: chance(0.7) ? makes(on.intent(intent).marker) : undefined });
    },
    answer: () => {
      const { intent, made } = random.pick(open);
      if (made !== undefined && chance(0.6)) on.accept(intent, made, chance(0.5) ? on.shown.get(made) : {});
      else if (made === undefined && chance(0.5))
        on.answer(intent, { kind: "rejected", reason: "no", status: 400 } as never);
      else on.lose(intent);
    },
    stranger: () => void makes(),
    adopt: () =>
      on.decide((draft, context) =>
        adopt(draft, anyId(), random.pick(OWNERS), context, random.pick(["keep", "stop"])),
      ),
    disown: () => on.decide((draft, context) => disown(draft, anyId(), context)),
    tenure: () =>
      on.decide((draft, context) => changeTenure(draft, random.pick(["shared", "exclusive"]), context)),
    resume: () => void on.decide(resume),
    stop: () => {
      const id = anyId();
      on.decide((draft, context) => askStop(draft, id, "test", context));
      if (on.shown.has(id) && chance(0.7)) on.show(id, { status: "stopping" });
    },
    stopped: () =>
      on.decide((draft, context) =>
        storeStop(
          draft,
          anyId(),
          chance(0.5) ? { kind: "accepted", said: "" } : { kind: "failed", reason: "404" },
          context,
        ),
      ),
    shows: () => {
      const id = anyShown();
      const status = random.pick(["running", "failed", "interrupted", "stopping", "stopped", "another word"]);
      if (id !== undefined) on.show(id, chance(0.7) ? { status } : { pricePerHour: price() });
    },
    hides: () => void on.shown.delete(anyShown() ?? ""),
    fleets: () =>
      on.decide((draft, context) => {
        const [name, previousName] = [random.pick(["web", "other"]), random.pick(["web", "other"])];
        const perHour = random.integer(5, 60).toFixed(2);
        const candidates = [{ ...OSLO, gpus: 8, pricePerHour: "16.0000" }];
        const wish = { gpus: 8, candidates, ...(chance(0.5) && { budget: { perHour } }) };
        if (chance(0.6)) declareFleet(draft, { name, source: SOURCE, wish: parseWish(wish) }, context);
        else if (chance(0.5)) removeFleet(draft, name, SOURCE);
        else renameFleet(draft, { name, previousName, source: SOURCE }, context);
      }),
  };
  const often = [...Object.keys(acts), "list", "poll", "launch", "launch", "answer", "answer"];
  const done: string[] = [];
  for (let act = 0; act < ACTS; act++) {
    const name = random.pick(often);
    try {
      acts[name]?.();
      done.push(name);
    } catch (error) {
      // Anything else is a refusal, or there was nothing to do it with.
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (code === "UNSOUND") return { done: [...done, name], broken: message };
    }
  }
  return { done };
}

it("no order of what people, services and time do breaks a rule that is asserted", () => {
  const done = new Set<string>();
  for (let seed = 1; seed <= 400; seed++) {
    const play = played(seed);
    expect(play.broken, `seed ${seed}: ${play.done.join(", ")}`).toBeUndefined();
    for (const act of play.done) done.add(act);
  }
  expect(done.size).toBe(16);
});
