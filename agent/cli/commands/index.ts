import { Argument, Command, Option } from "commander";
import { RIGHTS } from "../../../ledger/rows.ts";
import { DEFAULT_HTTP_ADDRESS } from "../../tell/http/reach/address.ts";
import {
  atLeastOne,
  daysBack,
  month,
  noneOrMore,
  pastMoment,
  port,
  positive,
  seeds,
  several,
  usd,
} from "./arguments.ts";
import type { CliContext } from "./shared/cli-context.ts";
import type { Shell } from "./start/completion.ts";

const WITH_SCHEMA: Parameters<typeof import("./start/schema.ts").schemaCommand>[0][] = [
  ...(["fleet", "profile"] as const),
  ...([
    "status",
    "plan",
    "declare",
    "offers",
    "deployments",
    "deployment",
    "hosts",
    "spend",
    "places",
    "whatif",
    "history",
  ] as const),
  ...(["account", "balance", "doctor", "services"] as const),
];

const WHAT_STOPS =
  "One machine: fleetkeeper deployments stop ID. One fleet: fleetkeeper drain NAME. Everything that is ours: fleetkeeper stop --all.";

/**
 * Turns a command's function into one for commander, which passes arguments, flags and the command. It is loaded when
 * it is called: most of what `--version` took was to load what others need.
 */
export type Runner = <A extends unknown[]>(
  load: () => Promise<(...given: [...A, CliContext]) => Promise<number>>,
) => (...given: unknown[]) => Promise<void>;

