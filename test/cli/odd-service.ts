import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { KEY } from "./cli.ts";
import type { SavedFiles } from "./saved-files.ts";

/**
 * A service that shares no line with the simulator or the client. Ids are numbers, prices are cents of one GPU,
 * moments are seconds since 1970, and all stands deep. A machine runs after it was asked for three times.
 */
export async function oddService(key: string) {
  const machines: {
    no: number;
    gear: string;
    farm: string;
    town: string;
    tag: string;
    asked: number;
    over: boolean;
  }[] = [];
  const gears = [
    { gear: "hx-2", farm: "north", town: "oslo-1", cards: 2, card: "h100", cents: 199 },
    { gear: "hx-8", farm: "north", town: "oslo-1", cards: 8, card: "h100", cents: 189 },
    { gear: "lx-1", farm: "south", town: "rome-2", cards: 1, card: "l40s", cents: 90 },
  ];
  const launches: unknown[] = [];
  const machine = (one: (typeof machines)[number]) => {
    const kind = gears.find(({ gear }) => gear === one.gear);
    const state = one.over ? "off" : one.asked > 2 ? "running" : "provisioning";
    return {
      id: one.no,
      status: state,
      ...(one.over && { stop_reason: "asked" }),
      what: { sku: one.gear, supply: { vendor: one.farm, site: one.town }, accelerators: kind?.cards },
      money: { hourly_cents_per_gpu: kind?.cents },
      meta: { label: one.tag, created: 1_790_000_000 + one.no },
      ...(state === "running" && { reach: { ip_address: `10.0.0.${one.no % 250}`, ssh_port: 22 } }),
    };
  };
  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body?: unknown]> => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    const [, , , room, id, verb] = pathname.split("/");
    if (request.headers["x-pass-card"] !== key)
      return [401, { oops: { kind: "no_card", text: "Show your card." } }];
    if (pathname === "/api/v1/account")
      return [
        200,
        {
          id: "7f1d2c3b-1111-4222-8333-444455556666",
          email: "o@d.d",
          display_name: "Odd",
          created_at: "2026-01-02T03:04:05.6Z",
        },
      ];
    if (pathname === "/api/v1/account/balance") return [200, { balance: "500.0000", currency: "USD" }];
    if (pathname === "/api/v1/offers")
      return [
        200,
        {
          shelf: {
            all: gears.map(({ gear, farm, town, cards, card, cents }) => ({
              sku: gear,
              supply: { vendor: farm, site: town },
              accelerators: cards,
              card_model: card,
              hourly_cents_per_gpu: cents,
              left: 3,
            })),
          },
        },
      ];
    if (room === "deployments" && id === undefined && request.method === "GET") {
      for (const one of machines) one.asked += 1;
      return [200, { yard: { rows: machines.map(machine) } }];
    }
    if (room === "deployments" && id === undefined && request.method === "POST") {
      const body = JSON.parse(await text(request)) as {
        want: { sku: string; supply: { vendor: string; site: string } };
        label: string;
        os: string;
      };
      if (body.os !== "debian") return [400, { oops: { kind: "no_os", text: "Which os is it?" } }];
      launches.push(body);
      machines.push({
        no: 4_000_001 + machines.length,
        gear: body.want.sku,
        farm: body.want.supply.vendor,
        town: body.want.supply.site,
        tag: body.label,
        asked: 0,
        over: false,
      });
      return [201, { receipt: { for: machines.at(-1)?.no, id: randomUUID() } }];
    }
    const one = machines.find(({ no }) => String(no) === id);
    if (one === undefined)
      return [404, { oops: { kind: "no_such_machine", text: "There is none of this number." } }];
    if (request.method === "PATCH" && verb === "power") one.over = true;
    return request.method === "GET" || verb === "power" ? [200, { yard: { row: machine(one) } }] : [405, {}];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, launches, machines };
}

/** What a written profile is for: the doctor finds an offer and its price, and the agent keeps the 8 GPUs. */
export async function keepsEight(on: SavedFiles): Promise<void> {
  const key = { FLEETKEEPER_API_KEY: KEY };
  expect(await on.run(["doctor"], key)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 × hx-8 @ north/oslo-1, for 15.12 USD an hour"),
  });
  let said = "";
  for (let rounds = 0; rounds < 10 && !said.includes("8 GPUs asked for, 8 running"); rounds++)
    said = (await on.run(["agent", "--once"], key)).said;
  expect(said).toContain("8 GPUs asked for, 8 running");
}
