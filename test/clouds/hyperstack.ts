import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const FLAVOR = {
  id: 77,
  name: "n3-H100x2",
  gpu: "H100-80G-PCIe",
  gpu_count: 2,
  cpu: 60,
  ram: 360,
  disk: 100,
  region_name: "CANADA-1",
};
const ENVIRONMENT = { id: 4, name: "default-CANADA-1", region: "CANADA-1", org_id: 9 };
const STATUS = { starting: "BUILD", serving: "ACTIVE", halted: "SHUTOFF", stopping: "DELETING", over: "" };

const shown = ({ id, name, state }: Machine) => ({
  id,
  name,
  status: STATUS[state],
  vm_state: STATUS[state].toLowerCase(),
  power_state: state === "serving" ? "RUNNING" : "SHUTDOWN",
  environment: ENVIRONMENT,
  flavor: FLAVOR,
  image: { name: "Ubuntu Server 22.04 LTS" },
  keypair: { name: "mine" },
  labels: [],
  floating_ip: state === "serving" ? "198.51.100.3" : null,
  fixed_ip: null,
  created_at: "2026-11-01T10:00:00",
});

const failed = (status: number, error_reason: string) => ({
  status,
  body: { status: false, error_reason, message: `It is ${error_reason}.` },
});
const fine = (body: object) => ({ status: 200, body: { status: true, message: "Done.", ...body } });

/** Hyperstack, Infrahub: ids are numbers, pages are numbered, and what is shut off is billed in full. */
export const hyperstack: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/v1/core/virtual-machines",
  soldOut: failed(400, "out_of_stock"),
  wish: {
    gpus: 8,
    candidates: [{ offer: FLAVOR.name, provider: "hyperstack", location: ENVIRONMENT.name, gpus: 2 }],
    parameters: {
      key_name: "mine",
      image_name: "Ubuntu Server 22.04 LTS",
      assign_floating_ip: true,
      environment_name: ENVIRONMENT.name,
    },
    match: "none",
  },
  answer(estate, { method, path, query, body }) {
    const id = idIn(path, /^\/v1\/core\/virtual-machines\/([^/]+)$/);
    const asked = (body ?? {}) as {
      readonly name?: string;
      readonly flavor_name?: string;
      readonly environment_name?: string;
      readonly image_name?: string;
      readonly key_name?: string;
    };
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /v1/core/virtual-machines": {
        const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("pageSize") ?? 10)];
        const all = estate.billed();
        const part = all.slice((page - 1) * size, page * size);
        return fine({ instances: part.map(shown), count: all.length, page, page_size: size });
      }
      case "GET one": {
        const machine = estate.find(id ?? "");
        return machine ? fine({ instance: shown(machine) }) : failed(404, "not_found");
      }
      case "DELETE one": {
        const machine = estate.find(id ?? "");
        if (!machine) return failed(404, "not_found");
        estate.stop(machine);
        return fine({});
      }
      case "POST /v1/core/virtual-machines": {
        const {
          name = "",
          flavor_name: kind,
          environment_name: where,
          image_name: image,
          key_name: key,
        } = asked;
        if (
          kind !== FLAVOR.name ||
          where !== ENVIRONMENT.name ||
          !image ||
          !key ||
          !/^[\w-]{1,50}$/.test(name)
        )
          return failed(400, "bad_request");
        return fine({ instances: [shown(estate.launch({ name, kind, where, gpus: 2 }))] });
      }
      case "GET /v1/core/flavors":
        return fine({
          data: [
            {
              gpu: FLAVOR.gpu,
              region_name: FLAVOR.region_name,
              flavors: [{ ...FLAVOR, stock_available: true }],
            },
          ],
        });
      case "GET /v1/billing/user-credit/credit":
        return fine({ data: { credit: 912.5, threshold: 0, can_create_instance: true } });
      case "GET /v1/auth/me":
        return fine({
          user: { email: "you@example.com", name: "You", username: "you", created_at: "2026-01-01" },
        });
      default:
        return undefined;
    }
  },
};
