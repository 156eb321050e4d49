import { commandsOf, type NamedCommand } from "../../../agent/fleet/phase/commands.ts";
import type { Wish } from "../../../agent/index.ts";
import type { AccountRow, Ledger } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";

/** Throws CONFIG for a command that the agent of one of these accounts runs for no stack. Where none keeps it, nobody knows yet. */
export async function refuseCommands(ledger: Ledger, accounts: readonly string[], wish: Wish): Promise<void> {
  const named = commandsOf(wish);
  if (named.length === 0) return;
  for (const account of await ledger.accounts()) {
    if (!accounts.includes(account.key)) continue;
    for (const each of named) refuseCommand(each, account);
  }
}

function refuseCommand({ key, program }: NamedCommand, { agent, service }: AccountRow): void {
  if (!agent || agent.commands?.includes(program)) return;
  const where = service ? ` for ${service.name}` : "";
  const there = agent.commands
    ? `one of the programs that the agent${where} on ${agent.host} runs for stacks (${agent.commands.join(", ")})`
    : "no command";
  const remedy = agent.commands
    ? `Correct it; or put ${program} into the folder that FLEETKEEPER_COMMANDS names there, as a file that may be executed, and start the agent again`
    : `The agent${where} on ${agent.host} runs none for stacks: start it with FLEETKEEPER_COMMANDS, the folder that ${program} is in; or keep ` +
      "this fleet in a fleet file (fleetkeeper agent --config FILE)";
  throw new FleetkeeperError("CONFIG", `${key}.command: expected ${there}, got ${program}. ${remedy}.`);
}
