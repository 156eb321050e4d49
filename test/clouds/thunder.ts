import type { Answer, Estate, Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const STATUS = {
  starting: "STARTING",
  serving: "RUNNING",
  halted: "STOPPED",
  stopping: "DELETING",
  over: "",
};

/** Its small numbers, each given once. */
const numbers = new WeakMap<Estate, Map<Machine, number>>();

function numbered(estate: Estate): ReadonlyMap<Machine, number> {
  const book = numbers.get(estate) ?? new Map<Machine, number>();
  numbers.set(estate, book);
  for (const machine of estate.all) if (!book.has(machine)) book.set(machine, book.size);
  const here = estate.billed();
  return new Map([...book].filter(([machine]) => here.includes(machine)));
}

const shown = ({ id, kind, gpus, state, since }: Machine) => ({
  ip: state === "serving" ? "198.51.100.7" : null,
  name: `machine-${id}`,
  status: STATUS[state],
  createdAt: new Date(since).toISOString(),
  uuid: id.toString(16).padStart(8, "0"),
  storage: 100,
  cpuCores: id % 2 ? 36 : "36",
  template: "base",
  gpuType: kind,
  numGpus: String(gpus),
  memory: "180",
  promoted: false,
  mode: "production",
  port: 32_000,
  k8s: true,
});

const failed = (status: number, message: string): Answer => ({ status, body: { message } });

/** Thunder Compute: a launch has no name of ours, the list is an object by small numbers, and no call shows one machine. */
export const thunder: StandIn = {
  isExclusive: true,
  isLaunch: ({ method, path }) => method === "POST" && path === "/v1/instances/create",
  soldOut: failed(400, "No capacity for this configuration."),
  wish: {
    gpus: 8,
    candidates: [{ offer: "h100", provider: "thunder", location: "any", gpus: 2, pricePerHour: "4.60" }],
    parameters: { num_gpus: "2", cpu_cores: "36", mode: "production", template: "base", disk_size_gb: "100" },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, body }) {
    const book = numbered(estate);
    const id = idIn(path, /^\/v1\/instances\/(\d+)\/delete$/);
    switch (`${method} ${id === undefined ? path : "delete"}`) {
      case "GET /v1/instances/list":
        return {
          status: 200,
          body: Object.fromEntries([...book].map(([machine, number]) => [number, shown(machine)])),
        };
      case "POST /v1/instances/create": {
        const asked = body as Readonly<Record<string, unknown>>;
        if (asked.gpu_type !== "h100" || asked.num_gpus !== 2 || asked.cpu_cores !== 36 || !asked.template)
          return failed(400, "Invalid configuration.");
        const made = estate.launch({ name: "", kind: "h100", where: "any", gpus: 2 });
        const identifier = numbered(estate).get(made);
        return {
          status: 200,
          body: { uuid: made.id.toString(16).padStart(8, "0"), key: "PRIVATE", identifier },
        };
      }
      case "POST delete": {
        const [machine] = [...book].find(([, number]) => String(number) === id) ?? [];
        if (!machine) return failed(404, "Instance not found.");
        estate.stop(machine);
        return { status: 200, body: {} };
      }
      default:
        return undefined;
    }
  },
};
