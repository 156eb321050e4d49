#!/usr/bin/env node
import { tooOld } from "../../ledger/node-version.ts";
import { noDebugger } from "../../service/process/no-debugger.ts";

/**
 * `pulumi-resource-fleetkeeper`: an engine starts it by this name, with its own address as the last argument.
 * Before anything else is loaded: an old Node cannot load the rest.
 */
noDebugger();
const problem = tooOld();
if (problem !== undefined) {
  process.stderr.write(`${problem} Pulumi runs the one that is first on the PATH.\n`);
  process.exit(2);
}
const { serveEngine } = await import("./server.ts");
serveEngine();
