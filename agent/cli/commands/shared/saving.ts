import type { Keeper } from "../../../../launch/keeper.ts";
import { runCommand } from "../../../ask/ask.ts";
import { beforeStop } from "../../../ask/before-stop.ts";
import type { Kind } from "../../../ask/machine-watch.ts";
import type { CliContext } from "./cli-context.ts";

/** Runs on this host what fleets run before a machine is stopped. */
export function saving(keeper: Keeper, { environment }: CliContext): Kind {
  return beforeStop(keeper, (asked, command, signal) => runCommand(asked, command, environment, signal));
}
