import { expect, test } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { learn } from "../../launch/facts/context.ts";
import { trimSlots } from "../../launch/people/slot.ts";
import { observe } from "../../launch/protocol.ts";
import { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { copyOf, tablesOf } from "../../ledger/tables.ts";
import type { Deployment } from "../../service/contract/service.ts";
import type { Unread } from "../../service/contract/unread.ts";
import { Prng } from "../../simulator/prng.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

/* Of a list only what is new is looked at. Whatever it follows, that comes to what a look at all of it comes to. */

const STATES = ["initializing", "running", "running", "stopping", "failed", "interrupted", "done", "halted"];
const IDS = Array.from({ length: 14 }, (_, index) => `m${index}`);

type Item = Deployment | Unread;

/** A service whose lists change, and keep what did not, as the client's do. */
class Lists {
  #items: readonly Item[] = [];
  readonly #random: Prng;

  constructor(random: Prng) {
    this.#random = random;
  }

  next(markers: readonly string[]): readonly Item[] {
    const random = this.#random;
    for (let changes = random.integer(0, 3); changes > 0; changes--) this.#items = this.#changed(markers);
    return this.#items;
  }

  #changed(markers: readonly string[]): readonly Item[] {
    const random = this.#random;
    const items = [...this.#items];
    const place = random.integer(0, items.length);
    const id = random.pick(IDS);
    const known = items.find((each) => each.id === id);
    const kind = random.next();
    if (kind < 0.1) items.splice(place, 1);
    else if (kind < 0.14) items.splice(place, 0, { unread: "no state", where: "deployments[0]", id });
    else if (kind < 0.17) items.splice(place, 0, { unread: "no id", where: "deployments[0]" });
    else if (kind < 0.2 && known) items.splice(place, 0, known);
    else if (kind < 0.22) return [];
    else {
      const shown = machine(random, id, markers);
      const at = known === undefined ? -1 : items.indexOf(known);
      if (at === -1) items.splice(place, 0, shown);
      else items[at] = shown;
    }
    // Most lists are whole again after a while.
    return random.next() < 0.3 ? items.filter((each) => !("unread" in each)) : items;
  }
}

test.each(Array.from({ length: 24 }, (_, index) => index))("list after list (%i)", (seed) => {
  const random = new Prng(`full list ${seed}`);
  const on = new LaunchBench({
    tenure: random.pick(["exclusive", "shared"]),
    marker: random.next() < 0.5,
    combination: true,
    shownBack: random.pick([[], ["marker"], ["offer=h100-8", "provider=north", "location=oslo"]]),
  });
  const lists = new Lists(random);
  for (let step = 0; step < 150; step++) {
    on.advance(random.pick([0, 15_000, 15_000, 70_000]), random.next() < 0.05 ? -3_600_000 : undefined);
    if (random.next() < 0.02) on.reboot(random.pick([60_000, -3_600_000]));
    if (random.next() < 0.2) between(on, random);
    const deployments = lists.next(on.rows.intents.map(({ marker }) => marker));
    const begun = random.next() < 0.05 ? { ...on.now, mono: on.now.mono - 30_000 } : on.now;
    const alone = new Draft(tablesOf(structuredClone(on.rows)));
    const believed = observe(alone, { begun, deployments: structuredClone(deployments) }, on.context);
    trimSlots(alone, on.context);
    const from = on.log.length;
    expect(on.list(begun, deployments)).toBe(believed);
    expect(told(on.log.slice(from))).toEqual(told(alone.changes));
    expect(tablesOf(on.rows).deployments).toEqual(copyOf(alone).deployments);
    expect(on.rows.intents).toEqual([...alone.intents.values()]);
    expect(on.rows.account).toEqual(alone.account);
  }
});

function machine(random: Prng, id: string, markers: readonly string[]): Deployment {
  return {
    id,
    status: random.pick(STATES),
    ...random.pick([OSLO, ROME]),
    gpus: 8,
    pricePerHour: random.pick(["16.0000", "16.0000", "99.0000"]),
    ...(random.next() < 0.5 && markers.length > 0 ? { marker: random.pick(markers) } : {}),
    ...(random.next() < 0.1 ? { stopReason: "asked" } : {}),
  };
}

/** What else happens to rows: launches, their answers, looks, stops, and what people say. */
function between(on: LaunchBench, random: Prng): void {
  const { deployments, intents } = on.rows;
  const row = deployments.length === 0 ? undefined : random.pick(deployments);
  const intent = intents.length === 0 ? undefined : random.pick(intents);
  switch (random.integer(0, 8)) {
    case 0:
      if (row) on.look(row.id);
      return;
    case 1:
      if (row) on.show(row.id, machine(random, row.id, []));
      if (row) on.look(row.id);
      return;
    case 2:
      if (row) on.decide((draft, context) => askStop(draft, row.id, "a test", context));
      return;
    case 3:
      if (row)
        on.decide((draft, context) =>
          storeStop(draft, row.id, { kind: "accepted", said: "the service answered 200" }, context),
        );
      return;
    case 4:
      if (intent?.state === "open" && intent.answer === null)
        on.answer(intent.id, { kind: "accepted", id: random.pick(IDS), deployment: {} });
      return;
    case 5:
      if (intent) on.decide((draft) => draft.putIntent({ ...intent, pricePerHour: "99.0000" }));
      return;
    case 6: {
      const news = { [random.pick(["ends", "living"])]: [random.pick(["done", "halted"])] };
      on.decide((draft) => learn(draft, on.wire.profileHash, news));
      return;
    }
    default:
      on.admit({ owner: fleetOwner(random.pick(["one", "two"])), ...random.pick([OSLO, ROME]) });
  }
}

function told(changes: Draft["changes"]): readonly string[] {
  return changes.flatMap((each) => (each.table === "event" ? [each.row.text] : [])).sort();
}
