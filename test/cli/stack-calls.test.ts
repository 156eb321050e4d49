import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { stackCallsOf } from "../../agent/cli/commands/agent/stack-calls.ts";
import type { CliContext } from "../../agent/cli/commands/shared/cli-context.ts";
import { AGENT_TOKEN } from "../../agent/orders/actor.ts";
import type { Keeper } from "../../launch/keeper.ts";

it("a profile that could not be read when the first stack asked is read again at the next call", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const profile = join(folder, "gpus.profile.yaml");
  const from = {
    keeper: {} as Keeper,
    ask: async () => ({ kind: "good" }) as const,
    hide: (text: string) => text,
  };
  const calls = stackCallsOf({ ...from, profile }, { environment: {} } as CliContext);
  const call = {
    kind: "slot",
    method: "check",
    args: [{}],
    run: "r",
    held: [],
    cutAtOnce: false,
    after: 0,
  } as const;
  const ask = () =>
    calls.ask(
      "0123456789abcdef",
      { ...call, args: [...call.args], held: [] },
      AGENT_TOKEN,
      new AbortController().signal,
    );
  const asking = expect(ask()).rejects.toThrow("gpus.profile.yaml");
  calls.cut("0123456789abcdef", AGENT_TOKEN);
  await asking;
  cpSync("profiles/lambda/profile.yaml", profile);
  // There is no account behind it.
  await expect(ask()).rejects.toThrow(TypeError);
  await calls.close();
});
