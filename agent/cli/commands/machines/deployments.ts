import type { OpenKeeper } from "../../../../account/open.ts";
import { labelsText } from "../../../../launch/facts/labels.ts";
import { machineHoldText } from "../../../../launch/facts/machine-hold.ts";
import { look } from "../../../../launch/keeper.ts";
import { takeList } from "../../../../launch/protocol.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { usdText } from "../../../../service/contract/money.ts";
import { epochOf } from "../../../fleet/text/epoch.ts";
import { savingText } from "../../../fleet/text/saving-text.ts";
import { andMore, type Clean, clean, cleanFor, columns, jsonText } from "../../../fleet/text/text.ts";
import type { DeploymentFacts, DeploymentShown } from "../../../json/deployments.ts";
import { JSON_SCHEMAS } from "../../../json/index.ts";
import { PATHS } from "../../../remote/paths.ts";
import { deploymentShown, deploymentsOf } from "../../../status/deployment-facts.ts";
import { costText, machineStatus, machineTable } from "../../../status/machine-table.ts";
import { whoseText } from "../../../status/owner-names.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import type { AskFlags } from "../shared/flags.ts";
import { known, refuseSecrets, trustIn } from "../shared/known.ts";
import { secretsOf } from "./connection.ts";

/** `fleetkeeper deployments list`: the account's deployments, whose each is, and what it costs. */
export async function deploymentsListCommand(
  flags: AskFlags & { readonly all?: boolean },
  cli: CliContext,
): Promise<number> {
  const { all = false } = flags;
  const answers = JSON_SCHEMAS.deployments;
  const { said, distrusted } = await known(PATHS.deployments(all), answers, flags, cli, async (keeper) => {
    const believed = await takeList(keeper, cli.signal);
    return { said: [...deploymentsOf(await readDraft(keeper), all)], ...trustIn(believed) };
  });
  if (flags.json) cli.print(jsonText(said));
  else printRows(said, cli);
  if (distrusted !== null) cli.tell(distrusted);
  return distrusted === null ? 0 : 1;
}

/** `fleetkeeper deployments show ID`: all that is known of one deployment, and what happened to it. */
export async function deploymentsShowCommand(
  id: string,
  flags: AskFlags & { readonly showSecrets?: boolean },
  cli: CliContext,
): Promise<number> {
  refuseSecrets(flags.showSecrets, cli);
  const { said, distrusted } = await known(
    PATHS.deployment(id),
    JSON_SCHEMAS.deployment,
    flags,
    cli,
    async (keeper) => {
      const { believed } = await find(keeper, id, cli);
      const shown = await deploymentShown(keeper, id);
      if (!shown) throw new FleetkeeperError("LEDGER", `${id} has left the ledger.`);
      const secrets = flags.showSecrets
        ? (await secretsOf(keeper.service, [id], cli.signal)).get(id)
        : undefined;
      return { said: { ...shown, connection: { ...shown.connection, ...secrets } }, ...trustIn(believed) };
    },
  );
  if (flags.json) cli.print(jsonText(said));
  else cli.print(showText(said, cleanFor(cli)));
  if (distrusted !== null) cli.tell(distrusted);
  return distrusted === null ? 0 : 1;
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

function printRows(rows: readonly DeploymentFacts[], cli: CliContext): void {
  const live = rows.filter((row) => row.end === null);
  if (rows.length > 0) cli.print(machineTable(rows, cleanFor(cli)));
  cli.print(live.length === 0 ? "Nothing lives in this account." : `${live.length} live: ${costText(live)}`);
}

/** For programs it stays as the service shows it. */
function createdText({ createdAt }: DeploymentShown): string | null {
  const at = epochOf(createdAt);
  return at === undefined ? createdAt : new Date(at).toISOString();
}

function showText(shown: DeploymentShown, clean: Clean): string {
  const { launch, setup, connection, history } = shown;
  const fields: readonly (readonly [string, string | number | null | undefined])[] = [
    ["deployment", shown.id],
    ["status", machineStatus(shown)],
    ["offer", shown.offer],
    ["provider", shown.provider],
    ["location", shown.location],
    ["GPUs", shown.gpus],
    [`${shown.currency} an hour`, shown.pricePerHour && usdText(shown.pricePerHour)],
    ["created", createdText(shown)],
    ["first seen", shown.firstSeen],
    ["ended at", shown.endedAt],
    ["whose", whoseText(shown)],
    ["labels", labelsText(shown.labels) || undefined],
    ["marker", shown.marker],
    ["launch", launch && `${launch.place}, ${launch.state}: ${launch.detail}`],
    ["failure code", shown.failureCode],
    ["reason", shown.failureReason],
    ["suggested", shown.suggestedAction],
    ["stop reason", shown.stopReason],
    ["stop", shown.stopText],
    ["setup", setup && `${setup.state}, try ${setup.tries}${setup.said === null ? "" : `: ${setup.said}`}`],
    ["before the stop", shown.end === null ? savingText(shown, Date.now()) : undefined],
    ["held", machineHoldText(shown, { wall: Date.now() })],
    ...Object.entries(connection).map(([name, value]) => [clean(name, 40), value] as const),
  ];
  const present = fields.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const lines = columns(present.map(([name, value]) => [name, clean(String(value), 1000)]));
  if (history.length === 0) return lines;
  return [lines, "", ...history.map(({ at, kind, text }) => `${at} ${kind}: ${clean(text)}`)].join("\n");
}
