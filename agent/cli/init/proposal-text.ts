import type { OpenPoint, PartName, Proposal, Wire, WireEntry } from "../../propose/wire.ts";
import { isWhole } from "./profile-text.ts";

/** What was read, what is proposed, and what is open, for people. `wire`: with what was said beside the files. */
export function proposalText({ read, open }: Proposal, wire: Wire): readonly string[] {
  const left = open.filter(({ part }) => !isSaid(part, wire));
  const byRemedy = Map.groupBy(left, ({ how }) => how);
  return [
    "Read:",
    ...read.map((line) => `  ${line}`),
    ...listed(
      "Proposed, for you to confirm. Each line says what it was read from:",
      (part) => isWhole(part, wire),
      wire,
    ),
    ...listed(
      "Proposed, and commented out until its open lines are filled in:",
      (part) => !isWhole(part, wire),
      wire,
    ),
    ...(left.length === 0 ? [] : ["Still open:"]),
    ...[...byRemedy].map(([how, points]) => `  ${partsOf(points)}: ${how}.`),
  ];
}

const PLACES: Readonly<Record<PartName, string>> = {
  auth: "auth",
  calls: "calls",
  account: "account",
  balance: "balance",
  launch: "launch",
  list: "deployments.list",
  get: "deployments.get",
  fields: "deployments.fields",
  states: "deployments.states",
  offersList: "offers.list",
  offersFields: "offers.fields",
  stop: "stop",
  errors: "errors",
  failures: "failures",
  limits: "limits",
};

function listed(title: string, isMeant: (part: PartName) => boolean, wire: Wire): readonly string[] {
  const lines = (Object.keys(PLACES) as PartName[]).filter(isMeant).flatMap((part) => {
    const keys = Object.entries(wire[part] ?? {}).filter(([, entry]) => entry.isOpen !== true);
    return keys.length === 0 ? [] : [`  ${PLACES[part]}: ${keys.map(([key]) => key).join(", ")}`];
  });
  return lines.length === 0 ? [] : [title, ...lines];
}

/** A flag or the interview may have said it. */
function isSaid(part: string, { auth, list, account, balance, states }: Wire): boolean {
  const isThere = (entry: WireEntry | undefined): boolean =>
    entry !== undefined && entry.isOpen !== true && !entry.lines.some((line) => line.includes("<"));
  const said: Readonly<Record<string, boolean>> = {
    auth: auth !== undefined,
    account: isThere(account?.none),
    balance: isThere(balance?.none),
    "deployments.list.pagination": isThere(list?.pagination),
    "deployments.states": Object.keys(states ?? {}).length > 0 && Object.values(states ?? {}).every(isThere),
  };
  return said[part] === true;
}

function partsOf(points: readonly OpenPoint[]): string {
  return [...new Set(points.map(({ part }) => part))].join(", ");
}
