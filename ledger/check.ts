import { mayBeOneTooMany } from "./agreed.ts";
import { type AllRows, type Cell, COPIED, COPIED_TABLES, type CopiedTable, type Counts } from "./copy.ts";
import { misshapen } from "./row-shape.ts";
import type { AccountRow, DeploymentRow, FleetRow, IntentRow, SlotRow, Tenure } from "./rows.ts";
import { readArchived } from "./stored-row.ts";

/** What a look at every row of a ledger has found. */
export interface Findings {
  readonly counts: Counts;
  /** For people; nothing: the ledger is sound. */
  readonly problems: readonly string[];
  /** Decisions that were refused by a rule of money, and halt launches: what a person can send. */
  readonly refused: readonly string[];
}

/** One stored row, by its columns. */
type Stored = Readonly<Record<string, Cell>>;

/** Columns that must say what the row says. */
const SAME: Readonly<Partial<Record<CopiedTable, Readonly<Record<string, string>>>>> = {
  account: { key: "key", base_url: "baseUrl", account_id: "accountId" },
  intent: { id: "id", grouped: "group", state: "state" },
  deployment: { id: "id", claim: "claim", ended: "end" },
  slot: { id: "id" },
  fleet: { name: "name" },
  event: { at: "at" },
  stretch: { at: "at", until: "until" },
  market: { at: "at", until: "until" },
  sample: { at: "at", until: "until" },
};

/**
 * Reads every row of a ledger: whether it is what was written, whether its columns say the same, and whether
 * machine and launch name each other, once each.
 */
export async function checkLedger(ledger: AllRows): Promise<Findings> {
  const problems: string[] = [...(await ledger.flaws())];
  const refused: string[] = [];
  const counts: Partial<Record<CopiedTable, number>> = {};
  const claims = new Claims();
  for (const table of COPIED_TABLES) {
    let count = 0;
    for await (const cells of ledger.rows(table)) {
      count += 1;
      const stored = Object.fromEntries(COPIED[table].map((name, place) => [name, cells[place] ?? null]));
      const row = readable(table, stored, problems);
      if (row === undefined) continue;
      claims.add(table, stored, row);
      const { unsound } = table === "account" ? (row as AccountRow) : {};
      if (unsound && !unsound.looked) refused.push(`account ${stored.key}: ${JSON.stringify(unsound)}`);
    }
    counts[table] = count;
  }
  return { counts: counts as Counts, problems: [...problems, ...claims.problems()], refused };
}

type Row = AccountRow | IntentRow | DeploymentRow | SlotRow | FleetRow;

/** The row, or undefined: then it is among the problems. */
function readable(table: CopiedTable, stored: Stored, problems: string[]): Row | undefined {
  const called = `table ${table}, ${COPIED[table][0]} ${stored[COPIED[table][0]]}`;
  let row: unknown;
  try {
    row = JSON.parse(String(stored.row));
    if (table === "deployment" && stored.archived != null) readArchived(stored.archived);
  } catch {
    problems.push(`${called}: the row cannot be read`);
    return undefined;
  }
  const field = misshapen(row, table);
  if (field !== undefined) {
    problems.push(`${called}: ${field || "the row itself"} is not what was written`);
    return undefined;
  }
  for (const [column, name] of Object.entries(SAME[table] ?? {}))
    if (stored[column] !== (row as Record<string, unknown>)[name])
      problems.push(`${called}: the column ${column} is not the row's ${name}`);
  return row as Row;
}

/** Which launch made which machine. Accounts come first, and launches before machines. */
class Claims {
  readonly #tenures = new Map<unknown, Tenure>();
  readonly #launches = new Map<string, Pick<IntentRow, "marker">>();
  readonly #byLaunch = new Map<string, string[]>();
  readonly #byMachine = new Map<string, string[]>();
  readonly #open = new Map<string, string[]>();

  add(table: CopiedTable, { account, key }: Stored, row: Row): void {
    if (table === "account") this.#tenures.set(key, (row as AccountRow).tenure);
    if (table === "intent") {
      const { id, state, deployment, group, marker } = row as IntentRow;
      this.#launches.set(`${account} ${id}`, { marker });
      if (state === "claimed" && deployment !== null) note(this.#byMachine, `${account} ${deployment}`, id);
      if (state === "open") note(this.#open, `${account} ${group}`, id);
    }
    if (table !== "deployment") return;
    const { id, claim, intent, marker } = row as DeploymentRow;
    const launch = `${account} ${intent}`;
    const made = this.#launches.get(launch);
    const tenure = this.#tenures.get(account) ?? "unstated";
    const isNamed = this.#byMachine.has(`${account} ${id}`);
    if (made && !isNamed && mayBeOneTooMany({ claim, marker }, made, tenure)) return;
    // Several disputed ones count as one.
    if (intent !== null && (claim === "certain" || claim === "inferred")) note(this.#byLaunch, launch, id);
  }

  problems(): readonly string[] {
    const several = (
      found: ReadonlyMap<string, readonly string[]>,
      what: (key: string, ids: string) => string,
    ) =>
      [...found].flatMap(([key, ids]) =>
        ids.length > 1 ? [what(key.split(" ").at(-1) ?? "", ids.join(", "))] : [],
      );
    return [
      ...several(
        this.#byLaunch,
        (launch, ids) => `launch ${launch} is said to have made several machines: ${ids}`,
      ),
      ...several(
        this.#byMachine,
        (id, launches) => `several launches are said to have made machine ${id}: ${launches}`,
      ),
      ...several(
        this.#open,
        (group, launches) => `several launches of the group ${group} are open: ${launches}`,
      ),
    ];
  }
}

function note(map: Map<string, string[]>, key: string, id: string): void {
  const found = map.get(key) ?? [];
  map.set(key, found);
  found.push(id);
}
