import { readFileSync } from "node:fs";
import { FleetkeeperError } from "../service/contract/errors.ts";
import { readProfile } from "../service/profile/profile-file.ts";
import {
  type CatalogueOffer,
  createSimulator,
  DEFAULT_OFFERS,
  type DialectName,
  dialectProfilePath,
  SIMULATOR_URL,
  VirtualClock,
} from "../simulator/index.ts";
import { type Begun, shown, type Task } from "./task.ts";
import { openWorld } from "./world.ts";

/** How one invented service is asked, and what no answer of it shows. */
interface Wire {
  readonly dialect: DialectName;
  readonly auth: readonly [header: string, value: string];
  readonly offers: Call;
  readonly launch: Call;
  readonly list: Call;
  readonly get: (id: string) => Call;
  readonly stop: (id: string) => Call;
  readonly notes: string;
  /** What makes the profile of the dialect wrong, though it is read without an error. */
  readonly spoilt: readonly [from: string, to: string];
}
type Call = readonly [method: "GET" | "POST" | "PUT", path: string, body?: object];

const OF_SPEC = "/api/v1/deployments";
const ALIKE = "Prices are USD an hour for the whole machine.";
const SOME = DEFAULT_OFFERS.filter(({ gpus, location }) => gpus === 8 && location !== "us-west").slice(0, 3);
const STRANGE = DEFAULT_OFFERS.filter(({ offer }) => offer === "rtx4090-24gb-x1");

const WIRES: readonly Wire[] = [
  {
    dialect: "plain",
    auth: ["X-Api-Key", "{secret}"],
    offers: ["GET", "/api/v1/offers"],
    launch: [
      "POST",
      OF_SPEC,
      { offer: "OFFER", provider: "PROVIDER", location: "LOCATION", label: "by hand" },
    ],
    list: ["GET", OF_SPEC],
    get: (id) => ["GET", `${OF_SPEC}/${id}`],
    stop: (id) => ["POST", `${OF_SPEC}/${id}/stop`],
    notes: `No list has pages. ${ALIKE} A machine that was stopped says stopped for good.`,
    spoilt: ["path: /api/v1/deployments/{id}/stop", "path: /api/v1/deployments/{id}"],
  },
  {
    dialect: "nested",
    auth: ["Authorization", "Bearer {secret}"],
    offers: ["GET", "/api/v1/offers?page=1"],
    launch: [
      "POST",
      OF_SPEC,
      {
        deployment: {
          title: "fleet OFFER",
          offer_id: "OFFER",
          placement: { provider: "PROVIDER", region: "LOCATION" },
        },
      },
    ],
    list: ["GET", `${OF_SPEC}?sort=-created&page=1&per_page=20`],
    get: (id) => ["GET", `${OF_SPEC}/${id}`],
    stop: (id) => ["PUT", `${OF_SPEC}/${id}/state`, { desired: "terminated" }],
    notes:
      `A launch has to have a title, which is the word fleet, a blank and the offer. Deployments are asked for with sort=-created. Both lists have pages, from 1 on: of at most 20 deployments (per_page), and of 16 offers. total is how many deployments there are; the offers show no such number. ${ALIKE} ` +
      "queued and booting are what the specification calls initializing and provisioning, and active is running. terminated is the end for good.",
    spoilt: ["active: running", "active: provisioning"],
  },
  {
    dialect: "camel",
    auth: ["Authorization", "Key {secret}"],
    offers: ["GET", "/api/v1/offers"],
    launch: [
      "POST",
      OF_SPEC,
      { offerId: "OFFER", providerId: "PROVIDER", regionId: "LOCATION", displayName: "by hand" },
    ],
    list: ["GET", `${OF_SPEC}?skip=0&take=25`],
    get: (id) => ["GET", `${OF_SPEC}/${id}`],
    stop: (id) => ["POST", `${OF_SPEC}/${id}/close`],
    notes:
      "Deployments are listed from the n-th on (skip), 25 at a time (take); totalCount is how many there are. Offers have no pages. Prices are USD an hour: priceHourly is for the whole machine, " +
      "and what else looks like a price is for one GPU. closed is the end for good.",
    spoilt: [
      "pricePerHour: /priceHourly\n    gpus: /gpuCount\n    failureReason",
      "pricePerHour: /gpuCount\n    gpus: /gpuCount\n    failureReason",
    ],
  },
  {
    dialect: "elsewhere",
    auth: ["Authorization", "Bearer {secret}"],
    offers: ["POST", "/v3/types/search", { kind: "gpu" }],
    launch: ["PUT", "/v3/types/OFFER/order", { vendor: "PROVIDER", zone: "LOCATION", label: "by hand" }],
    list: ["GET", "/v3/machines?kind=gpu"],
    get: (id) => ["GET", `/v3/machines/${id}`],
    stop: (id) => ["POST", "/v3/machines/end", { ids: [id] }],
    notes:
      "The account is at GET /v3/me, the balance at GET /v3/me/credit; both are below. Nothing has pages. POST /v3/types/search only reads. Prices and credit are cents of EUR, an hour, for the whole machine; each minute is billed, " +
      "and 10 minutes at least. An order with taken: true was accepted; any other word there is a refusal, though the status is good. A machine's state is now.state; where that is missing it is now.planned; where both are missing, " +
      "the machine is ordered. ordered is what the specification calls initializing, up is running, ending is stopping, broken is failed, and given-back is the end for good. Only records of the kind gpu are machines. " +
      "GET of a machine that is not there answers 400 with the code no_such_machine.",
    spoilt: ["{ pointer: /cents, unit: cents }\n    gpus", "/cents\n    gpus"],
  },
];

