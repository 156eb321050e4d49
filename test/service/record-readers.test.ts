import Big from "big.js";
import { expect, test } from "vitest";
import { plainPrice } from "../../service/contract/money.ts";
import type { Deployment, Json } from "../../service/contract/service.ts";
import { deploymentReader } from "../../service/record/deployment-reader.ts";
import { Flawed } from "../../service/record/record-field.ts";
import {
  parseJson,
  readDecimal,
  readInteger,
  readJson,
  readName,
  readText,
} from "../../service/text/json.ts";
import { valueAt } from "../../service/text/pointer.ts";
import { oneOf, seeded } from "./seeded.ts";
import { profileOf } from "./support.ts";

/*
 * Readers that are made once for a profile, and that skip what an earlier record said, are held to one that
 * reads each field of each record anew.
 */

const FIELDS = {
  offer: "/spec/offer",
  provider: "/toString",
  location: { value: "here" },
  marker: "/label",
  createdAt: "/created/0",
  gpus: "/gpus",
  failureReason: "/why",
  connection: {
    host: "/host",
    key: { pointer: "/key", secret: true },
    port: { pointer: "/port", secret: false },
    door: { pointer: "/door", form: "canary {door}" },
  },
};
const PRICES = [
  { pricePerHour: "/price" },
  { pricePerHour: { pointer: "/price", unit: "cents" } },
  { pricePerGpuHour: "/price" },
];
const ALIASES = [{}, { booting: "initializing", odd: "ended" }];

/** What may stand in any field, as it is written. Some are texts that other fields are read as. */
const VALUES = [
  ...[
    "null",
    '""',
    '"a"',
    '"running"',
    '"booting"',
    '"odd"',
    '"initializing"',
    '"canary"',
    '"canary b"',
    '"[secret]"',
  ],
  ...[
    "0",
    "1",
    "8",
    "-0",
    "1.0",
    "1e3",
    "2.4900",
    "0.1",
    "1e-7",
    "-1",
    "10001",
    "12345678901234567890",
    "1e400",
  ],
  ...[
    '"8"',
    '"1.50"',
    '"0.015"',
    '"1999"',
    '"-1.50"',
    '"1e2"',
    '"7.470000000000001"',
    '":1.5"',
    '"x\\":1.5,"',
  ],
  ...["true", "{}", "[]", '["2030"]', '{"offer": 1.10}', '{"offer": "h100"}', '[1.5, "a"]', '"\\ud800"'],
  JSON.stringify("l".repeat(1_001)),
];
const KEYS = ["id", "status", "failure_code", "spec", "toString", "label", "created", "gpus", "why", "host"];
const ALL_KEYS = [...KEYS, "key", "port", "price", "stop_reason", "door", "odd \\\\"];

type Written = ReadonlyMap<string, string>;

function written(random: () => number): Written {
  const fields = ALL_KEYS.flatMap((key) => (random() < 0.3 ? [] : [[key, oneOf(random, VALUES)] as const]));
  const known = [
    ["id", '"m1"'] as const,
    ["status", oneOf(random, ['"running"', '"booting"'])] as const,
    ["door", oneOf(random, ['"canary b"', "null"])] as const,
  ];
  return new Map(random() < 0.8 ? [...fields, ...known] : fields);
}

/** A record with one field changed, sometimes to what the earlier one was read as. */
function changed(earlier: Written, read: Deployment, random: () => number): Written {
  const key = oneOf(random, random() < 0.5 ? ["price", "gpus", "door"] : ALL_KEYS);
  const was = new Map([
    ["price", read.pricePerHour],
    ["door", read.connection?.door],
  ]).get(key);
  const as = random() < 0.5 ? was : undefined;
  return new Map([...earlier, [key, as === undefined ? oneOf(random, VALUES) : JSON.stringify(as)]]);
}

function textOf(record: Written, random: () => number): string {
  if (random() < 0.05) return oneOf(random, VALUES);
  const blank = oneOf(random, ["", " "]);
  return `{${[...record].map(([key, value]) => `"${key}"${blank}: ${value}`).join(",")}}`;
}

const hide = (text: string): string => text.replaceAll("canary", "[secret]");

