import type { OpenKeeper } from "../../../account/open.ts";
import { otherLedgerOf } from "../../../launch/claim/groups.ts";
import { stopCallsText } from "../../../launch/ends/not-stopping.ts";
import { labelsText } from "../../../launch/facts/labels.ts";
import { machineHoldText } from "../../../launch/facts/machine-hold.ts";
import { look } from "../../../launch/keeper.ts";
import { takeList } from "../../../launch/protocol.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { USD, usdText } from "../../../service/contract/money.ts";
import { savingText } from "../../fleet/saving-text.ts";
import { andMore, type Clean, clean, cleanFor, columns, jsonText } from "../../fleet/text.ts";
import type { DeploymentHistory } from "../../json/deployments.ts";
import { deploymentFacts, historyOf, isoTime } from "../../status/deployment-facts.ts";
import { costText, machineStatus, machineTable } from "../../status/machine-table.ts";
import { whoseText } from "../../status/owner-names.ts";
import { shortRow } from "../../status/short-row.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { secretsOf } from "./connection.ts";
import type { AskFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { withKeeper } from "./opening.ts";

/** `fleetkeeper deployments list`: the account's deployments, whose each is, and what it costs. */
export async function deploymentsListCommand(
  flags: AskFlags & { readonly all?: boolean },
  cli: CliContext,
): Promise<number> {
  return withKeeper(await configurationFrom(flags, cli), cli, async (keeper) => {
    const believed = await takeList(keeper, cli.signal);
    const draft = await readDraft(keeper);
    const rows = [...(flags.all ? allOf(draft) : draft.deployments.of("life", "living"))].sort(
      (one, other) => one.sequence - other.sequence,
    );
    if (flags.json) cli.print(jsonText(rows.map((row) => deploymentFacts(draft, row))));
    else printRows(draft, rows, cli);
    if (!believed) cli.tell(NOT_BELIEVED);
    return believed ? 0 : 1;
  });
}

function* allOf({ archive, deployments }: Draft): Iterable<DeploymentRow> {
  yield* deployments.values();
  for (const id of archive.ids()) {
    const row = deployments.ever(id);
    if (row) yield row;
  }
}

export const NOT_BELIEVED =
  "The newest list lacks half of the machines at once. Until a second one agrees, those that it lacks are shown as before.";

/** `fleetkeeper deployments show ID`: all that is known of one deployment, and what happened to it. */
export async function deploymentsShowCommand(
  id: string,
  flags: AskFlags & { readonly showSecrets?: boolean },
  cli: CliContext,
): Promise<number> {
  return withKeeper(await configurationFrom(flags, cli), cli, async (keeper) => {
    const { row, believed } = await find(keeper, id, cli);
    const draft = await readDraft(keeper);
    const secrets = flags.showSecrets
      ? (await secretsOf(keeper.service, [id], cli.signal)).get(id)
      : undefined;
    const connection = { ...row.connection, ...secrets };
    const history = await historyOf(keeper, id);
    if (flags.json) cli.print(jsonText({ ...deploymentFacts(draft, row), connection, history }));
    else cli.print(showText(draft, row, connection, history, keeper, cleanFor(cli)));
    if (!believed) cli.tell(NOT_BELIEVED);
    return believed ? 0 : 1;
  });
}

/** The row as the service shows it now. `believed`: whether its list is. Throws CONFIG if there is none. */
export async function find(
  keeper: OpenKeeper,
  id: string,
  cli: CliContext,
): Promise<{ readonly row: DeploymentRow; readonly believed: boolean }> {
  const believed = await takeList(keeper, cli.signal);
  const { deployments: rows, archive } = await readDraft(keeper);
  if (rows.ever(id) === undefined) {
    const near = [...rows.keys(), ...archive.ids()]
      .filter((each) => id !== "" && each.startsWith(id))
      .map((each) => clean(each));
    const hint =
      near.length > 0 ? ` Did you mean ${andMore(near)}?` : " fleetkeeper deployments list --all shows them.";
    throw mistake(`${id || '""'}: this account has no such deployment.${hint}`);
  }
  // A list may show less than the record itself.
  if (keeper.service.abilities.get) await look(keeper, id, cli.signal);
  const row = (await readDraft(keeper)).deployments.ever(id);
  if (row) return { row, believed };
  throw new FleetkeeperError("LEDGER", `${id} has left the ledger.`);
}

function printRows(draft: Draft, rows: readonly DeploymentRow[], cli: CliContext): void {
  const live = rows.filter((row) => row.end === null);
  if (rows.length > 0) cli.print(machineTable(draft, rows, cleanFor(cli)));
  cli.print(
    live.length === 0 ? "Nothing lives in this account." : `${live.length} live: ${costText(draft, live)}`,
  );
}

function showText(
  draft: Draft,
  row: DeploymentRow,
  connection: Readonly<Record<string, string>>,
  history: DeploymentHistory,
  { ledger, clock }: OpenKeeper,
  clean: Clean,
): string {
  const { offer, provider, location, gpus, pricePerHour, labels, setup } = shortRow(draft, row);
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const fields: readonly (readonly [string, string | number | null | undefined])[] = [
    ["deployment", row.id],
    ["status", machineStatus(row)],
    ["offer", offer],
    ["provider", provider],
    ["location", location],
    ["GPUs", gpus],
    [`${draft.account.currency ?? USD} an hour`, pricePerHour && usdText(pricePerHour)],
    ["created", row.createdAt],
    ["first seen", isoTime(row.firstSeen)],
    ["ended at", row.ended && isoTime(row.ended)],
    ["whose", whoseText(draft, row)],
    ["labels", labelsText(labels) || undefined],
    ["marker", markerText(row, ledger)],
    ["launch", intent && `${combinationText(intent)}, ${intent.state}: ${intent.detail}`],
    ["failure code", row.failureCode],
    ["reason", row.failureReason],
    ["suggested", row.suggestedAction],
    ["stop reason", row.stopReason],
    ["stop", row.stop && stopText(row.stop)],
    ["setup", setup && `${setup.state}, try ${setup.tries}${setup.said === null ? "" : `: ${setup.said}`}`],
    ["before the stop", row.end === null ? savingText(shortRow(draft, row), clock.now().wall) : undefined],
    ["held", machineHoldText(row, clock.now())],
    ...Object.entries(connection).map(([name, value]) => [clean(name, 40), value] as const),
  ];
  const known = fields.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const lines = columns(known.map(([name, value]) => [name, clean(String(value), 1000)]));
  if (history.length === 0) return lines;
  return [lines, "", ...history.map(({ at, kind, text }) => `${at} ${kind}: ${clean(text)}`)].join("\n");
}

/** What the service shows back of the launch, and if another ledger wrote that. Null: nothing. */
function markerText(row: DeploymentRow, { id, location }: Ledger): string | null {
  if (row.marker === null) return null;
  return otherLedgerOf(row, id) === undefined
    ? row.marker
    : `${row.marker}, of another ledger than ${location}`;
}

function stopText(stop: NonNullable<DeploymentRow["stop"]>): string {
  const { why, attempts, accepted, error, calls } = stop;
  if (calls) return `${why}; ${stopCallsText({ stop })}`;
  const sent = attempts === 0 ? "not sent yet" : `sent ${attempts === 1 ? "once" : `${attempts} times`}`;
  return `${why}; ${sent}${accepted ? ", accepted" : ""}${error === null ? "" : `; the last answer: ${error}`}`;
}
