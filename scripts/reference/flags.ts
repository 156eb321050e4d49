import type { Argument, Command, Option } from "commander";
import { describeCommands } from "../../agent/cli/commands/index.ts";
import { cell, code } from "./table.ts";

/** docs/reference/flags.md: every command with its arguments and flags, as the program itself describes them. */
export function flagsPage(): string {
  const program = describeCommands(() => async () => undefined, "", {
    environment: {},
    signal: new AbortController().signal,
    print: () => undefined,
    tell: () => undefined,
    color: false,
  });
  return `# Every flag

Made from the program by \`npm run docs\`. [Commands](cli.md) says what each command does, with samples, JSON and exit
codes.

${leaves(program)
  .map(({ name, command }) => section(name, command))
  .join("\n")}`;
}

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

/** Commands that do something, by their whole names. */
function leaves(command: Command, path = ""): readonly Leaf[] {
  if (command.commands.length === 0) return [{ name: path.trim(), command }];
  return command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`));
}

function section(name: string, command: Command): string {
  const given = command.registeredArguments.map(argumentText);
  return [
    `## ${name}`,
    "",
    `\`fleetkeeper ${[name, ...given].join(" ")}\`: ${cell(command.description())}`,
    "",
    "| flag | |",
    "|---|---|",
    ...command.options.map((option) => `| ${code(option.flags)} | ${cell(optionText(option))} |`),
    "",
  ].join("\n");
}

function argumentText(argument: Argument): string {
  const name = argument.argChoices?.join(" or ") ?? argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionText({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices ? `: ${argChoices.join(" or ")}` : "";
  const standard = ["string", "number"].includes(typeof defaultValue) ? ` (default: ${defaultValue})` : "";
  return description + choices + standard;
}
