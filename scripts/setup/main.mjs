import { SetupError } from "./setup-error.mjs";

/**
 * Ends a script: with its exit code, and with the plain message of a set-up error.
 * @param {() => Promise<number>} work
 */
export async function main(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
