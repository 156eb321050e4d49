import { z } from "zod";
import { waking } from "../../../../launch/mark-wake.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Json } from "../../../../service/contract/service.ts";
import { hasAgent } from "../../../fleet/phase/agent-alive.ts";
import { clean } from "../../../fleet/text/text.ts";
import { fleetDeclaredSchema, fleetPartsSchema } from "../../../json/agent.ts";
import { type PartSaid, partsSaid } from "../../../json/answers.ts";
import type { DeploymentFacts } from "../../../json/deployments.ts";
import { JSON_SCHEMAS } from "../../../json/index.ts";
import type { Accounts } from "../../../orders/ledger-order.ts";
import { LEDGER_ORDERS, partsOfFleet } from "../../../orders/ledger-orders.ts";
import type { Order } from "../../../orders/order.ts";
import { ORDERS } from "../../../orders/orders.ts";
import { carryOutOver, type GivenOver, saidIfTried, tryOver } from "../../../orders/over-parts.ts";
import type { AccountApi } from "../../../remote/agent-client.ts";
import { PATHS } from "../../../remote/paths.ts";
import { deploymentsOf } from "../../../status/deployment-facts.ts";
import { type RemoteAccount, withAccounts } from "./by-agent.ts";
import { type CliContext, mistake } from "./cli-context.ts";
import type { LedgerFlags } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";

type About = Order["about"];
type WholeAbout = "fleet" | "service";

/** What an order is about, in one account: beside the ledger, or by the agent. */
export interface Target {
  /** The fleet's name, or the machine's id; of an account nothing. */
  readonly name: string;
  /** Gives the order of this name. It asks no service. `answers`: what it says. */
  give<T>(
    order: string,
    input: { readonly [key: string]: Json | undefined },
    answers: z.ZodType<T>,
  ): Promise<T>;
  /** What lives in its account. */
  machines(): Promise<readonly DeploymentFacts[]>;
  /** Whether an agent keeps the account, and so obeys. */
  hasAgent(): Promise<boolean>;
}

function targetHere(about: About, name: string, account: string, ledger: Ledger, cli: CliContext): Target {
  const machines = async () => deploymentsOf(await readDraft({ ledger, account }), false);
  return {
    name,
    machines,
    give: <T>(order: string, input: object) =>
      ledger.decide(
        account,
        waking((draft) => {
          const { give } = orderOf(about, order);
          const more = { can: NOTHING, place: ledger, isDry: false };
          return give(draft, name, input, { ...contextHere(cli, ledger), ...more }) as T;
        }),
      ),
    hasAgent: () => hasAgent({ ledger, account }, contextHere(cli, ledger)),
  };
}

/** Nothing is planned with it. */
const NOTHING = { launch: false, stop: false, offers: false };

function orderOf(about: About, name: string): Order {
  const found = ORDERS.find((each) => each.about === about && each.name === name);
  if (found) return found;
  throw new Error(`there is no order ${name} of a ${about}`);
}

function targetThere(about: About, name: string, account: RemoteAccount): Target {
  return {
    name,
    give: (order, body, answers) => account.order({ path: PATHS.order(about, name, order), body }, answers),
    machines: () => account.read(PATHS.deployments(false), JSON_SCHEMAS.deployments),
    hasAgent: async () => true,
  };
}

type Work = (targets: readonly Target[]) => Promise<number>;

/** What an order is about that may have parts in several accounts: a fleet, or what fleets have in one service. */
export interface WholeTarget {
  /** What each part would say. Nothing is done. */
  foresee<T>(order: string, answers: z.ZodType<T>, input?: Input): Promise<readonly PartSaid<T>[]>;
  /** Gives the order to all parts. */
  give<T>(order: string, answers: z.ZodType<T>, input?: Input): Promise<readonly PartSaid<T>[]>;
}

export interface FleetTarget extends WholeTarget {
  /** Without machines: another agent keeps the account of this one, and knows them. */
  readonly parts: readonly (Pick<Target, "name"> & Partial<Pick<Target, "machines">>)[];
}

type Input = { readonly [key: string]: Json | undefined };

function wholeHere(about: WholeAbout, name: string, ledger: Ledger, cli: CliContext): WholeTarget {
  const accounts: Accounts = {
    ledger,
    context: (isDry) => ({ ...contextHere(cli, ledger), can: NOTHING, place: ledger, isDry }),
    isOwn: () => true,
  };
  const given = (order: string, input: Input): GivenOver => {
    const found = LEDGER_ORDERS.find((each) => each.about === about && each.name === order);
    if (!found) throw new Error(`there is no order ${order} of a ${about} with its parts`);
    const actor = { name: cli.person ?? "user:?", may: "admin" } as const;
    return { order: found, target: name, input: input as GivenOver["input"], actor };
  };
  return {
    foresee: async <T>(order: string, _: z.ZodType<T>, input: Input = {}) => {
      const tried = await tryOver(given(order, input), accounts);
      if ("refused" in tried) throw mistake(tried.text);
      return (await saidIfTried(tried, accounts)) as readonly PartSaid<T>[];
    },
    give: async <T>(order: string, _: z.ZodType<T>, input: Input = {}) => {
      const outcome = await carryOutOver(given(order, input), accounts);
      if ("refused" in outcome) throw mistake(outcome.text);
      return outcome.parts as readonly PartSaid<T>[];
    },
  };
}

