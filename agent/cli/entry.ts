#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { tooOld } from "../../ledger/node-version.ts";
import { listenToSignals } from "./signals.ts";

const signals = listenToSignals();
// Before anything else is loaded: an old Node cannot load the rest.
const problem = tooOld();
if (problem !== undefined) {
  process.stderr.write(`${problem} In a clone, npx fleetkeeper uses the right one.\n`);
  process.exit(2);
}
const { main } = await import("./main.ts");
await main([process.execPath, fileURLToPath(import.meta.url)], signals);
