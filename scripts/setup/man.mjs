// Writes the man page, from the commands themselves: node man.mjs FOLDER.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ENVIRONMENT } from "../../account/configuration.ts";
import { describeCommands } from "../../agent/cli/commands/index.ts";
import { root } from "./paths.mjs";

/** @typedef {import("commander").Command} Command */

const [, , folder = path.join(root, "dist", "man")] = process.argv;
const { version, description } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const nothing = () => undefined;
const program = describeCommands(() => async () => undefined, version, {
  ...{ environment: {}, signal: new AbortController().signal, color: false },
  ...{ print: nothing, tell: nothing },
});
const help = program.createHelp();

/** Each variable, and the flag that says the same. A test holds them to the reference's table. */
const variables = [
  [ENVIRONMENT.baseUrl, "as --base-url"],
  [ENVIRONMENT.profile, "as --profile"],
  [ENVIRONMENT.ledger, "as --ledger"],
  [ENVIRONMENT.account, "as --account"],
  [ENVIRONMENT.apiKey, "the credential, which has no flag"],
  ["FLEETKEEPER_HTTP", "as --http"],
  ["FLEETKEEPER_HTTP_TOKEN", "what the page asks for"],
  ["FLEETKEEPER_LOG_FORMAT", "as --log-format"],
];

const page = [
  `.TH FLEETKEEPER 1 "" "fleetkeeper ${version}" "Commands"`,
  ".SH NAME",
  `fleetkeeper \\- ${text(description.replace(/^.*?: /, ""))}`,
  ".SH SYNOPSIS",
  ".B fleetkeeper",
  ".I COMMAND",
  "[options]",
  ".SH DESCRIPTION",
  text(program.description()),
  "Each command says by",
  ".B \\-\\-help",
  "what this page says.",
  ".SH COMMANDS",
  ...leaves(program).flatMap(section),
  ".SH ENVIRONMENT",
  "Each has a form with",
  ".B _FILE",
  "behind it, which names a file to read the value from.",
  ...variables.flatMap(([name = "", meaning = ""]) => [".TP", `.B ${name}`, text(meaning)]),
  ".SH FILES",
  ".TP",
  ".I fleet.yaml",
  "the fleets to keep, in the folder where a command runs",
  ".TP",
  ".I ~/.fleetkeeper/ledger.db",
  "the ledger, unless a setting names another one",
  ".SH EXIT STATUS",
  ...[
    ["0", "done"],
    ["1", "the service or the ledger does not play along: the same command may succeed later"],
    ["2", "something that was given is wrong; nothing was done"],
    ["130", "stopped by you"],
  ].flatMap(([code, meaning = ""]) => [".TP", `.B ${code}`, text(meaning)]),
];
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, "fleetkeeper.1"), `${page.join("\n")}\n`);

/** @param {Command} command @returns {Command[]} those that do something */
function leaves(command) {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

/** @param {Command} command */
function section(command) {
  return [
    `.SS ${text(help.commandUsage(command).replace(/ ?\[options\]/, ""))}`,
    `${text(command.description())}.`,
    ...help
      .visibleOptions(command)
      .flatMap((option) => [
        ".TP",
        `.B ${text(help.optionTerm(option))}`,
        text(help.optionDescription(option)),
      ]),
  ];
}

/** As roff reads it: no line begins a request, and a hyphen is one that can be copied. @param {string} words */
function text(words) {
  return words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}
