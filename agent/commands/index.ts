import { Command, Option } from "commander";
import { DEFAULT_HTTP_ADDRESS } from "../http/address.ts";
import { accountCommand } from "./account.ts";
import { agentCommand } from "./agent.ts";
import { atLeastOne, port, positive, usd, wholeNumber } from "./arguments.ts";
import { doctorCommand } from "./doctor.ts";
import type { Edge } from "./edge.ts";
import { adoptCommand, disownCommand, resumeCommand } from "./operator.ts";
import { planCommand } from "./plan.ts";
import { simulateCommand } from "./simulate.ts";
import { historyCommand, statusCommand } from "./status.ts";

/** Turns a command's function into what commander calls: its arguments, its flags, the command itself. */
export type Runner = <A extends unknown[]>(
  command: (...given: [...A, Edge]) => Promise<number>,
) => (...given: unknown[]) => Promise<void>;

/** Every command with its arguments and flags. docs/cli.md says the same for people, and a test holds it to this. */
export function describeCommands(run: Runner, version: string, edge: Edge): Command {
  const program = new Command("fleetkeeper")
    .description("The GPUs you asked for, and nothing you did not ask to pay for.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => edge.print(text.trimEnd()),
      writeErr: (text) => edge.tell(text.trimEnd()),
    })
    .addHelpText(
      "after",
      "\nThe credential comes from FLEETKEEPER_API_KEY, or from the file named by FLEETKEEPER_API_KEY_FILE.\n" +
        "Exit codes: 0 done, 1 the service or the ledger does not play along, 2 something given is wrong.",
    );

  const common = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option("-c, --config <file>", "fleet file (default: fleet.yaml, if it is there)")
      .option("--base-url <url>", "address of the service")
      .option("--profile <file>", "wire profile")
      .option("--ledger <file>", "ledger")
      .addOption(new Option("--account <tenure>", "who else launches here").choices(["exclusive", "shared"]));

  common("agent", "keep what is asked for, until stopped")
    .option("--once", "one round, then exit")
    .option(
      "--http <address>",
      `where status page, metrics and health are served (default: ${DEFAULT_HTTP_ADDRESS}; elsewhere than on this machine: ` +
        "with FLEETKEEPER_HTTP_TOKEN)",
    )
    .option("--no-http", "serve nothing")
    .action(run(agentCommand));
  common("plan", "what the agent would do now, and why; nothing is launched or stopped")
    .option("--json", "for programs")
    .action(run(planCommand));
  common("status", "what runs, what is missing and why, from the ledger")
    .option("--json", "for programs")
    .action(run(statusCommand));
  common("history", "what happened: launches, failures, interruptions, stops")
    .option("--json", "one JSON object a line")
    .option("--limit <count>", "how many events", wholeNumber, 50)
    .action(run(historyCommand));
  common("doctor", "read the service, show what the profile covers, propose what is missing")
    .option("--json", "for programs")
    .action(run(doctorCommand));
  common("account", "whose account this is, and its balance")
    .option("--json", "for programs")
    .action(run(accountCommand));
  common("adopt <id>", "say that a deployment is ours")
    .option("--fleet <name>", "the fleet it belongs to")
    .option("--deployment <name>", "the Pulumi Deployment it belongs to")
    .option("--gpus <count>", "how many GPUs it has, where the service does not show it", atLeastOne)
    .action(run(adoptCommand));
  common(
    "disown <id>",
    "say that a deployment is not ours, for good; slot:ID: that nothing runs in it",
  ).action(run(disownCommand));
  common("resume", "let launches go on under a profile that was halted").action(run(resumeCommand));
  program
    .command("simulate")
    .description("the service itself on this machine; nothing it rents costs anything")
    .option("--port <port>", "port of the API (default: a free one)", port)
    .option("--control-port <port>", "port of controls and ground truth (default: a free one)", port)
    .option("--dialect <name>", "which wire it speaks: plain, nested, link, handwritten", "plain")
    .option("--speed <factor>", "so many times as fast as real time", positive)
    .option("--seed <text>", "of its randomness")
    .option("--balance <usd>", "credit balance, such as 1000.0000", usd)
    .option("--profile-out", "print the wire profile of the dialect, and start nothing")
    .action(run(simulateCommand));
  return program;
}
