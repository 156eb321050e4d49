// node scripts/registry.ts [REPOSITORY]: whether Pulumi's registry can take a release. It fails and says what is missing; a release
// names the repository that it comes from.
import packageJson from "../package.json" with { type: "json" };
import { goModule, lacking } from "./plugin-schema/published.ts";

const lacks = lacking(packageJson, goModule(), process.argv[2]);
for (const each of lacks) process.stderr.write(`${each}\n`);
process.exitCode = lacks.length > 0 ? 1 : 0;