export const PROFILE_TASKS: readonly Task[] = [
  ...WIRES.map(
    (wire): Task => ({
      name: `profile-${wire.dialect}`,
      pages: ["/reference/wire-profile", "/tasks/new-api"],
      begin: () => begin(wire),
    }),
  ),
  { name: "profile-mend", pages: ["/reference/wire-profile", "/tasks/new-api"], begin: beginMend },
];

const ASKED =
  "Write the wire profile of this service: YAML, with the parts that it takes to list offers and machines, to launch, and to stop. The account is " +
  "exclusive. Write nothing that neither the answers nor the words below show. Answer with the profile in one block.";

async function begin(wire: Wire): Promise<Begun> {
  const right = readFileSync(dialectProfilePath(wire.dialect), "utf8");
  const answers = await answersOf(wire);
  return {
    prompt: `${ASKED}\n\nWhat somebody who knows the service says: ${wire.notes}\n\n${answers}`,
    right,
    wrong: right.replace(...wire.spoilt),
    check: (answer) => playedBy(wire.dialect, answer),
    end: async () => undefined,
  };
}

/** What was typed, and what came, as curl -i shows it. */
async function answersOf({ dialect, auth: [header, value], ...wire }: Wire): Promise<string> {
  const clock = new VirtualClock();
  const simulator = createSimulator({ clock, dialect, seed: "answers", offers: [...SOME, ...STRANGE] });
  const send = async (title: string, [method, path, body]: Call): Promise<string> => {
    const filled = (text: string): string => named(text, SOME[0] as CatalogueOffer);
    const request = {
      method,
      url: SIMULATOR_URL + filled(path),
      headers: {
        [header.toLowerCase()]: value.replace("{secret}", simulator.apiKey),
        "content-type": "application/json",
      },
      ...(body && { body: filled(JSON.stringify(body)) }),
    };
    const answer = await clock.run(simulator.transport(request, new AbortController().signal));
    const typed = `${method} ${filled(path)}\n${header}: ${value.replace("{secret}", "THE-KEY")}${request.body ? `\n\n${request.body}` : ""}`;
    texts.push(shown(title, `${typed}\n\n-> ${answer.status}\n${pretty(answer.body)}`));
    return answer.body;
  };
  const texts: string[] = [];
  if (dialect === "elsewhere") {
    await send("The account", ["GET", "/v3/me"]);
    await send("The balance", ["GET", "/v3/me/credit"]);
  }
  await send("Offers", wire.offers);
  await send("A launch", wire.launch);
  const id = simulator.truth().machines[0]?.id ?? "";
  await clock.advance(10 * 60_000);
  await send("The machine, later", wire.get(id));
  await send("All machines", wire.list);
  await send("Its stop", wire.stop(id));
  await clock.advance(5 * 60_000);
  await send("All machines, five minutes later", wire.list);
  await send("A machine that is not there", wire.get("no-such-machine"));
  return texts.join("\n");
}

