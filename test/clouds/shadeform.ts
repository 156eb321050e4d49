import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const OS = "ubuntu22.04_cuda12.2_shade_os";
const CONFIGURATION = { num_gpus: 2, gpu_type: "A100_80G", vram_per_gpu_in_gb: 80, os_options: [OS] };
const REGIONS: Readonly<Record<string, readonly string[]>> = {
  hyperstack: ["canada-1", "norway-1"],
  denvr: ["calgary-1"],
};
const CENTS: Readonly<Record<string, number>> = { hyperstack: 270, denvr: 310 };
const TYPE = "A100_80Gx2";
const STATUS = {
  starting: "pending",
  serving: "active",
  halted: "error",
  stopping: "deleting",
  over: "deleted",
};
const UUID = "6c1b1b1e-9d1c-4b60-8f0e-";

const shown = ({ id, name, where, state }: Machine) => {
  const [cloud = "", region = ""] = where.split("/");
  return {
    id: `${UUID}${String(id).padStart(12, "0")}`,
    cloud,
    region,
    shade_instance_type: TYPE,
    shade_cloud: true,
    name,
    configuration: CONFIGURATION,
    ip: state === "starting" ? "" : "198.51.100.7",
    status: STATUS[state],
    hourly_price: CENTS[cloud] ?? 290,
    created_at: "2026-11-26T09:00:00.000000Z",
  };
};

const failed = (status: number, code: string) => ({ status, body: { code, message: `It is ${code}.` } });

/**
 * Shadeform 1.0: it rents from others, so one type is to be had of several clouds, and a refusal may come after the machine.
 * No account, no balance, no pages. What is being deleted is listed, what is deleted is not.
 */
export const shadeform: StandIn = {
  isLaunch: ({ path }) => path === "/v1/instances/create",
  soldOut: failed(400, "OUT_OF_STOCK"),
  madeInError: () => failed(400, "PROVIDER_ERROR"),
  wish: {
    gpus: 8,
    select: { gpuModel: CONFIGURATION.gpu_type },
    parameters: { os: OS, ssh_key_id: `${UUID}000000000001` },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, body }) {
    const id = idIn(path, /^\/v1\/instances\/([^/]+)\/(?:info|delete)$/);
    const machine = estate.billed().find((each) => shown(each).id === id);
    switch (`${method} ${id === undefined ? path : path.replace(id, "ID")}`) {
      case "GET /v1/instances/types":
        return {
          status: 200,
          body: {
            instance_types: Object.entries(REGIONS).map(([cloud, regions]) => ({
              cloud,
              shade_instance_type: TYPE,
              configuration: CONFIGURATION,
              hourly_price: CENTS[cloud],
              availability: regions.map((region) => ({ region, available: region !== "norway-1" })),
            })),
          },
        };
      case "GET /v1/instances":
        return { status: 200, body: { instances: estate.billed().map(shown) } };
      case "GET /v1/instances/ID/info":
        return machine ? { status: 200, body: shown(machine) } : failed(404, "NOT_FOUND");
      case "POST /v1/instances/ID/delete":
        if (!machine) return failed(404, "NOT_FOUND");
        estate.stop(machine);
        return { status: 200, body: "" };
      case "POST /v1/instances/create": {
        const asked = (body ?? {}) as Readonly<Record<string, unknown>>;
        const { cloud, region, shade_instance_type: kind, shade_cloud: isShade, name } = asked;
        const isThere = REGIONS[String(cloud)]?.includes(String(region)) && region !== "norway-1";
        if (!isThere || kind !== TYPE || typeof isShade !== "boolean" || typeof name !== "string")
          return failed(400, "INVALID_REQUEST");
        return {
          status: 200,
          body: { id: shown(estate.launch({ name, kind, where: `${cloud}/${region}`, gpus: 2 })).id },
        };
      }
      default:
        return undefined;
    }
  },
};
