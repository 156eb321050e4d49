import type { Answer, Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const STATUS = {
  starting: "starting",
  serving: "running",
  halted: "StoppedDisassociated",
  stopping: "deleting",
  over: "deleted",
};
const LOCATIONS = ["loc-austin", "loc-oslo"];
const LATE_MS = 25_000;

const uuid = (id: number) => `550e8400-e29b-41d4-a716-${String(id).padStart(12, "0")}`;

const attributesOf = ({ name, where, gpus, state, id }: Machine) => ({
  name,
  status: state === "halted" && id % 2 ? "stopped" : STATUS[state],
  ...(state === "serving" ? { ipAddress: "198.51.100.6" } : {}),
  resources: { vcpu_count: 16, ram_gb: 96, storage_gb: 500, gpus: { "h100-sxm5-80gb": { count: gpus } } },
  rateHourly: state === "halted" ? 0.05 : 4.6,
  location_id: where,
  image: "ubuntu2404",
});

const failed = (status: number, title: string): Answer => ({
  status,
  body: { errors: [{ status: String(status), title, detail: `It is ${title}.` }] },
});

/** TensorDock, API v2: one machine alone is flat, where the list has attributes; the list is late, and keeps some that ended. */
export const tensordock: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/api/v2/instances",
  soldOut: failed(400, "No available nodes found"),
  wish: {
    gpus: 8,
    candidates: LOCATIONS.map((offer) => ({
      offer,
      provider: "tensordock",
      location: "any",
      gpus: 2,
      pricePerHour: "4.60",
    })),
    parameters: {
      image: "ubuntu2404",
      ssh_key: "ssh-ed25519 AAAA",
      resources: { vcpu_count: 16, ram_gb: 96, storage_gb: 500, gpus: { "h100-sxm5-80gb": { count: 2 } } },
    },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, body }) {
    const id = idIn(path, /^\/api\/v2\/instances\/([^/]+)$/);
    estate.billed();
    const known = estate.all.filter(({ state, id: each }) => state !== "over" || each % 2);
    const machine = known.find((each) => uuid(each.id) === id);
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /api/v2/instances": {
        const listed = known.filter(({ since }) => since + LATE_MS <= estate.now());
        return {
          status: 200,
          body: {
            data: {
              instances: listed.map((each) => ({
                type: "VM",
                id: uuid(each.id),
                attributes: attributesOf(each),
              })),
            },
          },
        };
      }
      case "GET one":
        return machine
          ? {
              status: 200,
              body: {
                type: "instance",
                id: uuid(machine.id),
                ...attributesOf(machine),
                portForwards: [],
              },
            }
          : failed(404, "Not Found");
      case "DELETE one":
        if (!machine || machine.state === "over") return failed(404, "Not Found");
        estate.stop(machine);
        return {
          status: 200,
          body: { data: { type: "success", attributes: { message: "Instance deleted successfully" } } },
        };
      case "POST /api/v2/instances": {
        const { data } = body as {
          readonly data?: {
            readonly type?: string;
            readonly attributes?: {
              readonly name?: string;
              readonly image?: string;
              readonly location_id?: string;
              readonly ssh_key?: string;
              readonly resources?: { readonly gpus?: Readonly<Record<string, { readonly count: number }>> };
            };
          };
        };
        const { name = "", image, location_id: where = "", ssh_key: key, resources } = data?.attributes ?? {};
        const gpus = resources?.gpus?.["h100-sxm5-80gb"]?.count;
        if (data?.type !== "virtualmachine" || !image || !LOCATIONS.includes(where) || !key || gpus !== 2)
          return failed(400, "Invalid request");
        const made = estate.launch({ name, kind: where, where, gpus });
        return {
          status: 201,
          body: { data: { type: "virtualmachine", id: uuid(made.id), name, status: "running" } },
        };
      }
      default:
        return undefined;
    }
  },
};
