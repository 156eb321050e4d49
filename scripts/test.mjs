// npm test: set-up, lint, types, tests, a sample of the proof. The last line is always "N passed, N failed".
// npm test -- <vitest arguments>: the same with these tests only.
// npm test -- --repeats: the tests that npm test leaves out, because they say once more what others say. `.ci/run` has both.
// npm run vitest -- <vitest arguments>: these tests without lint and types.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { findAlloy } from "./setup/alloy.mjs";
import { findChromium, noticeOfMissingChromium } from "./setup/chromium.mjs";
import { findDeployTools } from "./setup/deploy-tools.mjs";
import { runInForeground } from "./setup/foreground.mjs";
import { endLeftOver, endWithThisProcess, isDead, RUN, runOf } from "./setup/leftover.mjs";
import { root, workFolder } from "./setup/paths.mjs";
import { pythonPackages } from "./setup/python-packages.mjs";
import { say } from "./setup/say.mjs";
import { isCi, setUp } from "./setup/set-up.mjs";
import { SetupError } from "./setup/setup-error.mjs";
import { Tally } from "./setup/tally.mjs";
import { readDeclarations, repeatingTests, TAG, testsFor } from "./setup/vitest-arguments.mjs";
import { readCounts, readVitestReport } from "./setup/vitest-report.mjs";

const args = process.argv.slice(2);
const onlyVitest = args[0] === "--only=vitest";
const onlyRepeats = args[0] === "--repeats";
const vitestArgs = onlyVitest ? args.slice(1) : args;
const tally = new Tally();

// The count is the last line, whatever ends this process, even a Ctrl-C during the set-up.
process.on("exit", (code) => {
  if (code !== 0 && tally.failed === 0) tally.fail("interrupted");
  process.stdout.write(`\n${tally.summary()}\n`);
  process.exitCode = tally.exitCode();
});

try {
  const { env } = await setUp({
    declarations: !onlyVitest || readDeclarations(vitestArgs),
    onFailedBuild: (error) => tally.fail("build", error.message),
    onMissingEngine: (error) => tally.fail("engine", error.message),
  });
  if (!onlyVitest && !onlyRepeats) {
    await check("lint", "biome", ["check", "--diagnostic-level=warn"], env);
    // Each is busy with one core.
    await Promise.all([
      check("types", "tsc", ["-p", "tsconfig.check.json"], env),
      check("unused", "knip", [], env),
      check("unused but by tests", "knip", ["--production"], env),
    ]);
  }
  const withTools = {
    ...env,
    ...(await chromiumIn(env)),
    ...(await deployToolsIn(env)),
    ...(await pythonIn(env)),
    ...(await alloyIn(env)),
  };
  // Tests of the command line and of the engine wait for processes now and then: the proof has that time.
  await Promise.all([runTests(withTools), args.length === 0 && runSample(env)]);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  tally.fail("set-up", error.message);
}

/**
 * Tests ask for FLEETKEEPER_CHROMIUM. For a part of the tests, none is installed.
 * @param {NodeJS.ProcessEnv} env
 */
async function chromiumIn(env) {
  const { chromium, missing } = await findChromium({ env, mayInstall: !onlyVitest });
  if (chromium) {
    say(`${chromium.version}, ${chromium.from}`);
    return { FLEETKEEPER_CHROMIUM: chromium.file };
  }
  const notice = noticeOfMissingChromium(missing, isCi(process.env));
  if (isCi(process.env)) tally.fail("chromium", notice);
  else say(notice);
  return {};
}

/**
 * What checks the files of deploy/. For a part of the tests, none is installed. Registries of other languages have it:
 * where they cannot be reached the product is no worse, and its other tests still say so.
 * @param {NodeJS.ProcessEnv} env
 */
async function deployToolsIn(env) {
  const { path: PATH, missing } = await findDeployTools({
    env,
    mayInstall: !onlyVitest,
    ci: isCi(process.env),
  });
  for (const why of missing) say(`${why}. What needs it is skipped, by name.`);
  return { PATH };
}

/**
 * Tests ask for FLEETKEEPER_PYTHON: a virtual environment with what programs in Python need, but for sdk/python.
 * @param {NodeJS.ProcessEnv} env
 */
async function pythonIn(env) {
  const { folder, missing } = await pythonPackages({
    name: "python",
    what: "Pulumi for the tests of programs in Python",
    requirements: path.join("test", "python", "requirements.txt"),
    env,
    mayInstall: !onlyVitest,
  });
  if (!missing) return { FLEETKEEPER_PYTHON: folder };
  if (!onlyVitest) say(`${missing}. What needs it is skipped, by name.`);
  return {};
}

/**
 * The test of the model asks for FLEETKEEPER_ALLOY. It repeats, so `npm test` alone fetches nothing.
 * @param {NodeJS.ProcessEnv} env
 */
async function alloyIn(env) {
  const mayInstall = onlyRepeats || (!onlyVitest && vitestArgs.length > 0);
  const { jar, missing } = await findAlloy({ env, mayInstall, ci: isCi(process.env) });
  if (jar) return { FLEETKEEPER_ALLOY: jar };
  if (mayInstall) say(`${missing}. What needs it is skipped, by name.`);
  return {};
}

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} commandArgs
 * @param {NodeJS.ProcessEnv} env
 */
async function check(name, command, commandArgs, env) {
  const code = await runInForeground(command, commandArgs, { env, cwd: root });
  if (code === 0) tally.pass(name);
  else tally.fail(name, `${command} ended with exit code ${code}`);
}

/** @param {NodeJS.ProcessEnv} env */
async function runTests(env) {
  mkdirSync(workFolder, { recursive: true });
  const report = path.join(workFolder, "vitest.json");
  rmSync(report, { force: true });
  endLeftOver(isDead);
  endWithThisProcess(runOf(process.pid));
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const tests = onlyRepeats ? repeatingTests() : testsFor(vitestArgs);
  const code = await runInForeground("vitest", ["run", ...reporters, ...tests], {
    env: { ...env, [RUN]: runOf(process.pid) },
    cwd: root,
  });
  endLeftOver((run) => run === runOf(process.pid));
  const inTwoLoops = onlyRepeats || vitestArgs.length === 0;
  const isOfOtherLoop = (/** @type {string[]} */ tags) => inTwoLoops && tags.includes(TAG) !== onlyRepeats;
  tally.addTests(readVitestReport(report, isOfOtherLoop), code);
}

/**
 * The quick parts of the proof, with what time the tests leave. `npm run prove` runs the others.
 * @param {NodeJS.ProcessEnv} env
 */
async function runSample(env) {
  const counts = path.join(workFolder, "sample.json");
  rmSync(counts, { force: true });
  const sample = ["node", "proof/prove/index.ts", "--only", "sample", "--again", "--counts", counts];
  const code = await runInForeground("nice", sample, { env, cwd: root });
  tally.addProof(readCounts(counts), code);
}
