import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { constants } from "node:os";

/*
 * Runs a command on the stack's machine by the system's ssh, and ends with its exit code:
 *
 *     node run.ts [OPTIONS OF SSH] -- COMMAND
 */
const asked = process.argv.slice(2);
const at = asked.indexOf("--");
const command = asked.slice(at + 1);
if (at < 0 || command.length === 0) quit("usage: node run.ts [OPTIONS OF SSH] -- COMMAND");

/** The names `host`, `port` and `user` are those of the profile's author. If yours are others, change them here. */
interface Outputs {
  readonly deploymentId?: string;
  readonly connection?: { readonly host?: string; readonly port?: string; readonly user?: string };
}

// A connection is secret as a whole if one detail is. It goes to ssh, and is not printed.
const printed = execFileSync("pulumi", ["stack", "output", "--json", "--show-secrets"], { encoding: "utf8" });
const { deploymentId, connection }: Outputs = JSON.parse(printed);
if (deploymentId === undefined) quit("the stack has no machine: run pulumi up");
if (connection === undefined)
  quit(
    `the service shows no connection of ${deploymentId}: map deployments.fields.connection in the wire profile, and run pulumi up`,
  );
const { host = missing("host"), port = missing("port"), user = missing("user") } = connection;

/*
 * The service shows no host key, so nobody can say whether the first one is the machine's own: ssh takes it
 * (accept-new), and refuses another one from then on. Each machine has a file of its own, because an address comes back
 * with another machine and another key.
 */
mkdirSync("known-hosts", { recursive: true });
const keys = `known-hosts/${deploymentId.replaceAll(/[^\w-]/g, "_")}`;
const checks = ["-o", "StrictHostKeyChecking=accept-new", "-o", `UserKnownHostsFile=${keys}`];
// What you give comes first: ssh takes the first of two that contradict each other.
const args = [...asked.slice(0, at), ...checks, "-p", port, "-l", user, "--", host, ...command];
const ssh = spawn("ssh", args, { stdio: "inherit" });
ssh.on("error", (error) => quit(`ssh cannot be started: ${error.message}`));
ssh.on("exit", (code, signal) => {
  // 255 is ssh's own: it did not reach the machine, or was cut off.
  process.exitCode = code ?? 128 + constants.signals[signal ?? "SIGTERM"];
});

function missing(name: string): never {
  quit(
    `the connection of ${deploymentId} has no ${name}: map deployments.fields.connection.${name} in the wire profile, and run pulumi up`,
  );
}

function quit(why: string): never {
  console.error(why);
  process.exit(1);
}
