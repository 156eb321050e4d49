// @module-tag repeats
import path from "node:path";
import { expect, it } from "vitest";
import { describeWithEngine } from "../engine/engine.ts";
import { installSdk, python } from "../engine/python.ts";
import { lockIsLive, ROOT, session, upIsKilled } from "./session.ts";

const PYTHON = {
  command: [path.join(python ?? "", "bin/python"), path.join(ROOT, "examples/python/session.py")],
  environment: (folder: string) => ({ PYTHONPATH: installSdk(path.join(folder, "packages")) }),
} as const;

describeWithEngine("examples/python, told to end by SIGTERM", () => {
  it.skipIf(!python)("in its block, gives its machine back [needs Pulumi for Python]", async () => {
    const { child, ended, said, ends, comesTo } = await session(PYTHON);
    await comesTo(() => said().includes("8 GPUs, "));
    child.kill("SIGTERM");
    expect(await ended, said()).toEqual([1, null]);
    expect(said()).toContain("given back: succeeded");
    expect(ends()).toEqual([true]);
  });

  it.skipIf(!python)(
    "while its machine starts, and once more by Ctrl-C, gives it back [needs Pulumi for Python]",
    async () => {
      const { child, clock, ended, said, ends, comesTo } = await session(PYTHON);
      clock.stop();
      await comesTo(() => ends().length > 0);
      child.kill("SIGTERM");
      child.kill("SIGINT");
      clock.goOn();
      expect(await ended, said()).toEqual([1, null]);
      expect(said()).toContain("given back: succeeded");
      expect(ends()).toEqual([true]);
    },
  );
});

describeWithEngine("examples/python on a locked stack", () => {
  it.skipIf(!python)(
    "whose own up was killed: it takes the lock away and gives its machine back [needs Pulumi for Python]",
    () => upIsKilled(PYTHON),
  );

  it.skipIf(!python)(
    "by a process that lives: it leaves the lock, and rents nothing [needs Pulumi for Python]",
    () => lockIsLive(PYTHON, "python"),
  );
});
