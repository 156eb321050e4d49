import { describe } from "vitest";
import { sharedServer } from "../../support/postgres.ts";
import { REPEATS } from "../../support/repeats.ts";
import { archiveContract } from "../archive-contract.ts";
import { ledgerContract } from "../contract.ts";
import { historyContract } from "../history-contract.ts";
import { marketContract } from "../market-contract.ts";
import { sampleContract } from "../sample-contract.ts";
import { soundContract } from "../sound-contract.ts";
import { viewContract } from "../view-contract.ts";

const server = await sharedServer();

describe.skipIf(!server)("PostgreSQL", () => {
  const open = async () => (await server!.database()).ledger();
  ledgerContract("a ledger in PostgreSQL", open);
  historyContract("history in PostgreSQL", open);
  marketContract("a market in PostgreSQL", open);
  sampleContract("samples of a market in PostgreSQL", open);
  archiveContract("archived machines in PostgreSQL", open);
  soundContract("what must hold, in PostgreSQL", open);
  viewContract(
    "two processes on a ledger in PostgreSQL",
    async () => {
      const database = await server!.database();
      return () => database.ledger();
    },
    { seeds: [2], options: REPEATS },
  );
});
