import { basename } from "node:path";
import { listenToSignals } from "../agent/cli/signals.ts";
import { noDebugger } from "../service/process/no-debugger.ts";

// The single file that `npm run binary` makes begins here: it brings its own Node, and is all that starts it. It is the
// command line, and under the name by which an engine starts it, the plugin.
if (basename(process.execPath).startsWith("pulumi-resource-")) {
  noDebugger();
  void import("./plugin/server.ts").then(({ serveEngine }) => serveEngine());
} else {
  const signals = listenToSignals();
  void import("../agent/cli/main.ts").then(({ main }) => main([process.execPath], signals));
}
