import { parseArgs } from "node:util";
import { keepHeapSmall } from "../agent/cli/heap.ts";
import { benchAccount } from "./account.ts";
import { inTurn } from "./figure.ts";

/*
 * One size of account in a process of its own, so that its memory is nobody else's.
 *
 *   node --expose-gc bench/tick-case.ts RUNNING ENDED [--launched] [--moving]
 */

// As the agent's command does.
keepHeapSmall();
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { launched: { type: "boolean" }, moving: { type: "boolean" } },
});
const [running = 0, ended = 0] = positionals.map(Number);
const account = await benchAccount(running, ended, values);
for (let warm = 0; warm < 10; warm++) await account.once();
// Before the bench holds the list itself.
const peak = process.resourceUsage().maxRSS * 1024;
const pages = await account.list();
const bytes = pages.reduce((sum, { length }) => sum + length, 0);
const rounds = Math.max(3, Math.min(20, Math.round(2e7 / bytes)));
const [ticks, parses] = await inTurn(rounds, account.once, () => pages.map((page) => JSON.parse(page)));
await account.close();
process.stdout.write(
  JSON.stringify({
    list: bytes,
    tick: ticks / rounds,
    parse: parses / rounds,
    peak,
  }),
);
