/** Why this Node is too old, for people; else undefined. It would only say that it knows no node:sqlite. */
export function tooOld(version: string = process.versions.node): string | undefined {
  const [major = 0] = version.split(".").map(Number);
  return major < 24 ? `fleetkeeper needs Node 24 or newer, and this is ${version}.` : undefined;
}
