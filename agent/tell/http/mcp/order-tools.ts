import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Json } from "../../../../service/contract/service.ts";
import { clean } from "../../../fleet/text/text.ts";
import {
  type ForeseenKnown,
  fleetDeclaredSchema,
  fleetPartsSchema,
  foreseenOverSchema,
  foreseenSchema,
} from "../../../json/agent.ts";
import { deploymentShownSchema } from "../../../json/deployments.ts";
import { NO_FLEET } from "../../../orders/version.ts";
import { planText } from "../../../planning/told/plan-text.ts";
import { PATHS } from "../../../remote/paths.ts";
import { ledgerOrderId, ledgerPathOf, orderId, pathOf } from "../api/paths.ts";
import type { ShownOrder } from "./confirmations.ts";
import type { McpOptions } from "./mcp-options.ts";
import { moreThanShown } from "./more-than-shown.ts";
import { said } from "./said.ts";

type ToolOrder = ShownOrder["order"];

/** What an order is asked for with: its target, and its body where it has one. */
export function inputOf(order: ToolOrder): z.ZodObject {
  const { about, input } = order;
  const target = z.string().min(1);
  const said = isNew(order) ? z.record(z.string(), z.unknown()) : input;
  const body = isEmpty(input) ? {} : { body: input.safeParse({}).success ? said.optional() : said };
  return z.strictObject({
    ...(about === "fleet" && { fleet: target }),
    ...(about === "service" && { service: target }),
    ...(about === "file" && { file: target }),
    ...(about === "deployment" && { id: target }),
    ...body,
  });
}

function isNew(order: ToolOrder): boolean {
  return "isNew" in order && order.isNew === true;
}

function isEmpty(input: z.ZodType): boolean {
  return (
    input instanceof z.ZodObject &&
    Object.keys(input.shape).length === 0 &&
    !input.safeParse({ a: 1 }).success
  );
}

/** Says what an order would do, and gives the id that confirms it. Nothing is done. */
export async function showOrder(
  order: ToolOrder,
  asked: Readonly<Record<string, unknown>>,
  options: McpOptions,
): Promise<CallToolResult> {
  const target = String(asked.fleet ?? asked.service ?? asked.file ?? asked.id ?? "");
  const body = (asked.body ?? {}) as Readonly<Record<string, Json>>;
  const version = await versionOf(target, order, options);
  return show({ order, target, body: { ...body, ...(version !== undefined && { version }) } }, options);
}

/** Does what was shown, if it would still do no more than that. */
export async function confirmOrder(id: string, options: McpOptions): Promise<CallToolResult> {
  const { api, confirmations, owner, now, hide } = options;
  const taken = confirmations.take(id, owner, now());
  if (typeof taken === "string") return said(`Refused: ${taken}.`, {}, hide, true);
  const more = moreThanShown(taken, await foresee(taken, options));
  if (more !== undefined)
    return show(
      taken,
      options,
      `Nothing was done, as things changed since they were shown: ${more}. So it is now.`,
    );
  const { order, target, body } = taken;
  const answer = await api.order({ ...calledAs(order, target), body, key: id }, z.unknown());
  const goesOn = order.goesOn ? " The agent carries it out; getEvents tells the end." : "";
  return said(`It is ordered.${goesOn}`, { order: order.name, target, answer }, hide);
}

type Asked = Omit<ShownOrder, "foreseen">;

async function show(asked: Asked, options: McpOptions, before?: string): Promise<CallToolResult> {
  const { confirmations, owner, now, hide } = options;
  const foreseen = await foresee(asked, options);
  const { answer, warning, fleets, believed } = foreseen;
  const { order, target } = asked;
  // No plan can be said: whoever sees none confirms blindly.
  if (!believed)
    return said(
      `Nothing is done, and cannot be confirmed: ${"each" in order ? "a service cannot be asked, or its newest list is not believed" : "the newest list of the service is not believed"}. Ask again in a minute.`,
      { order: order.name, target },
      hide,
      true,
    );
  const { stops } = (answer ?? {}) as { readonly stops?: readonly string[] };
  const body = { ...asked.body, ...(order.name === "adopt" && stops && { stops }) };
  const id = confirmations.show({ ...asked, body, foreseen }, owner, now());
  const shown = fleets.filter(
    ({ fleet, launches, stops }) => fleet === target || launches.length + stops.length > 0,
  );
  const plan = shown.length > 0 ? planText(shown, clean).split("\n") : ["nothing is launched or stopped"];
  const ours =
    `${before ?? "Nothing is done yet."} The plan after it is in the data. Show it to the person who decides. To do it: ` +
    `call confirm with ${JSON.stringify({ confirmation: id })}, once, within ten minutes.`;
  return said(
    ours,
    { order: order.name, target, does: order.says, warning, answer, plan },
    hide,
    before !== undefined,
  );
}

async function foresee({ order, target, body }: Asked, { api }: McpOptions): Promise<ForeseenKnown> {
  const asked = { ...calledAs(order, target), body, dryRun: true };
  if (!("each" in order)) return api.order(asked, foreseenSchema);
  const { errors, ...plan } = await api.order(asked, foreseenOverSchema);
  // A plan that leaves one of them out says less than what would follow.
  return { ...plan, warning: null, believed: plan.believed && errors.length === 0 };
}

function calledAs(order: ToolOrder, target: string) {
  const path = "each" in order ? ledgerPathOf(order) : pathOf(order);
  return { method: order.method, path: path.replace("{target}", () => encodeURIComponent(target)) };
}

/** Undefined: it has none, or there is no such machine, which the order itself says. */
async function versionOf(target: string, order: ToolOrder, { api }: McpOptions): Promise<string | undefined> {
  const of = encodeURIComponent(target);
  const { about } = order;
  if ("each" in order) {
    const path = { fleet: PATHS.parts, file: PATHS.fileOver, service: undefined }[order.about];
    return path && (await api.read(path(target), fleetPartsSchema)).version;
  }
  try {
    if (about === "deployment") return (await api.read(`/deployments/${of}`, deploymentShownSchema)).version;
    if (about !== "fleet") return undefined;
    return (await api.read(`/fleets/${of}`, fleetDeclaredSchema)).version;
  } catch (error) {
    if (!(error instanceof FleetkeeperError) || error.status !== 404) throw error;
    // Else what another one declares meanwhile would be replaced unseen.
    if (isNew(order)) return NO_FLEET;
    if (about === "deployment") return undefined;
    throw error;
  }
}

export function toolOf(order: ToolOrder): string {
  return "each" in order ? ledgerOrderId(order) : orderId(order);
}

export function orderText(order: ToolOrder): string {
  return `${order.says} First it only shows what would follow: ${toolOf(order)} gives a confirmation id, and confirm orders it.`;
}