function wholeThere(about: WholeAbout, name: string, all: AccountApi): WholeTarget {
  return {
    foresee: async (order, answers, body = {}) => {
      const asked = { path: PATHS.over(about, name, order), body, dryRun: true };
      return (await all.order(asked, z.object({ answer: partsSaid(answers) }))).answer.parts;
    },
    give: async (order, answers, body = {}) =>
      (await all.order({ path: PATHS.over(about, name, order), body }, partsSaid(answers))).parts,
  };
}

/** Works with a fleet, and with each part of one that several services keep. Throws CONFIG if there is none. */
export async function withFleet(
  name: string,
  flags: LedgerFlags,
  cli: CliContext,
  work: (fleet: FleetTarget) => Promise<number>,
): Promise<number> {
  const { agent } = cli;
  if (!agent)
    return withLedger(flags, cli, async (ledger) => {
      const found = await partsOfFleet(ledger, name);
      if (found.length === 0) throw noFleet(name, ledger.location, await fleetsIn(ledger));
      const parts = found.map(({ fleet, account }) => targetHere("fleet", fleet, account, ledger, cli));
      return work({ ...wholeHere("fleet", name, ledger, cli), parts });
    });
  return withAccounts(agent, undefined, cli, async (accounts, root) => {
    // One that is not open now is asked by the ledger: its fleets take orders all the same.
    const open = accounts.filter(({ isOpen }) => isOpen);
    const all = await Promise.all(
      open.map(async (account) => ({
        account,
        fleets: await account.read(PATHS.fleets, fleetDeclaredSchema.array()),
      })),
    );
    const own = all.flatMap(({ account, fleets }) => fleets.map((fleet) => ({ ...fleet, account })));
    const its = own.filter((each) => each.name === name || (each.of === name && !each.removed));
    const isWhole = its.length === 0 || its.some(({ of }) => of);
    const ordered =
      isWhole && (its.length > 0 || open.length < accounts.length) ? await partsThere(root, name) : [];
    if (its.length + ordered.length === 0) throw noFleet(name, `the agent at ${agent.url}`, own);
    const parts = its.map((each) => targetThere("fleet", each.name, each.account));
    const elsewhere = ordered.filter(({ fleet }) => !its.some((each) => each.name === fleet));
    return work({
      ...wholeThere("fleet", name, root),
      parts: [...parts, ...elsewhere.map((each) => ({ name: each.fleet }))],
    });
  });
}

/** Of a fleet in whatever accounts of the ledger; empty: there is none. */
async function partsThere(root: AccountApi, name: string): Promise<readonly { readonly fleet: string }[]> {
  try {
    return (await root.read(PATHS.parts(name), fleetPartsSchema)).parts;
  } catch (error) {
    if (error instanceof FleetkeeperError && error.status === 404) return [];
    throw error;
  }
}

/** Works with what fleets have in one of several services. */
export async function withService(
  service: string,
  flags: LedgerFlags,
  cli: CliContext,
  work: (service: WholeTarget) => Promise<number>,
): Promise<number> {
  const { agent } = cli;
  if (agent)
    return withAccounts(agent, undefined, cli, (_, root) => work(wholeThere("service", service, root)));
  return withLedger(flags, cli, (ledger) => work(wholeHere("service", service, ledger, cli)));
}

function noFleet(name: string, where: string, there: readonly { readonly name: string }[]) {
  const names = there.map((fleet) => fleet.name).join(", ");
  return mistake(
    `${name}: no such fleet in ${where}; there are: ${names || "none: an agent writes them down when it starts"}.`,
  );
}

async function fleetsIn(ledger: Ledger): Promise<readonly { readonly name: string }[]> {
  const accounts = await ledger.accounts();
  return (await Promise.all(accounts.map(({ key }) => ledger.read(key)))).flatMap(({ fleets }) => fleets);
}

/** Works with a machine, in the account that knows it. Throws CONFIG if none does. */
export async function withMachine(
  id: string,
  flags: LedgerFlags,
  cli: CliContext,
  work: (target: Target) => Promise<number>,
): Promise<number> {
  const { agent } = cli;
  if (!agent)
    return withLedger(flags, cli, async (ledger) => {
      for (const { key } of await ledger.accounts())
        if ((await readDraft({ ledger, account: key })).deployments.ever(id) !== undefined)
          return work(targetHere("deployment", id, key, ledger, cli));
      throw mistake(`${id}: this ledger knows no such deployment.`);
    });
  return withAccounts(agent, undefined, cli, async (accounts) => {
    const account = await accountOfMachine(id, accounts);
    return work(targetThere("deployment", id, account));
  });
}

/** Each account is asked, where there are several: the one that knows the machine, else the first, which then says that it does not. */
export async function accountOfMachine(
  id: string,
  accounts: readonly RemoteAccount[],
): Promise<RemoteAccount> {
  const [first, ...others] = accounts;
  if (!first) throw mistake("the agent has no account.");
  if (others.length === 0) return first;
  for (const account of accounts) {
    const all = await account.read(PATHS.deployments(true), JSON_SCHEMAS.deployments);
    if (all.some((each) => each.id === id)) return account;
  }
  throw mistake(`${clean(id)}: no account of this agent has such a deployment.`);
}

/** Works with each account. */
export async function withEach(flags: LedgerFlags, cli: CliContext, work: Work): Promise<number> {
  const { agent } = cli;
  if (agent)
    return withAccounts(agent, undefined, cli, (accounts) =>
      work(accounts.map((account) => targetThere("account", "", account))),
    );
  return withLedger(flags, cli, async (ledger) =>
    work((await ledger.accounts()).map(({ key }) => targetHere("account", "", key, ledger, cli))),
  );
}
