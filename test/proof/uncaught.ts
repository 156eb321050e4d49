import { appendFileSync } from "node:fs";

/** Loaded into a process by --import: what nobody there catches goes into the file that UNCAUGHT names. */
process.on("uncaughtExceptionMonitor", (error) => {
  if (process.env.UNCAUGHT) appendFileSync(process.env.UNCAUGHT, `${error.stack ?? error}\n`);
});
