import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DialectName } from "../../simulator/index.ts";
import { REPEATS } from "../support/repeats.ts";
import { KEY, type Place, place, running, until } from "./cli.ts";
import { curl } from "./curl.ts";
import { take } from "./taken.ts";

/** What a newcomer knows of a service from its manual or its dashboard: the requests, as curl commands. */
interface Manual {
  readonly header: string;
  readonly launch: unknown;
  readonly stop: readonly [method: string, path: string, body?: unknown];
  readonly deployments?: string;
  readonly offers?: string;
  /** Further pages that were saved. The cursor in them is that of the page before. */
  readonly pages?: readonly (readonly [path: string, cursor?: string])[];
  /** What the user writes into the open lines, from the manual and from what doctor says. */
  readonly fills: Parameters<typeof take>[1];
}

const WHOLE = { "kind: <none": "kind: none" };

const MANUALS: Readonly<Record<Exclude<DialectName, "elsewhere">, Manual>> = {
  plain: {
    header: "X-Api-Key: $KEY",
    launch: { offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel", label: "my first" },
    stop: ["POST", "/stop"],
    fills: { list: WHOLE, offers: WHOLE, states: { aliases: undefined, "terminal:": "terminal: [stopped]" } },
  },
  nested: {
    header: "Authorization: Bearer $KEY",
    launch: {
      deployment: {
        title: "fleet h100-80gb-x8",
        offer_id: "h100-80gb-x8",
        placement: { provider: "aurora", region: "fi-hel" },
      },
    },
    stop: ["PUT", "/state", { desired: "terminated" }],
    deployments: "?sort=-created",
    pages: [["/api/v1/offers?page=2"]],
    fills: {
      list: WHOLE,
      states: {
        "queued:": "queued: initializing",
        "active:": "active: running",
        "terminated:": undefined,
        "terminal:": "terminal: [terminated]",
      },
    },
  },
  link: {
    header: "Authorization: Token $KEY",
    launch: { kind: "gpu", spec: "h100-80gb-x8", target: "aurora:fi-hel", image: "pytorch" },
    stop: ["POST", "/actions", { action: "stop", options: { force: false } }],
    pages: [["/api/v1/offers?offset=12&limit=12"]],
    fills: {
      list: { "kind: <none": "kind: link" },
      states: { aliases: undefined, "ended:": undefined, "terminal:": "terminal: [ended]" },
    },
  },
  handwritten: {
    header: "X-Gpu-Pass: pass=$KEY;v=1",
    launch: {
      order: { what: "h100-80gb-x8", from: "aurora", where: "fi-hel", tags: ["fleetkeeper", "my first"] },
    },
    stop: ["DELETE", ""],
    offers: "?view=full",
    pages: [["/api/v1/offers?view=full&after=", "/paging/next"]],
    fills: {
      list: { "kind: <none": "kind: cursor\n      cursorParameter: after\n      next: /paging/next" },
      states: { aliases: undefined, "released:": undefined, "terminal:": "terminal: [released]" },
    },
  },
  camel: {
    header: "Authorization: Key $KEY",
    launch: { offerId: "h100-80gb-x8", providerId: "aurora", regionId: "fi-hel", displayName: "my first" },
    stop: ["POST", "/close"],
    fills: {
      list: {
        "kind: <": "kind: offset\n      offsetParameter: skip\n      limitParameter: take\n      limit: 25",
      },
      offers: WHOLE,
      states: { aliases: undefined, "closed:": undefined, "terminal:": "terminal: [closed]" },
    },
  },
};

/** Saves what the manual shows how to ask, with one machine that was launched and stopped by hand. */
async function saved(on: Place, manual: Manual): Promise<readonly string[]> {
  const service = curl(on, manual.header);
  const { deployments = "", offers = "", pages = [] } = manual;
  const files = [
    await service.terminal("launch.txt", "/api/v1/deployments", { method: "POST", body: manual.launch }),
  ];
  await until("the machine runs", () => running(on) === 1);
  const [id] = on.simulator.truth().machines.map((machine) => machine.id);
  files.push(
    await service.terminal("deployments.txt", `/api/v1/deployments${deployments}`),
    await service.terminal("offers.txt", `/api/v1/offers${offers}`),
    await service.answer("error.txt", "/api/v1/deployments/no-such-id"),
    await service.terminal("one.txt", `/api/v1/deployments/${id}`),
  );
  const [method, path, body] = manual.stop;
  files.push(await service.terminal("stop.txt", `/api/v1/deployments/${id}${path}`, { method, body }));
  await until("the machine is gone", () =>
    on.simulator.truth().machines.every(({ endedAt }) => endedAt !== null),
  );
  files.push(await service.terminal("after.txt", `/api/v1/deployments${deployments}`));
  for (const [index, [address, cursor]] of pages.entries()) {
    const first = (await service.json(`/api/v1/offers${offers}`)) as { paging?: { next?: string } };
    files.push(await service.terminal(`page-${index}.txt`, `${address}${cursor ? first.paging?.next : ""}`));
  }
  return files;
}

const OWN = { FLEETKEEPER_BASE_URL: undefined, FLEETKEEPER_PROFILE: undefined };

const works = async (dialect: keyof typeof MANUALS): Promise<void> => {
  const on = await place({ dialect });
  const manual = MANUALS[dialect];
  const files = await saved(on, manual);
  const fleet = ["--fleet", "training", "--gpus", "8", "--gpu-model", "h100-80gb"];
  const init = await on.run(["init", "--yes", "--name", "acme", ...fleet, "--from", ...files], {
    ...OWN,
    // The place of the key within the header's value is found by the key itself.
    ...(dialect === "handwritten" ? {} : { FLEETKEEPER_API_KEY: undefined }),
  });
  expect(init.said).toContain("Written: acme.profile.yaml and fleet.yaml");
  const file = join(on.folder, "acme.profile.yaml");
  const text = readFileSync(file, "utf8");
  expect(text + init.said).not.toContain(KEY);
  writeFileSync(file, take(text, manual.fills));

  const doctor = await on.run(["doctor"], OWN);
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing stops launches") });
  await on.run(["agent", "--once"], OWN);
  await until("a machine runs", () => running(on) === 1);
  expect((await on.run(["agent", "--once"], OWN)).stdout).toContain("8 GPUs asked for, 8 running");
  // The machine by hand and this one: no other request to launch was sent.
  expect(on.simulator.truth().launches).toHaveLength(2);
};
const said = "%s: from saved answers to a running machine";
// The key within a longer header, a cursor, a query and a stop without a body.
test.each(["handwritten"] as const)(said, works);
test.each(["plain", "nested", "link", "camel"] as const)(said, REPEATS, works);
