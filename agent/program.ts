import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { FleetkeeperError } from "../service/errors.ts";
import { accountCommand } from "./commands/account.ts";
import { agentCommand } from "./commands/agent.ts";

import { doctorCommand } from "./commands/doctor.ts";
import type { Edge } from "./commands/edge.ts";
import { adoptCommand, disownCommand, resumeCommand } from "./commands/operator.ts";
import { planCommand } from "./commands/plan.ts";
import { simulateCommand } from "./commands/simulate.ts";
import { historyCommand, statusCommand } from "./commands/status.ts";
import { DEFAULT_HTTP_ADDRESS } from "./http/address.ts";
import { clean } from "./text.ts";

/** 0: done. 1: the service or the ledger does not play along. 2: something that was given is wrong; nothing was done. */
type ExitCode = number;

/** The command line, from its arguments to its exit code. Never throws, and never shows a stack trace for a known error. */
export async function runCli(args: readonly string[], version: string, edge: Edge): Promise<ExitCode> {
  let code: ExitCode = 0;
  const run =
    <A extends unknown[]>(command: (...given: [...A, Edge]) => Promise<ExitCode>) =>
    async (...given: unknown[]): Promise<void> => {
      // Commander passes the command itself last.
      code = await command(...(given.slice(0, -1) as A), { ...edge, version });
    };
  const program = describe(run, version, edge);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // Stopped by the person in front of it, who need not be told what that kept from being done.
    if (edge.signal.aborted) return 130;
    if (!(error instanceof FleetkeeperError)) throw error;
    edge.tell(
      error.message
        .split("\n")
        .map((line) => clean(line, 2000))
        .join("\n"),
    );
    return ["CONFIG", "PROFILE_PART_MISSING", "CREDENTIAL", "WRONG_ACCOUNT"].includes(error.code) ? 2 : 1;
  }
}

type Runner = <A extends unknown[]>(
  command: (...given: [...A, Edge]) => Promise<ExitCode>,
) => (...given: unknown[]) => Promise<void>;

function describe(run: Runner, version: string, edge: Edge): Command {
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

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number.");
  return Number(text);
}

function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError("expected at least 1.");
  return value;
}

function port(text: string): number {
  const value = wholeNumber(text);
  if (value > 65_535) throw new InvalidArgumentError("expected a port, at most 65535.");
  return value;
}

function usd(text: string): string {
  if (!/^\d{1,9}(\.\d{1,4})?$/.test(text))
    throw new InvalidArgumentError("expected USD as a plain decimal, such as 1000.00.");
  return text;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("expected a number above 0.");
  return value;
}
