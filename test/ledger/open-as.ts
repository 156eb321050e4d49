import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";

// A process without root's rights opens a ledger and says how that went. See refused.test.ts.
const path = process.argv[2] ?? "";
if (process.getuid?.() === 0) {
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
try {
  const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
  const account = { id: "anne", email: "", display_name: "", created_at: "" };
  await ledger.openAccount({ baseUrl: "https://a.example.com", account });
  ledger.close();
  process.stdout.write("opened\n");
} catch (error) {
  process.stdout.write(`${error instanceof FleetkeeperError ? error.code : "another error"}: ${error}\n`);
  process.exitCode = 1;
}
