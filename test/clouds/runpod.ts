import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const GPU = { id: "NVIDIA H100 80GB HBM3", name: "H100 SXM", memory: 80, manufacturer: "NVIDIA" };
const PLACES = ["US-KS-2", "EU-NL-1"];
const STATUS = {
  starting: "STARTING",
  serving: "RUNNING",
  halted: "EXITED",
  stopping: "TERMINATED",
  over: "",
};
const EACH = 2.69;

const shown = ({ id, name, where, gpus, state }: Machine) => ({
  id: `pod${id}`,
  name,
  status: STATUS[state],
  gpu: { id: GPU.id, count: gpus },
  cloud: "SECURE",
  dataCenterId: where,
  image: "runpod/pytorch",
  cost: EACH * gpus,
  disk: 50,
});

const failed = (status: number, title: string) => ({
  status,
  body: { title, status, detail: `It is ${title}.` },
});

/** RunPod REST v2: what ends leaves the list at once, and any number of GPUs is sold. */
export const runpod: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/v2/pods",
  soldOut: failed(400, "no capacity"),
  wish: {
    gpus: 8,
    select: { gpuModel: GPU.name },
    parameters: { image: "runpod/pytorch", disk: 50 },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, body }) {
    const id = idIn(path, /^\/v2\/pods\/pod([^/]+)$/);
    const asked = body as Record<string, never>;
    // A pod that is being ended is over for people.
    const here = estate.billed().filter(({ state }) => state !== "stopping");
    const machine = here.find((each) => String(each.id) === id);
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /v2/pods":
        return { status: 200, body: { pods: here.map(shown) } };
      case "GET one":
        return machine ? { status: 200, body: shown(machine) } : failed(404, "not found");
      case "DELETE one":
        if (!machine) return failed(404, "not found");
        estate.stop(machine);
        return { status: 204, body: "" };
      case "POST /v2/pods": {
        const { name, gpu, dataCenterIds, image } = asked as {
          name?: string;
          gpu?: { id: string; count: number };
          dataCenterIds?: readonly string[];
          image?: string;
        };
        const where = dataCenterIds?.[0] ?? "";
        if (
          !name ||
          !image ||
          gpu?.id !== GPU.id ||
          !(Number.isInteger(gpu.count) && gpu.count > 0) ||
          !PLACES.includes(where)
        )
          return failed(422, "wrong body");
        return { status: 201, body: shown(estate.launch({ name, kind: GPU.id, where, gpus: gpu.count })) };
      }
      case "GET /v2/catalog/gpus":
        return {
          status: 200,
          body: {
            gpus: [
              {
                ...GPU,
                secure: true,
                community: false,
                price: { secure: EACH, community: 0, serverless: 4.1 },
                maxCount: { secure: 8, community: 0 },
                availability: "HIGH",
                dataCenters: PLACES.map((place) => ({ id: place, name: place, availability: "HIGH" })),
              },
            ],
          },
        };
      default:
        // An id of another form is a pod that nobody has.
        return method === "GET" && path.startsWith("/v2/pods/") ? failed(404, "not found") : undefined;
    }
  },
};
