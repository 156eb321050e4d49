import { expect, test } from "vitest";
import { daysBack, spending } from "../../agent/fleet/money/spend.ts";
import { clean } from "../../agent/fleet/text/text.ts";
import { accountStatus } from "../../agent/status/account-status.ts";
import { statusText } from "../../agent/status/status-text.ts";
import type { LogEntry } from "../../agent/tell/log/entry.ts";
import { eventTeller } from "../../agent/tell/log/news.ts";
import { Secrets } from "../../agent/tell/log/secrets.ts";
import { textLog } from "../../agent/tell/log/text-log.ts";
import { linesOf, messageOf } from "../../agent/tell/notify/message.ts";
import { note } from "../../launch/facts/events.ts";
import { contextOf } from "../../launch/keeper.ts";
import { enterSlot } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { LaunchBench } from "../launch/bench.ts";
import { onStage } from "./on-stage.ts";

const ID = "2us8cu5ddj65zhhh";

/** What happened to a resource that was called `web` then, and is `front` now. */
async function renamed() {
  const { keeper } = await onStage();
  const { ledger, account } = keeper;
  const tell: LogEntry[] = [];
  const news = await eventTeller(keeper, (entry) => tell.push(entry));
  await ledger.decide(account, (draft) => {
    enterSlot(draft, ID, "shop/dev/web", contextOf(keeper));
    note(draft, contextOf(keeper), "stuck", "m1 has been stopping for too long", { owner: slotOwner(ID) });
    enterSlot(draft, ID, "shop/dev/front", contextOf(keeper));
  });
  await news();
  return { keeper, tell, draft: await readDraft(keeper) };
}

test("status calls the owner of an event by the name that its resource has now", async () => {
  const { keeper } = await renamed();
  const status = await accountStatus(keeper.ledger, keeper.account, contextOf(keeper));
  expect(status.events).toMatchObject([{ owner: slotOwner(ID), name: "shop/dev/front" }]);
  expect(statusText(status, 0, (_, text) => text, clean)).toContain("shop/dev/front stuck: m1 has been");
});

test("so do the agent's lines", async () => {
  const { tell } = await renamed();
  const lines: string[] = [];
  const log = textLog({ print: (line) => lines.push(line), tell: (line) => lines.push(line) }, new Secrets());
  tell.forEach(log);
  expect(lines).toEqual([expect.stringMatching(/ shop\/dev\/front stuck: m1 has been/)]);
});

test("so do notifications, which keep its id beside it", async () => {
  const { draft } = await renamed();
  const alert = { kind: "stuck", event: "stuck", sequence: 1, at: 0, deployment: null, text: "m1" } as const;
  const alerts = [{ ...alert, owner: slotOwner(ID) }];
  const message = messageOf("fk_1", "account", alerts, draft, "ledger", (text) => text);
  expect(message.alerts).toMatchObject([{ slot: ID, name: "shop/dev/front" }]);
  expect(linesOf(message)).toEqual(["shop/dev/front stuck: m1"]);
});

test("what a resource has cost is one column, however often its machine was replaced", () => {
  const bench = new LaunchBench();
  for (const id of ["s1", "s2"]) {
    bench.machine(`m-${id}`, { owner: slotOwner(id) });
    bench.decide((draft, context) => enterSlot(draft, id, "shop/dev/web", context));
  }
  const { owners } = bench.decide((draft, context) => spending(draft, daysBack(1, context), context));
  expect(owners).toMatchObject([{ kind: "deployment", name: "shop/dev/web" }]);
});
