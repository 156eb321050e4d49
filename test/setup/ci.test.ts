import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { emptyFolder, fakeCommand } from "./folder.ts";

const CI = path.resolve(import.meta.dirname, "../../.ci/run");

/** .ci/run with an npm that answers to `npm test`, to its other loop and to `npm run prove` by these scripts. */
function ci(
  test: string,
  prove: string,
  repeats = "echo 2 passed, 0 failed",
): Promise<{ code: number; last: string; calls: string; stdout: string }> {
  const bin = emptyFolder();
  const calls = path.join(bin, "calls");
  fakeCommand(
    bin,
    "npm",
    `echo "$CI $*" >> ${calls}\ncase "$*" in test) ${test};; "test "*) ${repeats};; *) ${prove};; esac`,
  );
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    execFile(CI, { env }, (error, stdout) =>
      resolve({
        code: Number(error?.code ?? 0),
        stdout,
        last: stdout.trimEnd().split("\n").at(-1) ?? "",
        calls: readFileSync(calls, "utf8"),
      }),
    );
  });
}

it("calls npm test, the tests that it leaves out and the rest of the proof, and ends with the sum", async () => {
  const { code, last, calls } = await ci("echo 5 passed, 0 failed, 2 skipped", "echo 7 passed, 0 failed");
  expect({ code, last }).toEqual({ code: 0, last: "14 passed, 0 failed" });
  expect(calls).toBe("true test\ntrue test -- --repeats\ntrue run prove -- --only rest\n");
});

it("counts what fails in the proof, and in the tests that npm test leaves out", async () => {
  const { code, last } = await ci("echo 5 passed, 0 failed", "echo 7 passed, 2 failed; exit 1");
  expect({ code, last }).toEqual({ code: 1, last: "14 passed, 2 failed" });
  const failing = "echo 2 passed, 3 failed; exit 1";
  expect(await ci("echo 5 passed, 0 failed", "echo 7 passed, 0 failed", failing)).toMatchObject({
    code: 1,
    last: "14 passed, 3 failed",
  });
});

it("names what failed once more at its end, where a long log is read", async () => {
  const failing = "echo failed: says it in Go; echo 2 passed, 1 failed; exit 1";
  const { stdout } = await ci("echo 5 passed, 0 failed", "echo 7 passed, 0 failed", failing);
  expect(stdout.trimEnd().split("\n").slice(-3)).toEqual([
    "failed: says it in Go",
    "",
    "14 passed, 1 failed",
  ]);
});

it("does not begin the proof where npm test failed", async () => {
  const { code, last, calls } = await ci("echo 5 passed, 1 failed; exit 1", "echo 7 passed, 0 failed");
  expect({ code, last, calls }).toEqual({ code: 1, last: "5 passed, 1 failed", calls: "true test\n" });
});

it("is a failure when one of them dies without a word, or says that all is well and exits otherwise", async () => {
  expect(await ci("echo 5 passed, 0 failed", "kill -9 $$")).toMatchObject({
    code: 1,
    last: "7 passed, 1 failed",
  });
  expect(await ci("echo 5 passed, 0 failed", "echo 7 passed, 0 failed; exit 1")).toMatchObject({
    code: 1,
    last: "14 passed, 1 failed",
  });
  expect(await ci("echo nothing", "echo 7 passed, 0 failed")).toMatchObject({ last: "0 passed, 1 failed" });
});