/** Every command with its arguments and flags. A test compares docs/reference/cli.md with it. */
export function describeCommands(run: Runner, version: string, cli: CliContext): Command {
  const program = new Command("fleetkeeper")
    .description("The GPUs you asked for, and nothing you did not ask to pay for.")
    .version(version)
    .option("--agent <url>", "ask this agent, such as https://keeper.example.com, in the place of a ledger")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.print(text.trimEnd()),
      writeErr: (text) =>
        cli.tell(
          text
            .trimEnd()
            .replace(/too many arguments .*: (\S+\.ya?ml)\.$/, "$&\nName a fleet file with --config $1."),
        ),
    })
    .addHelpText(
      "after",
      "\nThe credential comes from FLEETKEEPER_API_KEY, or from the file named by FLEETKEEPER_API_KEY_FILE.\n" +
        "Exit codes: 0 done, 1 the service or the ledger does not play along, 2 something given is wrong, 130 stopped by you.",
    );

  const tenure = (flag: string, description: string): Option =>
    new Option(`${flag} <tenure>`, description).choices(["exclusive", "shared"]);
  const onLedger = (name: string, description: string, parent = program, isDefault = false): Command =>
    parent
      .command(name, { isDefault })
      .description(description)
      .option("-c, --config <file>", "fleet file (default: fleet.yaml, if it is there)")
      .option("--ledger <file>", "ledger");
  const common = (name: string, description: string, parent = program): Command =>
    onLedger(name, description, parent)
      .option("--service <name>", "which one of the fleet file's services")
      .option("--base-url <url>", "address of the service")
      .option("--profile <file>", "wire profile")
      .addOption(tenure("--account", "who else launches here"));

  program.commandsGroup("To begin with:");
  program
    .command("demo")
    .description("see it keep 16 GPUs on a bad day, simulated: half a minute, and nothing costs anything")
    .option(
      "--profile <file>",
      "against a service of this wire profile: a file, or the name of one that ships",
    )
    .action(run(async () => (await import("./start/demo.ts")).demoCommand));
  program
    .command("init")
    .description("ask, and write a fleet file and the skeleton of a wire profile")
    .option("-c, --config <file>", "fleet file to write (default: fleet.yaml)")
    .addOption(
      new Option("--cloud <name>", "a service whose profile ships, as fleetkeeper clouds names it").conflicts(
        [...["profile", "from", "name", "authHeader", "authValue"]],
      ),
    )
    .option("--answer <name=value...>", "what --cloud asks, instead of asking it")
    .option("--base-url <url>", "address of the service")
    .option("--name <name>", "what messages and files call the service")
    .addOption(tenure("--account", "who else launches here"))
    .option("--profile <file>", "a wire profile that is there already")
    .option(
      "--from <file...>",
      "saved answers (curl -i), curl commands or an OpenAPI document, to propose a profile from; KIND=FILE says what an answer is",
    )
    .option("--auth-header <name>", "the header that carries the credential")
    .option("--auth-value <template>", "what stands in it, with {secret} for the credential")
    .option("--fleet <name>", "a fleet to keep")
    .option("--gpus <count>", "how many GPUs it has", atLeastOne)
    .option("--gpu-model <name>", "of which model")
    .option("-y, --yes", "ask nothing; what is not said stays open in the files")
    .action(run(async () => (await import("./start/init.ts")).initCommand));
  program
    .command("clouds")
    .description("the services whose profiles ship, and what each can promise")
    .action(run(async () => (await import("./start/clouds.ts")).cloudsCommand));
  program
    .command("schema")
    .description(
      "print the JSON Schema of fleet files or wire profiles, or of what a command prints with --json",
    )
    .addArgument(new Argument("[what]", "of what").choices(WITH_SCHEMA).default("fleet"))
    .action(run(async () => (await import("./start/schema.ts")).schemaCommand));
  program
    .command("completion")
    .description("print what a shell needs to complete commands and flags")
    .addArgument(new Argument("<shell>", "of which shell").choices(["bash", "zsh", "fish"]))
    .action(
      run(async () => {
        const { completionCommand } = await import("./start/completion.ts");
        return (shell: Shell, _flags: object, given: CliContext) => completionCommand(program, shell, given);
      }),
    );
  common("doctor", "read the service, show what the profile covers, propose what is missing")
    .option("--json", "for programs")
    .action(run(async () => (await import("./start/doctor.ts")).doctorCommand));
  program
    .command("profile")
    .description("what says how a service speaks")
    .command("check")
    .description("hold a wire profile to recorded answers; nothing is sent")
    .argument("<folder>", "with about.yaml, profile.yaml and answers/")
    .option("--write", "write what the profile reads to reads.json, to be looked at")
    .action(run(async () => (await import("./start/profile-check.ts")).profileCheckCommand));
  program
    .command("simulate")
    .description("the service itself on this machine; nothing it rents costs anything")
    .option("--port <port>", "port of the API (default: a free one)", port)
    .option("--control-port <port>", "port of controls and ground truth (default: a free one)", port)
    .option(
      "--dialect <name>",
      "which wire it speaks: plain (default), nested, link, handwritten, camel, elsewhere",
    )
    .option("--profile <file>", "speaks by this wire profile: a file, or the name of one that ships")
    .option("--speed <factor>", "so many times as fast as real time", positive)
    .option("--seed <text>", "of its randomness")
    .option("--balance <amount>", "credit balance, such as 1000.0000", usd)
    .option(
      "--float",
      "machines that live cost what their offer costs now, and not what it did at their launch",
    )
    .option("--profile-out", "print the wire profile of the dialect, and start nothing")
    .action(run(async () => (await import("./start/simulate.ts")).simulateCommand));
  program.commandsGroup("To keep fleets:");
  common("agent", "keep what is asked for, until stopped")
    .option("--once", "one round, then exit")
    .option("--dry-run", "print what it would do, whenever that changes; nothing is launched or stopped")
    .option(
      "--http <address>",
      `where status page, metrics and health are served (default: ${DEFAULT_HTTP_ADDRESS}; elsewhere than on this machine: ` +
        "with FLEETKEEPER_HTTP_TOKEN)",
    )
    .option("--no-http", "serve nothing")
    .addOption(
      new Option(
        "--log-format <format>",
        "lines for people, or JSON (default: text on a terminal, else json)",
      ).choices(["text", "json"]),
    )
    .action(run(async () => (await import("./agent/agent.ts")).agentCommand));
  common("plan", "what the agent would do now, and why; nothing is launched or stopped")
    .option("--json", "for programs")
    .action(run(async () => (await import("./fleets/plan.ts")).planCommand));
  onLedger("pause <fleet>", "keep what runs, launch and stop nothing").action(
    run(async () => (await import("./fleets/fleet-orders.ts")).pauseCommand),
  );
  onLedger("drain <fleet>", "stop all of a fleet, and launch nothing for it")
    .option("-y, --yes", "do not ask first")
    .action(run(async () => (await import("./fleets/fleet-orders.ts")).drainCommand));
  common(
    "resume [fleet]",
    "take back a pause or a drain; without a name: let launches go on under a profile that was halted",
  ).action(run(async () => (await import("./machines/operator.ts")).resumeCommand));
  onLedger("wake <fleet>", "want all of a fleet's GPUs again, after machines of it were given back").action(
    run(async () => (await import("./fleets/fleet-orders.ts")).wakeCommand),
  );
  onLedger("ask <fleet>", "want so many of a fleet's GPUs, within the min and max of its declaration")
    .addArgument(new Argument("[gpus]", "how many").argParser(noneOrMore))
    .option("--for <duration>", "how long, such as 4h; without it until it is taken back")
    .option("--why <text>", "what for: shown wherever the fleet is")
    .option("--end", "take back what was asked for")
    .action(run(async () => (await import("./fleets/ask.ts")).askCommand));
  program
    .command("declare <name> [file]")
    .description(
      "have an agent keep the fleets of a file; those that the file of this name has no more drain",
    )
    .option("--service <name>", "which one of the agent's services")
    .option("--remove", "take back all that the file of this name declared: its fleets drain")
    .option("--dry-run", "say what would be declared otherwise, and what the agent would do then")
    .option("-y, --yes", "do not ask first where a fleet drains")
    .option("--json", "for programs")
    .action(run(async () => (await import("./fleets/declare.ts")).declareCommand));
  const services = program
    .command("services")
    .description("the services of fleets that several of them keep");
  onLedger("list", "what each has of each fleet, and why nothing is launched there", services, true)
    .option("--json", "for programs")
    .action(run(async () => (await import("./fleets/services.ts")).servicesCommand));
  const ofService = (name: string, description: string): Command =>
    onLedger(`${name} <service>`, description, services).option("--fleet <name>", "only of this fleet");
  ofService("pause", "keep what runs there, launch and stop nothing there").action(
    run(async () => (await import("./fleets/services.ts")).servicesPauseCommand),
  );
  ofService("drain", "move its share to the other services: new machines first where surge allows")
    .option("-y, --yes", "do not ask first")
    .action(run(async () => (await import("./fleets/services.ts")).servicesDrainCommand));
  ofService("resume", "take back a pause or a drain").action(
    run(async () => (await import("./fleets/services.ts")).servicesResumeCommand),
  );
  onLedger("hold <id>", "let no stop that fleetkeeper chooses take a machine for a time")
    .requiredOption("--for <duration>", "how long, such as 2h or 3d, at most 30d")
    .option("--why <text>", "what for: shown wherever the machine is")
    .action(run(async () => (await import("./machines/machine-hold.ts")).holdCommand));
  onLedger("release <id>", "end that").action(
    run(async () => (await import("./machines/machine-hold.ts")).releaseCommand),
  );
  common("stop", "stop everything that is ours in this account, and launch nothing again")
    .showHelpAfterError(WHAT_STOPS)
    .option("--all", "said on purpose")
    .option("-y, --yes", "do not ask first")
    .option("--no-wait", "only send the calls")
    .action(run(async () => (await import("./machines/stop-all.ts")).stopAllCommand));
  const tokens = program
    .command("token")
    .description("tokens of the agent's API: who may order what, by name");
  onLedger("create", "make one, and print it once", tokens)
    .requiredOption("--name <name>", "what it is called beside all that is ordered with it")
    .addOption(
      new Option("--may <right>", "what it may do, and all before that")
        .choices(RIGHTS)
        .makeOptionMandatory(),
    )
    .option(
      "--fleets <pattern>",
      "orders only about these fleets, such as 'train-*' (may be repeated)",
      several,
    )
    .option("--for <duration>", "how long, at most 365d", "90d")
    .action(run(async () => (await import("./serve/token.ts")).tokenCreateCommand));
  onLedger("list", "those that are open", tokens, true).action(
    run(async () => (await import("./serve/token.ts")).tokenListCommand),
  );
  onLedger("revoke <name>", "end one, at once", tokens).action(
    run(async () => (await import("./serve/token.ts")).tokenRevokeCommand),
  );
  common("mcp", "tools for a program with a language model: it reads, and orders what a token may").action(
    run(async () => (await import("./serve/mcp.ts")).mcpCommand),
  );
  program
    .command("notify")
    .description("those who are told what happens")
    .command("test")
    .description("tell each of them something that means nothing, and say who took it")
    .option("-c, --config <file>", "fleet file (default: fleet.yaml, if it is there)")
    .action(run(async () => (await import("./serve/notify.ts")).notifyTestCommand));
  program.commandsGroup("To look:");
  onLedger("status", "what runs, what is missing and why, from the ledger")
    .option("--watch", "draw it again whenever it changes, until Ctrl-C")
    .addOption(new Option("--json", "for programs").conflicts("watch"))
    .action(run(async () => (await import("./fleets/status.ts")).statusCommand));
  onLedger("history", "what happened: launches, failures, interruptions, stops")
    .option("--json", "one JSON object a line")
    .option("--limit <count>", "how many events", atLeastOne, 50)
    .option("--by <actor>", "only what this one decided, such as token:ci, user:ann@desk or stack:shop/prod")
    .action(run(async () => (await import("./fleets/status.ts")).historyCommand));
  onLedger(
    "seen [id]",
    "put away a failure that is for the service's support, or all; it stays in the history",
  ).action(run(async () => (await import("./machines/seen.ts")).seenCommand));
  onLedger("spend", "what each fleet has cost, day by day: an estimate, from the ledger")
    .option("--days <count>", "how many days, today included", daysBack, 7)
    .addOption(
      new Option("--month <month>", "the days of a month of UTC, such as 2026-11")
        .conflicts("days")
        .argParser(month),
    )
    .option("--by <label>", "by the values of a label, such as team")
    .option("--json", "for programs")
    .addOption(
      new Option("--csv", "for programs: a row for each day, payer and labels, in FOCUS columns").conflicts(
        "json",
      ),
    )
    .action(run(async () => (await import("./fleets/spend.ts")).spendCommand));
  onLedger(
    "places",
    "how each combination did: launches, losses with their uncertainty, time to run, prices; from the ledger",
  )
    .addOption(
      new Option("--days <count>", "how many days of UTC, today included").choices(["7", "30"]).default("30"),
    )
    .option("--json", "for programs")
    .action(run(async () => (await import("./fleets/places.ts")).placesCommand));
  program
    .command("whatif")
    .description(
      "what the fleets of a file would have got and cost: the agent, played on a market that was; nothing is rented",
    )
    .argument("[file]", "fleet file", "fleet.yaml")
    .option("--with <file>", "another fleet file, to compare it with")
    .addOption(
      new Option(
        "--upgrade <program>",
        "another version of fleetkeeper: whether it decides alike on the same market",
      ).conflicts("with"),
    )
    .option("--days <count>", "how many days, until now", daysBack, 30)
    .option("--at <moment>", "until then, and not until now", pastMoment)
    .option("--history <ledger>", "the ledger whose market is played (default: the ledger of the settings)")
    .addOption(new Option("--market <file>", "a market file, instead of a ledger's").conflicts("history"))
    .option("--seeds <count>", "how many plays, each with other losses", seeds, 3)
    .option("--service <name>", "which one of the fleet file's services")
    .option("--svg <file>", "write GPUs and money over time as a picture")
    .option("--json", "for programs")
    .action(run(async () => (await import("./start/whatif.ts")).whatifCommand));
  onLedger("share", "a link that shows the status page to others for some time, and can do nothing")
    .option("--url <url>", "where people reach the page, such as https://fleet.example.com")
    .option("--for <duration>", "how long it shows the page, at most 30d", "7d")
    .option("--service <name>", "which one of the fleet file's services")
    .addOption(new Option("--list", "the links that are open").conflicts("end"))
    .option("--end <id>", "end this link, or all of them (all)")
    .action(run(async () => (await import("./serve/share.ts")).shareCommand));
  common("offers", "what the service offers now, the cheapest GPU first")
    .option("--gpu-model <name>", "only this model (may be repeated)", several)
    .option(
      "--worth <model=work>",
      "how much work one GPU of this model does, 1 where nothing is said (may be repeated)",
      several,
    )
    .option("--provider <name>", "only from this provider (may be repeated)", several)
    .option("--location <name>", "only at this location (may be repeated)", several)
    .option("--max-price <amount>", "at most so much a GPU and hour, in the service's currency", usd)
    .option("--available", "only what can be had now")
    .option("--json", "for programs")
    .action(run(async () => (await import("./fleets/offers.ts")).offersCommand));
  common("account", "whose account this is, and its balance")
    .addOption(tenure("--change-to", "say anew who else launches here"))
    .option(
      "--same",
      "where the service shows no account: a new credential opens the one that the ledger knows",
    )
    .option("-y, --yes", "do not ask first")
    .option("--json", "for programs")
    .action(run(async () => (await import("./account/account.ts")).accountCommand));
  common("balance", "the credit balance, as the service says it now")
    .option("--json", "for programs")
    .action(run(async () => (await import("./account/account.ts")).balanceCommand));
  common("hosts", "where the machines that run are reached, as far as the profile maps it")
    .option("--fleet <name>", "only of this fleet")
    .option("--field <name>", "this connection detail alone, one machine a line")
    .addOption(
      new Option("--ssh-config", "as ssh -F reads it, from the details host, port and user").conflicts([
        "field",
        "json",
      ]),
    )
    .option("--show-secrets", "also what the profile calls secret")
    .option("--json", "for programs")
    .action(run(async () => (await import("./machines/hosts.ts")).hostsCommand));
  const deployments = program
    .command("deployments")
    .description("the machines of the account, whoever's they are");
  common("list", "what lives in the account, whose it is, and what it costs", deployments)
    .option("--all", "those that have ended, too")
    .option("--json", "for programs")
    .action(run(async () => (await import("./machines/deployments.ts")).deploymentsListCommand));
  common("show <id>", "everything that is known of one, and what happened to it", deployments)
    .option("--show-secrets", "also connection details that the profile calls secret")
    .option("--json", "for programs")
    .action(run(async () => (await import("./machines/deployments.ts")).deploymentsShowCommand));
  common("stop <id>", "stop one that is ours, and wait until it has ended", deployments)
    .option("-y, --yes", "do not ask first")
    .option("--no-wait", "only send the call")
    .option(
      "--shrink",
      "of a fleet: want so many GPUs less from then on, so that none is rented in its place",
    )
    .option("--now", "run no beforeStop, and end one that runs")
    .action(run(async () => (await import("./machines/deployments-stop.ts")).deploymentsStopCommand));
  program.commandsGroup("To decide whose a machine is:");
  common("adopt <id>", "say that a deployment is ours")
    .option("--fleet <name>", "the fleet it belongs to")
    .option("--deployment <name>", "the Pulumi Deployment it belongs to, by its name or its slot's id")
    .option("--gpus <count>", "how many GPUs it has, whatever the service shows", atLeastOne)
    .option("-y, --yes", "of an owner that stops what it has: do not ask first")
    .action(run(async () => (await import("./machines/operator.ts")).adoptCommand));
  common(
    "disown <id>",
    "say that a deployment is not ours, for good; slot:ID: that nothing runs in it; unreadable: the same of records without an id",
  )
    .option("-y, --yes", "of a slot: do not ask first")
    .action(run(async () => (await import("./machines/operator.ts")).disownCommand));
  program.commandsGroup("For clusters:");
  program
    .command("serve-autoscaler")
    .description("node groups for Kubernetes' Cluster Autoscaler: fleets of the agent that --agent names")
    .requiredOption("--groups <file>", "which fleets are node groups, and of what")
    .option("--listen <address>", "where the autoscaler calls", "127.0.0.1:9471")
    .option("--service <name>", "which one of the agent's services")
    .option("--cert <file>", "certificate of this server")
    .option("--key <file>", "its key")
    .option("--client-ca <file>", "who has signed the certificates of those who may call")
    .option("--insecure", "without TLS, on the loopback alone")
    .action(run(async () => (await import("./serve/serve-autoscaler.ts")).serveAutoscalerCommand));
  program.commandsGroup("To look after the ledger:");
  const ledger = program.command("ledger").description("where everything stands that is known");
  onLedger("check", "read every row, and say whether the ledger is sound", ledger).action(
    run(async () => (await import("./account/ledger-check.ts")).ledgerCheckCommand),
  );
  onLedger("copy", "move the ledger to another place; nothing may run on it", ledger)
    .option("--from <ledger>", "the ledger that is moved (default: the ledger of the settings)")
    .option("--to <ledger>", "where it goes: an empty place (default: the ledger of the settings)")
    .action(run(async () => (await import("./account/ledger-copy.ts")).ledgerCopyCommand));
  return program;
}