/** Each field of a record as the profile says, and the names of those that cannot be read. */
function reference(record: Json, price: object, aliases: Readonly<Record<string, string>>) {
  const wrong: string[] = [];
  const field = <T>(name: string, pointer: string, read: (value: Json) => T | undefined, need = false) => {
    const got = valueAt(record, pointer);
    const value = got === undefined || got === null || got === "" ? undefined : read(got);
    const isNothing = got === undefined || got === null || got === "";
    if (value === undefined && (need || !isNothing)) wrong.push(name);
    return value;
  };
  const words = (value: Json): string | undefined =>
    readText(value) && hide(readText(value) ?? "").toWellFormed();
  const detail = (value: Json): string =>
    (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
  const usd = (value: Json): string | undefined => {
    const text = readDecimal(value);
    const plain = text === undefined ? undefined : plainPrice(text);
    return plain === undefined || new Big(plain).lt(0) ? undefined : plain;
  };
  const cents = (value: Json): string | undefined => {
    const text = readDecimal(value);
    return text === undefined ? undefined : usd(new Big(text).div(100).toFixed());
  };
  const word = field("status", "/status", readName, true);
  const details = {
    host: field("connection.host", "/host", detail),
    key: field("connection.key", "/key", detail),
    port: field("connection.port", "/port", detail),
    door: field("connection.door", "/door", (value) => /^canary (.+)$/s.exec(detail(value))?.[1]),
  };
  const gpus = field("gpus", "/gpus", (value) => {
    const count = readInteger(value);
    return count === undefined || count < 0 || count > 10_000 ? undefined : count;
  });
  const { host, key, port, door } = details;
  const isAny = [host, key, port, door].some((each) => each !== undefined);
  const value = {
    id: field("id", "/id", readName, true),
    status: word === undefined ? undefined : Object.hasOwn(aliases, word) ? aliases[word] : word,
    failureCode: field("failure_code", "/failure_code", words),
    stopReason: field("stop_reason", "/stop_reason", words),
    failureReason: field("failureReason", "/why", words),
    offer: field("offer", "/spec/offer", readName),
    provider: field("provider", "/toString", readName),
    location: "here",
    marker: field("marker", "/label", readName),
    createdAt: field("createdAt", "/created/0", readName),
    ...("pricePerGpuHour" in price
      ? { pricePerHour: priced(timesGpus(field("pricePerGpuHour", "/price", usd), gpus)) }
      : {
          pricePerHour: priced(
            field(
              "pricePerHour",
              "/price",
              "pricePerHour" in price && typeof price.pricePerHour === "object" ? cents : usd,
            ),
          ),
        }),
    gpus,
    connection: isAny ? there({ host, port, door }) : undefined,
    secretConnection: key === undefined ? undefined : { key },
  };
  return { value: there(value), wrong };
}

/** What rounds to 0 in 4 decimals is no price. */
function priced(price: string | undefined): string | undefined {
  return Number(price ?? 0) < 0.00005 ? undefined : price;
}

function timesGpus(each: string | undefined, gpus: number | undefined): string | undefined {
  return each === undefined || !gpus ? undefined : plainPrice(new Big(each).times(gpus).toFixed());
}

function there(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const seen = (read: Deployment | Flawed<Deployment>) =>
  read instanceof Flawed
    ? { value: read.value, wrong: read.problems.map(({ field }) => field) }
    : { value: read, wrong: [] };

test.each(PRICES.flatMap((price) => ALIASES.map((aliases) => ({ price, aliases }))))(
  "records are read as the profile says, whatever was read before: %j",
  ({ price, aliases }) => {
    const { profile } = profileOf({
      launch: { body: { offer: "{offer}", label: "{marker}" }, id: "/id" },
      deployments: { fields: { ...FIELDS, ...price }, states: { aliases, terminal: ["ended"] } },
    });
    const read = deploymentReader(profile.deployments, { hide });
    const random = seeded(7);
    const earlier: { readonly record: Written; readonly read: Deployment }[] = [];
    const cost = [0, 1, 2].map((least) => () => ({ least }));
    for (let round = 0; round < 800; round++) {
      const last = random() < 0.3 ? undefined : oneOf(random, earlier);
      const before = last?.read;
      const record = last && random() < 0.8 ? changed(last.record, last.read, random) : written(random);
      const text = textOf(record, random);
      const expected = reference(parseJson(text), price, aliases);
      // As an answer of its own, and as a page of a list, by each of the ways in which a page is parsed.
      const all = [
        read(parseJson(text), before),
        ...cost.map((least) => readJson(text, (json) => read(json, before), least())),
      ];
      for (const one of all)
        expect(seen(one), `${text} after ${JSON.stringify(before)}`).toStrictEqual(expected);
      const [first] = all;
      if (first === undefined || first instanceof Flawed) continue;
      // What says the same is the same, by whatever text it was said.
      expect(read(parseJson(text), first)).toBe(first);
      earlier.push({ record, read: first });
    }
    expect(earlier.length).toBeGreaterThan(80);
  },
);