function named(text: string, { offer, provider, location }: CatalogueOffer): string {
  return text.replaceAll("OFFER", offer).replace("PROVIDER", provider).replace("LOCATION", location);
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 1);
  } catch {
    return body;
  }
}

/** With the profile two machines are rented, and given back among thirty of others. */
async function playedBy(dialect: DialectName, answer: string): Promise<string | undefined> {
  try {
    const world = await openWorld({ dialect, profile: readProfile(answer, "answer.yaml") });
    try {
      return await playedIn(world);
    } finally {
      await world.end();
    }
  } catch (error) {
    if (error instanceof FleetkeeperError) return error.message;
    throw error;
  }
}

async function playedIn(world: Awaited<ReturnType<typeof openWorld>>): Promise<string | undefined> {
  const by = (hand: boolean) => world.alive().filter(({ origin }) => (origin.by === "hand") === hand);
  const offer = SOME[0] as CatalogueOffer;
  await world.declare(
    `fleets:\n  - name: training\n    gpus: 16\n    select: { gpuModel: ${offer.gpuModel}, providers: [${offer.provider}], locations: [${offer.location}] }\n    budget: { perHour: 2000 }\n`,
  );
  await world.advance(25);
  const [machine, ...more] = by(false);
  if (!machine || more.length !== 1 || world.truth().launches.length !== 2)
    return `${by(false).length} machines of 8 GPUs run after ${world.truth().launches.length} launches, and not 2: ${world.errors.at(-1) ?? JSON.stringify(await world.see("/plan"))}`;
  for (let count = 0; count < 30; count++) world.simulator.control.launchByHand(STRANGE[0] as CatalogueOffer);
  await world.advance(6);
  const listed = (await world.see("/deployments")) as readonly Readonly<Record<string, unknown>>[];
  if (listed.length !== 32) return `${listed.length} machines are listed, and not 32`;
  const seen = listed.find(({ owner }) => owner !== null);
  if (seen?.status !== "running") return `its state is ${seen?.status}, and it runs`;
  if (Number(seen.pricePerHour) !== Number(machine.statement.pricePerHour))
    return `its price is ${seen.pricePerHour} an hour, and truly ${machine.statement.pricePerHour}`;
  await world.order([{ order: "drainFleet", fleet: "training" }]);
  await world.advance(20);
  if (by(false).length > 0) return "what is wanted no more was not stopped";
  if (by(true).length !== 30) return "machines of others were stopped";
  const left = (await world.see("/deployments")) as readonly unknown[];
  return left.length === 30 ? undefined : "its end is not understood";
}

/** A fleet is to end, and its machine goes on. */
async function beginMend(): Promise<Begun> {
  const [wire] = WIRES as readonly [Wire];
  const right = readFileSync(dialectProfilePath(wire.dialect), "utf8");
  const broken = right.replace("/{id}/stop", "/{id}/halt");
  const world = await openWorld({ profile: readProfile(broken, "profile.yaml") });
  await world.declare("fleets:\n  - name: training\n    gpus: 8\n    select: { gpuModel: h100-80gb }\n");
  await world.advance(6);
  await world.order([{ order: "drainFleet", fleet: "training" }]);
  await world.advance(10);
  const [events, status] = [await world.see("/events?limit=20"), await world.see("/status")];
  await world.end();
  return {
    prompt: [
      "An agent with this profile does not do what it should. Mend the profile. Answer with all of it in one block.",
      shown("The profile", broken),
      shown("What happened, the newest first", events),
      shown("The status", status),
      `What somebody who knows the service says: ${wire.notes}`,
      await answersOf(wire),
    ].join("\n\n"),
    right,
    wrong: broken.replace("method: POST\n  path", "method: PUT\n  path"),
    check: (answer) => playedBy(wire.dialect, answer),
    end: async () => undefined,
  };
}
