import { spawn } from "node:child_process";
import { join } from "node:path";
import { env } from "node:process";

/* The product's own agent, as anybody runs it. Its waits are shorter by the speed of the service, and nothing else. */

const speed = Number(env.ARENA_SPEED);
const protocol = { poll: 15_000, postTimeout: 120_000, settle: 120_000, gone: 60_000, stopping: 900_000 };
const faster = Object.fromEntries(
  Object.entries(protocol).map(([name, ms]) => [name, Math.ceil(ms / speed)]),
);
const cli = join(import.meta.dirname, "..", "..", "agent", "cli", "entry.ts");
spawn(process.execPath, [cli, "agent", "--no-http", "--config", "fleet.yaml"], {
  env: {
    ...env,
    FLEETKEEPER_BASE_URL: env.ARENA_URL,
    FLEETKEEPER_API_KEY: env.ARENA_API_KEY,
    FLEETKEEPER_PROFILE: env.ARENA_PROFILE,
    FLEETKEEPER_ACCOUNT: "exclusive",
    FLEETKEEPER_LEDGER: "ledger.db",
    FLEETKEEPER_PROTOCOL: JSON.stringify(faster),
  },
  stdio: ["ignore", "ignore", "inherit"],
});
