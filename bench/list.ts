import { z } from "zod";
import { createService } from "../service/client.ts";
import { loadProfile } from "../service/profile-file.ts";
import { type Figure, inTurn, ms } from "./figure.ts";

/*
 * A list that is read and checked, beside a check that a person would write by hand for this one profile, and
 * beside zod, record by record. Each list differs from the one before in every record: nothing is remembered.
 */

const RECORDS = 10_000;
const ROUNDS = 12;

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
function byHand(raw: unknown): object {
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
const read = () => service.deployments(signal);
async function beside(rival: () => unknown): Promise<readonly [number, number]> {
  for (let warm = 0; warm < 3; warm++) {
    next = body();
    await read();
    await rival();
  }
  let [ours, theirs] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    next = body();
    const [one, other] = await inTurn(1, read, rival);
    ours += one;
    theirs += other;
  }
  return [ours / ROUNDS, theirs / ROUNDS];
}

const [ours, hand] = await beside(() => items(next).map(byHand));
const [again, zod] = await beside(() => items(next).map((each) => record.parse(each)));
const figures: Figure[] = [
  {
    what: `a list of ${RECORDS} records, all changed: read and checked`,
    measured: ms(ours),
    against: `a check written by hand: ${ms(hand)}`,
    ratio: ours / hand,
    toReach: "<= 1.3",
  },
  {
    what: "the same",
    measured: ms(again),
    against: `zod, record by record: ${ms(zod)}`,
    ratio: again / zod,
    toReach: "<= 0.2",
  },
];
process.stdout.write(JSON.stringify(figures));
