import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const PLAN = "vcg-a100-24c-240g-160vram";
const UUID = "14b3e7d6-ffb5-4994-8502-";
/**
 * Three words say how a machine is: that of the subscription, that of its power, and that of its server. While it is
 * installed it is active, and may be switched off.
 */
const WORDS = {
  pending: ["pending", "running", "none"],
  installing: ["active", "stopped", "installingbooting"],
  serving: ["active", "running", "ok"],
  halted: ["active", "stopped", "ok"],
} as const;

const wordsOf = ({ state, since }: Machine, now: number): readonly string[] => {
  if (state === "starting") return now - since < 45_000 ? WORDS.pending : WORDS.installing;
  return state === "halted" ? WORDS.halted : WORDS.serving;
};
const shown = (machine: Machine, now: number) => {
  const [status, power_status, server_status] = wordsOf(machine, now);
  return {
    id: `${UUID}${String(machine.id).padStart(12, "0")}`,
    plan: PLAN,
    main_ip: machine.state === "starting" ? "0.0.0.0" : "198.51.100.10",
    region: machine.where,
    date_created: "2026-11-26T09:00:00+00:00",
    status,
    power_status,
    server_status,
    label: machine.name,
    os_id: 1743,
    user_scheme: "root",
  };
};

const failed = (status: number, error: string) => ({ status, body: { error, status } });
/** A scaled-down page: an account with more machines than one holds needs several, and they shift. */
const LARGEST = 3;

/** Vultr v2, as its client has it: a cursor, errors that are a text, and no word for a machine that is being destroyed. */
export const vultr: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/v2/instances",
  soldOut: failed(400, "Plan is not available in this region."),
  wish: {
    gpus: 8,
    candidates: ["ewr", "ord"].map((location) => ({
      offer: PLAN,
      provider: "vultr",
      location,
      gpus: 2,
      pricePerHour: "4.80",
    })),
    parameters: { os_id: "1743", sshkey_id: ["3fca1a8b-0000-4c3d-8e3a-000000000001"] },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, query, body }) {
    const id = idIn(path, /^\/v2\/instances\/([^/]+)$/);
    const [all, now] = [estate.billed(), estate.now()];
    const machine = all.find((each) => shown(each, now).id === id);
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /v2/account":
        return {
          status: 200,
          body: {
            account: {
              balance: -512.5,
              pending_charges: 60.25,
              name: "You",
              email: "you@example.com",
              acls: [],
            },
          },
        };
      case "GET /v2/instances": {
        const size = Math.min(Number(query.get("per_page") ?? 100), LARGEST);
        const from = Number(Buffer.from(query.get("cursor") ?? "", "base64").toString() || 0);
        const next = from + size < all.length ? Buffer.from(String(from + size)).toString("base64") : "";
        const instances = all.slice(from, from + size).map((each) => shown(each, now));
        return { status: 200, body: { instances, meta: { total: all.length, links: { next, prev: "" } } } };
      }
      case "GET one":
        return machine
          ? { status: 200, body: { instance: shown(machine, now) } }
          : failed(404, "Invalid instance ID.");
      case "DELETE one":
        if (!machine) return failed(404, "Invalid instance ID.");
        // What is not installed yet cannot be destroyed.
        if (machine.state === "starting") return failed(500, "Unable to destroy server: it is locked.");
        estate.stop(machine);
        return { status: 204, body: "" };
      case "POST /v2/instances": {
        const { region, plan, label, os_id: os } = (body ?? {}) as Readonly<Record<string, unknown>>;
        if (!["ewr", "ord"].includes(String(region)) || plan !== PLAN || typeof os !== "number")
          return failed(400, "Invalid request.");
        const made = estate.launch({ name: String(label), kind: PLAN, where: String(region), gpus: 2 });
        return {
          status: 202,
          body: { instance: { ...shown(made, now), default_password: "v5{Fkvb#2ycPGwHs" } },
        };
      }
      default:
        return undefined;
    }
  },
};
