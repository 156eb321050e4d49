import {
  type OpenPoint,
  PART_NAMES,
  type PartName,
  type Proposal,
  type Wire,
  type WireEntry,
} from "../../propose/wire.ts";
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

function listed(title: string, isMeant: (part: PartName) => boolean, wire: Wire): readonly string[] {
  const lines = PART_NAMES.filter(isMeant).flatMap((part) => {
    const keys = Object.entries(wire[part] ?? {}).filter(([, entry]) => entry.isOpen !== true);
    return keys.length === 0 ? [] : [`  ${part}: ${keys.map(([key]) => key).join(", ")}`];
  });
  return lines.length === 0 ? [] : [title, ...lines];
}

/** A flag or the interview may have said it. */
function isSaid(part: string, wire: Wire): boolean {
  const isThere = (entry: WireEntry | undefined): boolean =>
    entry !== undefined && entry.isOpen !== true && !entry.lines.some((line) => line.includes("<"));
  const states = Object.values(wire["deployments.states"] ?? {});
  const said: Readonly<Record<string, boolean>> = {
    auth: wire.auth !== undefined,
    account: isThere(wire.account?.none),
    balance: isThere(wire.balance?.none),
    "deployments.list.pagination": isThere(wire["deployments.list"]?.pagination),
    "deployments.states": states.length > 0 && states.every(isThere),
  };
  return said[part] === true;
}

function partsOf(points: readonly OpenPoint[]): string {
  return [...new Set(points.map(({ part }) => part))].join(", ");
}
