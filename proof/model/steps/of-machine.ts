import type { DeploymentRow } from "../../../ledger/rows.ts";
import { NoStep } from "../ghost.ts";
import { whyNotCertain } from "../others.ts";
import type { Stored } from "../witness.ts";
import { byList } from "./looking.ts";
import { ofLaunch } from "./of-launch.ts";
import { others, type Playing } from "./playing.ts";

/* What decisions store of machines, and whole transactions. */

function ofMachine(
  { ghost, truly, machines, now }: Playing,
  before: DeploymentRow | undefined,
  row: DeploymentRow,
): void {
  const { rowOf, lifeOf, makerOf, step, beside, set } = ghost;
  const { id, lastSeen, claim, end } = row;
  machines.set(id, row);
  if (!ghost.has(id)) return;
  const maker = makerOf(id);
  if (lastSeen !== null && lifeOf(id) === "Unlisted") step("Change", id, "Listed");
  if (!before?.end || end !== null || claim === null || rowOf(maker) !== "Done") return;
  beside("over, and back", () => {
    set("row", maker, "Claimed");
    set("late", maker, true);
    if (truly.lifeAt(id, now) !== "Over") set("life", id, "Listed");
  });
}

function gone({ ghost, truly, now }: Playing, id: string): void {
  const { lifeOf, makerOf, step, beside, set } = ghost;
  const life = truly.lifeAt(id, now);
  if (life === "denied")
    beside("denied for long", () => {
      set("life", id, "Over");
      set("late", makerOf(id), true);
    });
  else if (life !== "Listed" && lifeOf(id) !== life) step("Change", id, life);
  step("CallGone", id);
}

/** What is claimed beside what its launch made, and what is over: after all else that its transaction says. */
function afterAll(playing: Playing, { id, claim, intent, end }: DeploymentRow): void {
  const { ghost } = playing;
  const { launches, rowOf, makerOf, beside, set } = ghost;
  if (claim !== "certain" && claim !== "inferred") return;
  const launch = launches.get(intent ?? "")?.row;
  const isItsOwn = launch?.deployment === id;
  if (!ghost.has(id)) {
    if (end !== null && isItsOwn && rowOf(launch.id) === "Claimed")
      beside("an id of no machine is over", () => set("row", launch.id, "Done"));
    return;
  }
  const maker = makerOf(id);
  if (!isItsOwn && !["Claimed", "Done"].includes(String(rowOf(maker)))) {
    if (maker === others(id)) beside("of others, and claimed", () => set("row", maker, "Claimed"));
    else byList(playing, "TakeLate", maker, id);
  }
  if (end !== null && rowOf(maker) === "Claimed") gone(playing, id);
}

export function stored(playing: Playing, rows: readonly Stored[], where: string): void {
  const { ghost, truly, machines, scenario } = playing;
  for (const each of rows) {
    if (each.table === "intent") ofLaunch(playing, each.before, each.row, where);
    else ofMachine(playing, each.before, each.row);
  }
  for (const each of rows) {
    if (each.table !== "deployment") continue;
    const isCertainNow = each.row.claim === "certain" && each.before?.claim !== "certain";
    const why =
      scenario.tenure === "shared" && isCertainNow
        ? whyNotCertain(each.row, ghost.launches.values(), truly)
        : undefined;
    if (why !== undefined) throw new NoStep(why);
    afterAll(playing, machines.get(each.row.id) ?? each.row);
  }
}
