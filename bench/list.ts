import { z } from "zod";
import { createService } from "../service/client.ts";
import { loadProfile } from "../service/profile/profile-file.ts";
import { cpuSince, type Figure, ms } from "./figure.ts";

/*
 * A list that is read and checked, beside a check that a person would write by hand for this one profile, and
 * beside zod, record by record. Each list differs from the one before in every record: nothing is remembered.
 * All three parse the text, which is most of the cheapest one's work: the checks are shown without that, too.
 */

const RECORDS = 10_000;
const ROUNDS = 20;
const WARM = 5;

let turn = 0;
function body(): string {
  turn += 1;
  const deployments = Array.from({ length: RECORDS }, (_, number) => ({
    id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    status: "running",
    offer: "h100-80gb-x1",
    provider: "aurora",
    location: "fi-hel",
    label: null,
    created_at: `2030-01-01T00:00:${String(turn % 60).padStart(2, "0")}.000000Z`,
    gpus: 1,
    price_per_hour: "2.4900",
    failure_code: null,
    stop_reason: null,
    ssh_host: "10.0.0.1",
    ssh_port: 22,
    ssh_user: "root",
  }));
  return JSON.stringify({ deployments, total: RECORDS });
}

let next = "";
const service = createService({
  baseUrl: "https://bench.example.com",
  secret: "bench",
  profile: loadProfile(`${import.meta.dirname}/bench.profile.yaml`),
  transport: async () => ({ status: 200, headers: {}, body: next }),
  clock: { now: () => Date.now(), sleep: async () => undefined },
});
const signal = new AbortController().signal;

const text = z.string().nullish();
const record = z.object({
  id: z.string().min(1).max(500),
  status: z.string().min(1),
  offer: text,
  provider: text,
  location: text,
  label: text,
  created_at: text,
  gpus: z.int().min(0).max(10_000).nullish(),
  price_per_hour: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,12})?$/)
    .nullish(),
  failure_code: text,
  stop_reason: text,
  failure_reason: text,
  suggested_action: text,
  ssh_host: z.union([z.string(), z.number()]).nullish(),
  ssh_port: z.union([z.string(), z.number()]).nullish(),
  ssh_user: z.union([z.string(), z.number()]).nullish(),
});

const PRICE = /^\d{1,15}(\.\d{1,12})?$/;

/** As a person would write it for this profile, with the same limits and no word about what is wrong. */
function byHand(raw: unknown) {
  const { id, status, gpus, price_per_hour: price, ...rest } = raw as Record<string, unknown>;
  const said = (value: unknown): string | undefined => {
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string" || value.length > 500 || !value.isWellFormed())
      throw new Error("not a name");
    return value;
  };
  const name = said(id);
  const state = said(status);
  if (name === undefined || state === undefined) throw new Error("no id or no status");
  if (gpus !== null && gpus !== undefined && !(Number.isSafeInteger(gpus) && Number(gpus) >= 0))
    throw new Error("gpus");
  if (price !== null && price !== undefined && !(typeof price === "string" && PRICE.test(price)))
    throw new Error("price");
  return {
    id: name,
    status: state,
    offer: said(rest.offer),
    provider: said(rest.provider),
    location: said(rest.location),
    marker: said(rest.label),
    createdAt: said(rest.created_at),
    failureCode: said(rest.failure_code),
    stopReason: said(rest.stop_reason),
    failureReason: said(rest.failure_reason),
    suggestedAction: said(rest.suggested_action),
    gpus,
    pricePerHour: price,
    connection: { host: String(rest.ssh_host), port: String(rest.ssh_port), user: String(rest.ssh_user) },
  };
}

const items = (json: string): readonly unknown[] =>
  (JSON.parse(json) as { deployments: unknown[] }).deployments;

/** Pages of a list shift while they are read: whoever counts machines keeps one of each id. */
function distinct<T extends { readonly id: string }>(records: readonly T[]): readonly T[] {
  return [...new Map(records.map((each) => [each.id, each])).values()];
}

const ways = {
  ours: () => service.deployments(signal),
  hand: () => distinct(items(next).map(byHand)),
  zod: () => distinct(items(next).map((each) => record.parse(each))),
  parse: () => items(next),
};
const spent = { ours: 0, hand: 0, zod: 0, parse: 0 };
for (let round = -WARM; round < ROUNDS; round++) {
  next = body();
  for (const name of Object.keys(ways) as (keyof typeof ways)[]) {
    const begun = process.cpuUsage();
    await ways[name]();
    if (round >= 0) spent[name] += cpuSince(begun) / ROUNDS;
  }
}

function figures(rival: "hand" | "zod", called: string, toReach: string): readonly Figure[] {
  const [ours, theirs] = [spent.ours - spent.parse, spent[rival] - spent.parse];
  return [
    {
      what: `a list of ${RECORDS} records, all changed: parsed and checked`,
      measured: ms(spent.ours),
      against: `${called}: ${ms(spent[rival])}`,
      ratio: spent.ours / spent[rival],
      toReach: "-",
    },
    {
      what: "the same without JSON.parse",
      measured: ms(ours),
      against: `${called}: ${ms(theirs)}`,
      ratio: ours / theirs,
      toReach,
    },
  ];
}
process.stdout.write(
  JSON.stringify([
    ...figures("hand", "a check written by hand", "<= 1.3"),
    ...figures("zod", "zod, record by record", "<= 0.2"),
  ]),
);
