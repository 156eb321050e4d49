import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fromDebian } from "./deploy-tools.mjs";
import { onPath } from "./engine-version.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";

/*
 * Alloy, which checks proof/model/launch.als. It is one file of Maven Central, which Maven fetches into our cache, and needs
 * a Java: Debian's packages of both are only installed in a CI.
 */

const VERSION = "6.2.0";
const SHA256 = "6037cbeee0e8423c1c468447ed10f5fcf2f2743a2ffc39cb1c81f2905c0fdb9d";
const ARTIFACT = `org.alloytools:org.alloytools.alloy.dist:${VERSION}`;
const MOST_MS = 5 * 60_000;
const PROGRAMS = { java: "default-jre-headless", mvn: "maven" };

/**
 * @param {{ env: NodeJS.ProcessEnv, mayInstall: boolean, ci: boolean }} options
 * @returns {Promise<{ jar?: string, missing?: string }>} the program, or why there is none
 */
export async function findAlloy({ env, mayInstall, ci }) {
  const cache = cacheFolder(env);
  const jar = path.join(cache, `alloy-${VERSION}.jar`);
  const programs = existsSync(jar) ? ["java"] : ["java", "mvn"];
  if (!mayInstall && !existsSync(jar)) return { missing: `Alloy ${VERSION}: not installed yet` };
  for (const [program, debian] of Object.entries(PROGRAMS)) {
    if (!programs.includes(program) || (await onPath(program, env))) continue;
    const failed =
      ci && mayInstall ? await fromDebian(program, debian, env) : `there is no ${program} on the PATH`;
    if (failed) return { missing: `Alloy ${VERSION}: ${failed}` };
  }
  const onWait = () => say("another run is fetching Alloy: waiting for it ...");
  return withLock(path.join(cache, "alloy.lock"), { onWait }, async () => {
    // Another run may have fetched it while we waited.
    if (existsSync(jar)) return { jar };
    const start = Date.now();
    say(`fetching Alloy ${VERSION} ...`);
    const log = path.join(cache, "alloy.log");
    const folder = mkdtempSync(path.join(cache, "alloy-"));
    try {
      const repository = `-Dmaven.repo.local=${path.join(folder, "maven")}`;
      const copy = ["-B", "-q", "dependency:copy", `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${folder}`];
      if (!(await runLogged("mvn", [...copy, repository], { log, env, timeoutMs: MOST_MS })).ok)
        return { missing: `Alloy ${VERSION} could not be fetched: see ${log}` };
      const fetched = path.join(folder, `org.alloytools.alloy.dist-${VERSION}.jar`);
      const is = createHash("sha256").update(readFileSync(fetched)).digest("hex");
      if (is !== SHA256)
        return { missing: `Alloy ${VERSION} is another file than it was: its SHA-256 is ${is}` };
      renameSync(fetched, jar);
      say(`fetched in ${since(start)}`);
      return { jar };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
