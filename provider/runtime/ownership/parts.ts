import { type KeptService, keptServices } from "../../../agent/fleet/file/kept-services.ts";
import { withAliases } from "../../../agent/fleet/file/model-aliases.ts";
import { type DeclaredPart, partName } from "../../../agent/fleet/phase/part.ts";
import { modelProblems } from "../../../agent/fleet/wish/wish.ts";
import type { Wish } from "../../../agent/index.ts";
import type { Ledger } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { WishInputs } from "../inputs/inputs.ts";
import type { Seen } from "./fleet-source.ts";

/** An account in which a fleet is declared, and how it is called and asked for there. */
export interface WantedPart {
  readonly account: string;
  readonly name: string;
  readonly wish: Wish;
  /** Undefined: the fleet stands in this account alone. */
  readonly part?: DeclaredPart;
}

type Asked = Pick<WishInputs, "name" | "services" | "spread"> & { readonly wish: Wish };

/**
 * Where a fleet is declared. One of several services: by the names that the fleet file of this account's agent has for them. Its first
 * part comes last: no other one launches anything without it, so a declaration that is cut short launches nothing. `seen`: what
 * the fleet's resource declared before. Throws CONFIG.
 */
export async function wantedParts(
  { ledger, account: own }: { readonly ledger: Ledger; readonly account: string },
  { name, services, spread, wish }: Asked,
  seen: readonly Seen[],
): Promise<readonly WantedPart[]> {
  if (services === undefined) return [{ account: own, name, wish }];
  const there = await servicesOf(ledger, own);
  const accounts = services === "all" ? there : services.map((each) => serviceIn(there, each));
  if (spread && spread.atLeast > accounts.length)
    throw mistake(`spread.atLeast: expected ${accounts.length} or less, as there are ${namesOf(accounts)}`);
  const home = await homeOf(ledger, name, seen);
  const kept = new Set(
    seen.flatMap(({ account, fleet }) => (fleet.removed || fleet.part?.of !== name ? [] : [account])),
  );
  const leaving = there.filter(
    (each) => !accounts.includes(each) && (kept.has(each.key) || each.key === home),
  );
  const all = [...accounts, ...leaving];
  const first = home === undefined ? accounts[0] : all.find(({ key }) => key === home);
  if (!first) {
    throw mistake(
      `services: the fleet ${name} was declared in ${home} first, and that account is no service of this agent's fleet file. Write it there again; ` +
        "or take this Fleet out, and declare one of another name",
    );
  }
  const wanted = all.map((each): WantedPart => {
    const before = seen.find(({ account, fleet }) => account === each.key && fleet.part?.of === name);
    const mine = withAliases(wish, each.service.gpuModels ?? {}, undefined);
    const [problem] = modelProblems(mine.select ?? {});
    if (problem) throw mistake(`select: ${problem.message}, by gpuModels of ${each.service.name}`);
    return {
      account: each.key,
      name: each === first ? name : (before?.fleet.name ?? partName(name, each.service.name, 1)),
      wish: mine,
      part: {
        ...{ of: name, service: each.service.name, atLeast: spread?.atLeast },
        ...(leaving.includes(each) && { leaves: true }),
      },
    };
  });
  return wanted.sort((one, other) => Number(one.name === name) - Number(other.name === name));
}

/** The services of the fleet file that this account's agent has. */
async function servicesOf(ledger: Ledger, own: string): Promise<readonly KeptService[]> {
  const there = await keptServices(ledger, own);
  if (there.length > 0) return there;
  throw mistake(
    `services: no agent has kept this account in the ledger ${ledger.location} by a fleet file with several services. Start one whose ` +
      "services have it among them: fleetkeeper agent --config FILE; or take services out",
  );
}

function serviceIn(there: readonly KeptService[], name: string): KeptService {
  const found = there.filter(({ service }) => service.name === name);
  const [kept = found[0]] = found.filter(({ agent }) => agent !== null);
  if (kept) return kept;
  throw mistake(`services: expected names of services that the agent keeps (${namesOf(there)}), got ${name}`);
}

function namesOf(there: readonly KeptService[]): string {
  return there.map(({ service }) => service.name).join(", ");
}

/** The account of the first part, for good: one account has a name. */
async function homeOf(ledger: Ledger, name: string, seen: readonly Seen[]): Promise<string | undefined> {
  const mine = seen.find(({ fleet }) => !fleet.removed && (fleet.part?.of ?? fleet.name) === fleet.name);
  return mine?.account ?? ledger.accountOfFleet(name);
}

function mistake(text: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", `${text}.`);
}
