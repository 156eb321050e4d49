import type { Answer, Asked, Estate, Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const TYPE = "2H100.80S.60V";
const STATUS = {
  starting: "provisioning",
  serving: "running",
  halted: "offline",
  stopping: "deleting",
  over: "discontinued",
};
const TOKEN_LASTS_S = 1200;

const uuid = (id: number) => `9d3c2b1a-7e5f-4a00-8000-${String(id).padStart(12, "0")}`;

const shown = (machine: Machine) => ({
  id: uuid(machine.id),
  ip: machine.state === "serving" ? "198.51.100.5" : null,
  status: STATUS[machine.state],
  created_at: new Date(machine.since).toISOString(),
  cpu: { description: "60 CPU", number_of_cores: 60 },
  gpu: { description: "2x H100 SXM5 80GB", number_of_gpus: machine.gpus },
  gpu_memory: { description: "160GB GPU RAM", size_in_gigabytes: 160 },
  memory: { description: "370GB RAM", size_in_gigabytes: 370 },
  storage: { description: "dynamic" },
  hostname: "fleetkeeper",
  description: machine.name,
  location: machine.where,
  price_per_hour: machine.id % 2 ? "4.98" : 4.98,
  is_spot: false,
  instance_type: machine.kind,
  image: "ubuntu-24.04-cuda-13.0-open-docker",
  os_name: "Ubuntu 24.04",
  startup_script_id: null,
  ssh_key_ids: ["key-1"],
  os_volume_id: "vol-1",
  jupyter_token: null,
  contract: "PAY_AS_YOU_GO",
  pricing: "FIXED_PRICE",
  volume_ids: ["vol-1"],
  tags: [],
});

const failed = (status: number, code: string, message: string): Answer => ({
  status,
  body: { code, message },
});
const INVALID_ID = failed(400, "invalid_request", "Invalid instance id");

/** How many tokens were asked for, and until when each given one is good. */
const issued = new WeakMap<Estate, { asked: number; readonly until: Map<string, number> }>();

/** Of every few tokens one cannot be had, and one is over before it is used. */
function token(estate: Estate, asked: Asked): Answer {
  const book = issued.get(estate) ?? { asked: 0, until: new Map() };
  issued.set(estate, book);
  book.asked += 1;
  const { grant_type: grant, client_id: id, client_secret: secret } = asked.body as Record<string, unknown>;
  if (grant !== "client_credentials" || id !== "my-client" || secret !== "the-key")
    return { status: 401, body: { error: "invalid_client" } };
  if (book.asked % 5 === 2) return { status: 502, body: "<html>Bad gateway</html>" };
  if (book.asked % 7 === 3) return { status: 200, body: "<html>Maintenance</html>" };
  if (book.asked % 11 === 4)
    return { status: 302, headers: { location: "https://elsewhere.example.com/" }, body: "" };
  const value = `token-${book.asked}`;
  book.until.set(value, book.asked % 4 === 3 ? 0 : estate.now() + TOKEN_LASTS_S * 1000);
  return {
    status: 200,
    body: {
      access_token: value,
      refresh_token: `refresh-${book.asked}`,
      token_type: "Bearer",
      expires_in: TOKEN_LASTS_S,
      scope: "fullAccess",
    },
  };
}

/**
 * Verda: OAuth2, and an id answered as plain text or as a record; a missing id is a 400, what is discontinued is not listed,
 * and what is provisioning cannot be deleted.
 */
export const verda: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/v1/instances",
  soldOut: failed(503, "service_unavailable", "Not enough capacity"),
  settings: { client: "my-client" },
  wish: {
    gpus: 8,
    candidates: ["FIN-01", "FIN-03"].map((location) => ({
      offer: TYPE,
      provider: "verda",
      location,
      gpus: 2,
      pricePerHour: "4.98",
    })),
    parameters: { image: "ubuntu-24.04-cuda-13.0-open-docker", ssh_key_ids: ["key-1"] },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, asked) {
    const { method, path, headers } = asked;
    if (`${method} ${path}` === "POST /v1/oauth2/token") return token(estate, asked);
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (!((issued.get(estate)?.until.get(bearer ?? "") ?? 0) > estate.now()))
      return failed(401, "unauthorized_request", "Access token is missing or invalid");
    const id = idIn(path, /^\/v1\/instances\/([^/]+)$/);
    const body = (asked.body ?? {}) as Readonly<Record<string, unknown>>;
    const one = (which: unknown) => estate.all.find((machine) => uuid(machine.id) === which);
    const here = estate.billed();
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /v1/balance":
        return { status: 200, body: { amount: 812.5, currency: "usd" } };
      case "GET /v1/instances":
        return { status: 200, body: here.map(shown) };
      case "GET one": {
        const machine = one(id);
        // Some of the ended are known by their id for ever, and some are not.
        if (!machine || (machine.state === "over" && machine.id % 2)) return INVALID_ID;
        return { status: 200, body: shown(machine) };
      }
      case "POST /v1/instances": {
        const { instance_type: kind, location_code: where, description: name, hostname, image } = body;
        if (kind !== TYPE || !["FIN-01", "FIN-03"].includes(String(where)) || !name || !hostname || !image)
          return failed(400, "invalid_request", "Invalid request");
        const machine = estate.launch({ name: String(name), kind: TYPE, where: String(where), gpus: 2 });
        return { status: 202, body: machine.id % 5 === 0 ? shown(machine) : uuid(machine.id) };
      }
      case "PUT /v1/instances": {
        const ids = body.id as readonly string[];
        if (body.action !== "delete" || !Array.isArray(ids)) return failed(400, "invalid_request", "Invalid");
        const results = ids.map((each) => {
          const machine = one(each);
          const result = { action: "delete", instanceId: each };
          if (!machine) return { ...result, status: "error", error: "Invalid instance id", statusCode: 400 };
          if (machine.state === "starting" || machine.state === "over") {
            const error = `Can't discontinue a ${STATUS[machine.state]} instance`;
            return { ...result, status: "error", error, statusCode: 400 };
          }
          estate.stop(machine);
          return { ...result, status: "success" };
        });
        return { status: results.some(({ status }) => status === "error") ? 207 : 202, body: results };
      }
      default:
        return undefined;
    }
  },
};
