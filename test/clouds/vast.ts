import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const ACTUAL = { starting: null, serving: "running", halted: "exited", stopping: "running", over: "" };
const CUR = { starting: "unloaded", serving: "running", halted: "stopped", stopping: "running", over: "" };
const ASKS = [901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 911, 912];

const shown = ({ id, name, kind, gpus, state }: Machine) => ({
  id,
  label: name,
  actual_status: ACTUAL[state],
  cur_state: CUR[state],
  next_state: CUR[state],
  intended_status: state === "stopping" ? "stopped" : "running",
  bundle_id: Number(kind),
  machine_id: Number(kind) + 20_000,
  gpu_name: "H100 SXM",
  num_gpus: gpus,
  dph_total: 4.2,
  geolocation: "Oregon, US",
  ssh_host: "ssh4.example.com",
  ssh_port: 18_000,
  public_ipaddr: "198.51.100.4",
  image_uuid: "pytorch/pytorch",
});

const failed = (status: number, error: string) => ({
  status,
  body: { success: false, error, msg: `It is ${error}.` },
});

/** Vast: an ask dies once it is rented, a machine that is over is a 200 with null, and an error may have made one. */
export const vast: StandIn = {
  isLaunch: ({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"),
  soldOut: failed(410, "no_such_ask"),
  madeInError: ({ id }) => ({
    status: 400,
    body: { success: false, error: "host_error", msg: "It failed.", new_contract: id },
  }),
  settings: { gpu_name: "H100 SXM", disk: "32" },
  wish: {
    gpus: 8,
    select: { gpuModel: "H100 SXM" },
    parameters: { image: "pytorch/pytorch" },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, query, body }) {
    const bare = path.replace(/\/$/, "");
    const id = idIn(bare, /^\/api\/v0\/instances\/([^/]+)$/);
    const ask = idIn(bare, /^\/api\/v0\/asks\/([^/]+)$/);
    const asked = (body ?? {}) as Record<string, never>;
    const here = estate.billed().filter(({ state }) => state !== "stopping");
    const rented = new Set(estate.billed().map(({ kind }) => kind));
    switch (`${method} ${id !== undefined ? "one" : ask !== undefined ? "ask" : bare}`) {
      case "POST /api/v0/bundles":
        return {
          status: 200,
          body: {
            offers: ASKS.filter((each) => !rented.has(String(each))).map((each) => ({
              id: each,
              ask_contract_id: each,
              bundle_id: each,
              machine_id: each + 20_000,
              gpu_name: "H100 SXM",
              num_gpus: 2,
              dph_total: 4.2,
              geolocation: "Oregon, US",
              rentable: true,
              rented: false,
            })),
          },
        };
      case "PUT ask": {
        if (!ASKS.includes(Number(ask)) || rented.has(ask ?? "")) return failed(410, "no_such_ask");
        if (!asked.image) return failed(400, "invalid_args");
        const made = estate.launch({
          name: asked.label ?? "",
          kind: ask ?? "",
          where: "Oregon, US",
          gpus: 2,
        });
        return { status: 200, body: { success: true, new_contract: made.id } };
      }
      case "GET /api/v1/instances": {
        const size = Math.min(25, Number(query.get("limit") ?? 25));
        const from = Number(query.get("after_token") ?? 0);
        const next = from + size < here.length ? String(from + size) : null;
        const part = here.slice(from, from + size);
        return {
          status: 200,
          body: {
            success: true,
            instances_found: part.length,
            total_instances: here.length,
            next_token: next,
            instances: part.map(shown),
          },
        };
      }
      case "GET one": {
        const machine = here.find((each) => String(each.id) === id);
        return { status: 200, body: { instances: machine ? shown(machine) : null } };
      }
      case "DELETE one": {
        const machine = here.find((each) => String(each.id) === id);
        if (!machine) return failed(404, "no_such_instance");
        estate.stop(machine);
        return { status: 200, body: { success: true, msg: "" } };
      }
      case "GET /api/v0/users/current":
        return { status: 200, body: { id: 5501, email: "you@example.com", balance: 0, credit: 412.77 } };
      default:
        return undefined;
    }
  },
};
