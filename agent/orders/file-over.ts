import type { Ledger } from "../../ledger/ledger.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import { refuseOwned } from "../fleet/declare/fleets.ts";
import type { Among, FleetFile } from "../fleet/file/fleet-file.ts";
import { homesElsewhere } from "../fleet/file/home.ts";
import { readAll } from "../status/account-status.ts";
import { fleetsOf, sourceOfFile } from "./api-declaration.ts";
import { checkName, FILE_ORDERS, firstsLeftOut, ordersHere } from "./file-orders.ts";
import type { KeptAccounts, LedgerOrder, OrderedPart } from "./ledger-order.ts";
import { refusal } from "./refusal.ts";

type Read = Pick<FleetFile, "fleets" | "leaving">;

/** What may be ordered about a fleet file in all services of an agent: a part of it is what one account has of it. */
export const FILE_ORDERS_OVER: readonly LedgerOrder[] = FILE_ORDERS.map(
  (each): LedgerOrder => ({
    ...each,
    about: "file",
    says: `${each.says} Of an agent with several services: in all of them, with fleets that several keep.`,
    each,
    partsOf: async (accounts, name, input) => {
      checkName(name);
      const kept = (await accounts.kept?.()) ?? new Map<string, never>();
      return each.name === "remove"
        ? partsOfFile(accounts.ledger, name, { fleets: [], leaving: [] }, "remove", kept)
        : partsOfFile(accounts.ledger, name, readIn(name, input, kept), "declare", kept);
    },
  }),
);

function readIn(name: string, { fleets }: Readonly<Record<string, Json>>, kept: KeptAccounts): Read {
  const among: Among = new Map(
    [...kept].flatMap(([service, { gpuModels }]) => (service === "" ? [] : [[service, gpuModels] as const])),
  );
  return fleetsOf(name, fleets as readonly Json[], among);
}

/**
 * The accounts that the file is about: where it has fleets, or had any. That of a first part which is new comes last: no other
 * part launches anything without it, so a declaration that is cut short launches nothing.
 */
async function partsOfFile(
  ledger: Ledger,
  name: string,
  { fleets, leaving }: Read,
  what: "declare" | "remove",
  kept: KeptAccounts,
): Promise<readonly OrderedPart[]> {
  const { drafts } = await readAll(ledger);
  const source = sourceOfFile(name);
  const at = (service = ""): string | undefined => kept.get(service)?.account;
  const unopened = fleets.find(({ service }) => at(service) === undefined);
  if (unopened)
    throw new FleetkeeperError(
      "BUSY",
      `${unopened.part?.of ?? unopened.name}: the account of ${unopened.service} was not open yet, so nothing can be declared there: again once it is. Nothing was done.`,
    );
  const services = [...kept.keys()].map((service) => ({ name: service }));
  await refuseStrangers(ledger, source, fleets, kept);
  const names = new Set(fleets.map(({ name, part }) => part?.of ?? name));
  const serviceOf = new Map([...kept].map(([service, { account }]) => [account, service]));
  const parts: (OrderedPart & { readonly begins: number })[] = [];
  for (const [account, draft] of drafts) {
    const mine = <F extends Read["fleets"][number]>(all: readonly F[]) =>
      all.filter(({ service }) => at(service) === account);
    const had = [...draft.fleets.values()].some((fleet) => fleet.source === source);
    if (!had && mine(fleets).length === 0) continue;
    const homes = await homesElsewhere({ ledger, account }, { source, fleets, leaving, services });
    const here = {
      ...{ fleets: mine(fleets), leaving: mine(leaving), homesElsewhere: homes, names },
      elsewhere: new Map(
        fleets.flatMap((each) =>
          at(each.service) === account ? [] : [[each.name, each.service ?? ""] as const],
        ),
      ),
    };
    const out = firstsLeftOut(draft.fleets, name, names);
    const orders = ordersHere({ ...here, out });
    const begins = here.fleets.filter(
      (each) => each.part?.of === each.name && !homes.has(each.name) && !draft.fleets.has(each.name),
    ).length;
    parts.push({
      ...{ account, fleet: name, of: name, service: serviceOf.get(account) || null, begins },
      order: orders[what],
      ...(out.length > 0 && { first: orders.takeOut }),
    });
  }
  if (parts.length === 0 && what === "remove")
    throw refusal(`${name}: no file of this name has declared a fleet in this ledger.`);
  return parts.sort((one, other) => one.begins - other.begins).map(({ begins: _, ...part }) => part);
}

/** A name is one account's for good. Declared beside a stranger of that name, a fleet would have parts, and no first one. */
async function refuseStrangers(
  ledger: Ledger,
  source: string,
  fleets: Read["fleets"],
  kept: KeptAccounts,
): Promise<void> {
  const its = (service = ""): string | undefined => kept.get(service)?.account;
  const accounts = [...kept.keys()].map(its);
  const wanted = new Map(
    fleets.map(({ name, part, service }) => [part?.of ?? name, part ? accounts : [its(service)]]),
  );
  for (const [name, mayBe] of wanted) {
    const home = await ledger.accountOfFleet(name);
    if (home === undefined) continue;
    const draft = await readDraft({ ledger, account: home });
    refuseOwned(draft, draft.fleets.get(name), source);
    if (mayBe.includes(home)) continue;
    const service = [...kept.keys()].find((each) => its(each) === home);
    throw refusal(
      `fleet ${name}: its name is kept in ${service ?? `${draft.account.email} at ${draft.account.baseUrl}, which is no service of this agent`}, and is one account's ` +
        `for good: ${service ? `write it under service: ${service}, or ` : ""}choose another name.`,
    );
  }
}
