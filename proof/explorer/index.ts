import { STANDARD } from "./cases.ts";
import { explore } from "./explore.ts";

const only = process.argv[2];
const most = Number(process.env.MOST ?? Infinity);
for (const world of STANDARD.filter(({ name }) => only === undefined || name.includes(only))) {
  const begun = process.cpuUsage();
  try {
    const found = explore(world, { sample: 500, most });
    const { user, system } = process.cpuUsage(begun);
    process.stdout.write(
      `${world.name}: ${found.states} states, ${found.steps} steps, ${found.settled} settled, depth ${found.depth}, ${found.sampled} sampled, ${((user + system) / 1e6).toFixed(1)} s\n`,
    );
    if (found.bad) {
      process.stdout.write(
        `  BAD: ${found.bad.what}\n${found.bad.path.map((each) => `    ${each}\n`).join("")}`,
      );
      process.exitCode = 1;
    }
  } catch (e) {
    console.log(String(e));
  }
}
