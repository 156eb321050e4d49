import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pageText } from "../../docs/.vitepress/llms.ts";
import { TASKS } from "../../tasks/all.ts";
import { answerIn, type Task } from "../../tasks/task.ts";
import { REPEATS } from "../support/repeats.ts";

test("there are 20 tasks, each with a name of its own and pages that there are", () => {
  expect(new Set(TASKS.map(({ name }) => name)).size).toBe(20);
  for (const page of TASKS.flatMap(({ pages }) => pages)) expect(pageText(page)).not.toBe("");
});

/** Both ways to answer it. */
async function answered({ begin }: Task): Promise<void> {
  for (const isRight of [true, false]) {
    const { prompt, check, end, ...answers } = await begin();
    const said = isRight ? answers.right : answers.wrong;
    const answer = answerIn(said.startsWith("```") ? `So it is:\n${said}` : said);
    expect(prompt).not.toContain(answer.trim());
    const problem = await check(answer);
    await end();
    if (isRight) expect(problem).toBeUndefined();
    else expect(problem).toBeTruthy();
  }
}

const NAME = "$name can be done, and can be failed";
const isFirst = ({ name }: Task): boolean =>
  ["profile-plain", "file-limits", "missing-pause", "lost-and-open", "nobodys-to-end"].includes(name);
test.each(TASKS.filter(isFirst))(NAME, answered);
test.each(TASKS.filter((task) => !isFirst(task)))(NAME, REPEATS, answered);

test("the prompt goes to the model's command, and its last block is the answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tasks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const wish =
    'gpus: 16\n    select: { gpuModel: h100-80gb, maxPricePerGpuHour: "2.45" }\n    budget: { perHour: 30 }';
  const answer = `Not this:\n\`\`\`\nfleets: []\n\`\`\`\nThis:\n\`\`\`yaml\nfleets:\n  - name: training\n    ${wish}\n\`\`\`\n`;
  writeFileSync(join(folder, "answer"), answer);
  const program = join(import.meta.dirname, "..", "..", "tasks", "index.ts");
  const command = `cat > '${join(folder, "prompt")}'; grep -q 'gpuModel' '${join(folder, "prompt")}' && cat '${join(folder, "answer")}'`;
  const args = [program, "--only", "file-limits,file-end", "--model", command];
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (error, stdout) => resolve(`${error?.code ?? 0} ${stdout}`));
  });
  expect(said).toMatch(/^1 file-limits {2}right\nfile-end {5}wrong .+\n\n1 of 2 are right/);
});
