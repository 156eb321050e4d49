/**
 * Prints progress to stderr: the output of `npm run pulumi -- stack output --json` stays JSON.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

/**
 * "8 s" or "3 min 20 s" since `start` (a Date.now()).
 * @param {number} start
 */
export function since(start) {
  const seconds = Math.round((Date.now() - start) / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
