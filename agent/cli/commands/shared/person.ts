import type { Context } from "../../../../launch/facts/context.ts";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import type { CliContext } from "./cli-context.ts";

/** For what the person at this command line orders: it is written down that they did. */
export function personContext(keeper: Keeper, { person }: CliContext): Context {
  return { ...contextOf(keeper), actor: person };
}
