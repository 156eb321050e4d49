import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { found } from "../deploy/tool.ts";
import { type Step, stepsOf } from "../docs/steps.ts";
import { Terminal } from "../docs/terminal.ts";
import { describeWithEngine } from "../engine/engine.ts";
import { installSdk, python } from "../engine/python.ts";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");

interface Example {
  readonly name: string;
  readonly readme: string;
  readonly steps: readonly Step[];
  readonly isPython: boolean;
  readonly hasPulumi: boolean;
}

const examples: readonly Example[] = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const readme = readFileSync(join(EXAMPLES, name, "README.md"), "utf8");
    const isPython = existsSync(join(EXAMPLES, name, "requirements.txt"));
    const manifest = readFileSync(
      join(EXAMPLES, name, isPython ? "requirements.txt" : "package.json"),
      "utf8",
    );
    const hasPulumi = /"@pulumi\/pulumi"|^pulumi/m.test(manifest);
    return { name, readme, steps: stepsOf(readme), isPython, hasPulumi };
  });

/** The server of whoever has PostgreSQL where the README says. */
const PORT = "5432";
const server = await sharedServer();

function isOnPostgres({ readme }: Pick<Example, "readme">): boolean {
  return readme.includes(`:${PORT}/`);
}

/** Where the stand-in for a machine that answers by SSH has it. */
const SSHD = "/usr/sbin/sshd";
const canLogIn = existsSync(SSHD) && found("ssh") !== undefined;

function hasLogin({ readme }: Pick<Example, "readme">): boolean {
  return readme.includes(SSHD);
}

async function withDatabase(): Promise<Readonly<Record<string, string>>> {
  if (!server) return {};
  await server.sql("CREATE DATABASE fleetkeeper");
  onTestFinished(() => server.drop("fleetkeeper"));
  return { [PORT]: String(server.port) };
}

/** As in the virtual environment that a reader makes. */
function withSdk(): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-python-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packages = installSdk(join(folder, "packages"));
  return { python: `PYTHONPATH="${packages}" exec "${join(python!, "bin/python")}" "$@"` };
}

/** What a reader does, line by line, on the simulated service: each block runs, and prints what is shown. */
async function follow({ name, readme, steps, isPython }: Example): Promise<void> {
  // What was opened last is closed first.
  const servers = isOnPostgres({ readme }) ? await withDatabase() : {};
  const commands = isPython ? withSdk() : {};
  const terminal = await Terminal.open({ servers, commands });
  onTestFinished(() => terminal.close());
  for (const step of steps)
    await terminal.follow(step).catch((error: Error) => {
      throw new Error(`examples/${name}/README.md:${step.line}: ${error.message}`, { cause: error });
    });
}

const NEEDS_SSHD = "[needs OpenSSH's server; npm test installs Debian's in a CI]";

async function followWithLogin(example: Example): Promise<void> {
  // As the script that starts the server does; only root's sshd asks for it.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  await follow(example);
}

/** What npm test follows: one without Pulumi and one with it. The others say the same of other programs. */
const FIRST = ["agent", "deployment"];
const isFirst = ({ name }: Example): boolean => FIRST.includes(name);
const isOther = (example: Example): boolean => !isFirst(example);

describe("the steps of", () => {
  const withoutPulumi = examples.filter(({ hasPulumi }) => !hasPulumi);
  const withoutLogin = withoutPulumi.filter((example) => !hasLogin(example));
  test.each(withoutLogin.filter(isFirst))("examples/$name", follow);
  test.each(withoutLogin.filter(isOther))("examples/$name", REPEATS, follow);
  test.skipIf(!canLogIn).each(withoutPulumi.filter(hasLogin))(
    `examples/$name ${NEEDS_SSHD}`,
    REPEATS,
    followWithLogin,
  );
});

describeWithEngine("with Pulumi, the steps of", () => {
  const withPulumi = examples.filter(({ hasPulumi }) => hasPulumi);
  const plain = (example: Example): boolean =>
    !(isOnPostgres(example) || example.isPython || hasLogin(example));
  test.each(withPulumi.filter(plain).filter(isFirst))("examples/$name", follow);
  test.each(withPulumi.filter(plain).filter(isOther))("examples/$name", REPEATS, follow);
  test.skipIf(!canLogIn).each(withPulumi.filter(hasLogin))(
    `examples/$name ${NEEDS_SSHD}`,
    REPEATS,
    followWithLogin,
  );
  test.skipIf(!python).each(withPulumi.filter(({ isPython }) => isPython))(
    "examples/$name [needs Pulumi for Python]",
    REPEATS,
    follow,
  );
  test.skipIf(!server).each(withPulumi.filter(isOnPostgres))(
    "examples/$name [needs PostgreSQL]",
    REPEATS,
    follow,
  );
});

/** The order that Pulumi's examples have. Between prerequisites and cost stand the steps. */
const ORDER = ["What it shows", "Prerequisites", "What it cost", "Clean up"];

describe.each(examples)("examples/$name", ({ name, readme, steps, isPython }) => {
  test("has a README in the order of all examples, with steps that print something", () => {
    const headings = [...readme.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
    expect(headings.filter((heading) => ORDER.includes(heading))).toEqual(ORDER);
    expect(headings.slice(0, 2)).toEqual(ORDER.slice(0, 2));
    expect(steps.filter((step) => step.kind === "run" && step.output !== undefined).length).toBeGreaterThan(
      2,
    );
  });

  test("is in the table of examples, and stands alone", () => {
    expect(readFileSync(join(EXAMPLES, "README.md"), "utf8")).toContain(`](${name})`);
    expect(isPython || existsSync(join(EXAMPLES, name, "package.json"))).toBe(true);
  });
});
