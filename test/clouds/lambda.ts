import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const TYPE = {
  name: "gpu_2x_h100_sxm5",
  description: "2x H100 (80 GB SXM5)",
  gpu_description: "H100 (80 GB SXM5)",
  price_cents_per_hour: 638,
  specs: { vcpus: 52, memory_gib: 450, storage_gib: 5632, gpus: 2 },
};
const REGIONS = ["us-east-3", "us-west-1"].map((name) => ({ name, description: `Region ${name}` }));
const STATUS = {
  starting: "booting",
  serving: "active",
  halted: "unhealthy",
  stopping: "terminating",
  over: "",
};

const shown = ({ id, name, where, state }: Machine) => ({
  id: String(id).padStart(32, "0"),
  name,
  ...(state === "starting" ? {} : { ip: "198.51.100.2" }),
  status: STATUS[state],
  ssh_key_names: ["mine"],
  file_system_names: [],
  region: REGIONS.find((region) => region.name === where),
  instance_type: TYPE,
});

const failed = (status: number, code: string) => ({
  status,
  body: { error: { code, message: `It is ${code}.`, suggestion: "Look again." } },
});

/** Lambda Cloud 1.10.0: the list shows what runs, a stop has its ids in the body, no account, no balance. */
export const lambda: StandIn = {
  isLaunch: ({ path }) => path === "/api/v1/instance-operations/launch",
  soldOut: failed(400, "instance-operations/launch/insufficient-capacity"),
  wish: {
    gpus: 8,
    select: { gpuModel: TYPE.gpu_description },
    parameters: { ssh_key_names: ["mine"], image: { family: "lambda-stack-22-04" } },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, body }) {
    const id = idIn(path, /^\/api\/v1\/instances\/([^/]+)$/);
    const asked = (body ?? {}) as {
      readonly region_name?: string;
      readonly instance_type_name?: string;
      readonly name?: string;
      readonly ssh_key_names?: readonly string[];
      readonly instance_ids?: readonly string[];
    };
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /api/v1/instance-types":
        return {
          status: 200,
          body: { data: { [TYPE.name]: { instance_type: TYPE, regions_with_capacity_available: REGIONS } } },
        };
      case "GET /api/v1/instances":
        return { status: 200, body: { data: estate.billed().map(shown) } };
      case "GET one": {
        const machine = estate.find(Number(id));
        return machine
          ? { status: 200, body: { data: shown(machine) } }
          : failed(404, "global/object-does-not-exist");
      }
      case "POST /api/v1/instance-operations/launch": {
        const { region_name: where = "", instance_type_name: kind, name = "", ssh_key_names: keys } = asked;
        if (kind !== TYPE.name || !REGIONS.some((region) => region.name === where) || !Array.isArray(keys))
          return failed(400, "global/invalid-parameters");
        const machine = estate.launch({ name, kind, where, gpus: TYPE.specs.gpus });
        return { status: 200, body: { data: { instance_ids: [shown(machine).id] } } };
      }
      case "POST /api/v1/instance-operations/terminate": {
        const machines = (asked.instance_ids ?? []).map((each) => estate.find(Number(each)));
        if (machines.includes(undefined)) return failed(404, "global/object-does-not-exist");
        for (const machine of machines) if (machine) estate.stop(machine);
        return {
          status: 200,
          body: { data: { terminated_instances: machines.map((each) => each && shown(each)) } },
        };
      }
      default:
        return undefined;
    }
  },
};
