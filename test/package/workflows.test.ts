import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".github", "workflows");
const files = readdirSync(FOLDER).map((name) => join(FOLDER, name));
const EXAMPLE = join(ROOT, "examples", "github-actions");
const examples = ["preview", "up"].map((name) => join(EXAMPLE, ".github", "workflows", `${name}.yml`));
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly "timeout-minutes"?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const hasGo = spawnSync("go", ["version"]).status === 0;

test.skipIf(!hasGo)("actionlint finds nothing in the workflows [needs Go]", () => {
  const { status, stdout, stderr } = spawnSync(
    "go",
    ["-C", join(ROOT, "scripts", "actionlint"), "tool", "actionlint", ...files, ...examples],
    { encoding: "utf8" },
  );
  expect([status, stdout, stderr.replaceAll(/^go: downloading .*\n/gm, "")]).toEqual([0, "", ""]);
});

describe.each(files)("%s", (file) => {
  const workflow: {
    readonly permissions: Readonly<Record<string, string>>;
    readonly jobs: Readonly<Record<string, Job>>;
  } = parse(readFileSync(file, "utf8"));
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  test("may only read, but where a job says what it writes", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(jobs.filter(([, { permissions }]) => permissions).map(([name]) => name)).toEqual(
      file.endsWith("release.yml") ? ["publish"] : [],
    );
  });

  test("runs scripts that are there, each job with an end", () => {
    const named = steps.flatMap(({ run = "" }) =>
      [...run.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name),
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(jobs.filter(([, job]) => job["timeout-minutes"] === undefined)).toEqual([]);
  });

  test("runs what everybody runs, and asks for known flaws of dependencies", () => {
    const lines = steps.map(({ run }) => run);
    expect(lines).toContain("bash .ci/run");
    expect(lines).toContain("npm audit --package-lock-only");
  });
});

describe.each(examples)("%s", (file) => {
  const text = readFileSync(file, "utf8");
  const {
    permissions,
    jobs,
  }: {
    readonly permissions: Readonly<Record<string, string>>;
    readonly jobs: Readonly<Record<string, Job & { readonly env: Readonly<Record<string, string>> }>>;
  } = parse(text);

  test("may only read, has an end, and names one secret, whose value is not in it", () => {
    expect(permissions).toEqual({ contents: "read" });
    for (const job of Object.values(jobs)) {
      expect(job).toMatchObject({ "timeout-minutes": expect.any(Number) });
      expect(Object.values(job.env)).toEqual([
        expect.stringMatching(/^\$\{\{ vars\.PULUMI_BACKEND_URL \}\}$/),
        expect.stringMatching(/^\$\{\{ secrets\.PULUMI_PASSPHRASE \}\}$/),
      ]);
    }
    expect(text.match(/secrets\.\w+/g)).toEqual(["secrets.PULUMI_PASSPHRASE"]);
  });

  test("runs the commands of its README, which test/examples follows", () => {
    const commands = Object.values(jobs)
      .flatMap((job) => job.steps)
      .flatMap(({ run = [] }) => run)
      .filter((line) => line.startsWith("pulumi"));
    expect(commands).toHaveLength(2);
    expect(readFileSync(join(EXAMPLE, "README.md"), "utf8")).toContain(`\`\`\`sh\n${commands.join("\n")}\n`);
  });
});
