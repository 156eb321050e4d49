import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKeeper } from "../account/open.ts";
import { declareFleet } from "../agent/fleet/declare/fleets.ts";
import { wishSchema } from "../agent/fleet/wish/wish.ts";
import { tick } from "../agent/reconcile/tick.ts";
import { markerOf } from "../launch/claim/groups.ts";
import type { Context } from "../launch/facts/context.ts";
import { learn } from "../launch/facts/context.ts";
import { contextOf } from "../launch/keeper.ts";
import { archiveEnded } from "../launch/list/archive.ts";
import { storeAnswer } from "../launch/resolve/answer.ts";
import { fleetOwner } from "../ledger/owner.ts";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import { admitted } from "./rows.ts";

/** The most GPUs of one fleet: an account of more has several. */
const MOST = 10_000;
const LEDGER = "benchbenchbench0";

/** What an account of the bench is like. */
export interface BenchAccount {
  /** Its fleets have launched what runs, and it shows their markers. Else they have found it there. */
  readonly launched?: boolean;
  /** Each record says another number in each list, which the profile does not read. */
  readonly moving?: boolean;
}

/**
 * An account of a service that answers from memory (bench/service.ts), whose machines are fleets': each has
 * one GPU, and `running` run. What has ended is archived. From here on a tick finds nothing to do.
 */
export async function benchAccount(
  running: number,
  ended: number,
  { launched = false, moving = false }: BenchAccount = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
  const path = join(folder, "ledger.db");
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "service.ts"),
      ...[running, ended].map(String),
      ...(launched ? ["--marker", markerOf(LEDGER, "")] : []),
      ...(moving ? ["--moving"] : []),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  openSqliteLedger({ path, newId: LEDGER, now: Date.now() }).close();
  const { url, pages } = await serviceOf(child);
  const signal = new AbortController().signal;
  const keeper = await openKeeper(
    {
      baseUrl: url,
      apiKey: "bench",
      profile: join(import.meta.dirname, "bench.profile.yaml"),
      ledger: path,
      account: "exclusive",
    },
    signal,
    {},
    { gone: 1, poll: 60_000 },
  );
  const candidates = [{ offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1 }];
  await keeper.ledger.decide(keeper.account, (draft) => {
    for (let left = running, number = 0; left > 0; left -= MOST, number++) {
      const wish = wishSchema.parse({ gpus: Math.min(left, MOST), candidates });
      declareFleet(draft, { name: `fleet-${number}`, source: "bench", wish }, contextOf(keeper));
    }
    // As after the first launches of any account.
    learn(draft, keeper.service.profileHash, { proven: true, shown: ["marker"] });
    if (!launched) return;
    const context = contextOf(keeper);
    draft.putAccount({ ...draft.account, list: context.now, watched: context.now });
    for (let number = 0; number < running; number++) {
      const id = String(ended + number).padStart(12, "0");
      const owner = fleetOwner(`fleet-${Math.floor(number / MOST)}`);
      admitted(draft, id, { ...context, now: contextOf(keeper).now }, owner);
      const answer = { kind: "accepted", id: `00000000-0000-4000-8000-${id}`, deployment: {} } as const;
      storeAnswer(draft, id, answer, context);
    }
  });
  const once = () => tick(keeper, signal);
  const runs = async (): Promise<number> => (await once()).plans.reduce((sum, plan) => sum + plan.running, 0);
  for (let rounds = 0; (await runs()) !== running; rounds++)
    if (rounds === 10) throw new Error(`not all of ${running} machines were taken over`);
  // As if what has ended had ended days ago.
  const deployments = (await keeper.service.deployments(signal)) ?? [];
  const archive = (): Promise<boolean> =>
    keeper.ledger.decide(keeper.account, (draft) => {
      const context = contextOf(keeper);
      const before = draft.archive.size;
      archiveEnded(draft, { begun: context.now, deployments }, longAfter(context));
      return draft.archive.size > before;
    });
  while (await archive());
  return {
    keeper,
    /** The bodies of its list. */
    list: (): Promise<readonly string[]> =>
      Promise.all(
        Array.from({ length: pages }, async (_, page) =>
          (await fetch(`${url}/api/v1/deployments?page=${page + 1}`)).text(),
        ),
      ),
    once,
    async close(): Promise<void> {
      await keeper.close();
      child.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}

function longAfter(context: Context): Context {
  return { ...context, settings: { ...context.settings, archive: 0, archiveKept: 0 } };
}

async function serviceOf({ stdout }: ChildProcess): Promise<{ url: string; pages: number }> {
  if (!stdout) throw new Error("the service says nothing");
  const [line] = (await once(stdout, "data")) as [Buffer];
  return JSON.parse(String(line)) as { url: string; pages: number };
}
