import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declareFleet } from "../agent/fleet/fleets.ts";
import { wishSchema } from "../agent/fleet/wish.ts";
import { tick } from "../agent/reconcile/tick.ts";
import { learn } from "../launch/context.ts";
import { contextOf } from "../launch/keeper.ts";
import { openKeeper } from "../launch/open.ts";

/** The most GPUs of one fleet: an account of more has several. */
const MOST = 10_000;

/**
 * An account of a service that answers from memory (bench/service.ts), whose machines fleets have taken over:
 * each has one GPU, and `running` run. From here on a tick finds nothing to do.
 */
export async function benchAccount(running: number, ended: number) {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
  const path = join(folder, "ledger.db");
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "service.ts"), String(running), String(ended)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
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
  });
  const once = () => tick(keeper, signal);
  const runs = async (): Promise<number> => (await once()).plans.reduce((sum, plan) => sum + plan.running, 0);
  for (let rounds = 0; (await runs()) !== running; rounds++)
    if (rounds === 10) throw new Error(`not all of ${running} machines were taken over`);
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

async function serviceOf({ stdout }: ChildProcess): Promise<{ url: string; pages: number }> {
  if (!stdout) throw new Error("the service says nothing");
  const [line] = (await once(stdout, "data")) as [Buffer];
  return JSON.parse(String(line)) as { url: string; pages: number };
}
