import type { Answer, Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const GPU_INFO = { count: 2, model: "nvidia_h100" };
const SIZE = {
  slug: "gpu-h100x2-160gb",
  // As the service writes it: a number of 32 bits, written with 64.
  price_hourly: 6.780000209808349,
  regions: ["nyc2", "tor1"],
  available: true,
  gpu_info: GPU_INFO,
};
const { gpu_info: _, ...plain } = SIZE;
const SIZES = [
  ...Array.from({ length: 24 }, (_none, index) => ({
    ...plain,
    slug: `s-${index + 1}vcpu-1gb`,
    price_hourly: 0.00743999984115362 * (index + 1),
  })),
  // Of a size that is to be had nowhere, no region is named.
  { ...SIZE, slug: "gpu-h100x2-old", price_hourly: 1.5, regions: [], available: false },
  SIZE,
];

/** A droplet has no word for its being destroyed: it is locked, and keeps its state until it is gone. */
const shown = ({ id, name, where, state }: Machine) => ({
  id,
  name,
  locked: state === "starting" || state === "stopping",
  status: state === "starting" ? "new" : state === "halted" ? "off" : "active",
  created_at: "2026-11-26T09:00:00Z",
  size: SIZE,
  size_slug: SIZE.slug,
  networks: { v4: state === "starting" ? [] : [{ ip_address: "198.51.100.9", type: "public" }], v6: [] },
  region: { name: where, slug: where },
  gpu_info: GPU_INFO,
});

const failed = (status: number, id: string): Answer => ({
  status,
  body: { id, message: `It is ${id}.`, request_id: "4d9d8375" },
});
const fine = (body: object): Answer => ({ status: 200, body });
/** A scaled-down page: an account with more droplets than one holds needs several, and they shift. */
const LARGEST = 3;

/** DigitalOcean 2.0: GPU droplets stand in a list of their own, and a 202 does not say that one will be. */
export const digitalocean: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/v2/droplets",
  soldOut: failed(422, "unprocessable_entity"),
  wish: {
    gpus: 8,
    select: { gpuModel: GPU_INFO.model },
    parameters: { image: "gpu-h100x8-base", ssh_keys: [289_794] },
    budget: { perHour: "60" },
    match: "none",
  },
  answer(estate, { method, path, query, body }) {
    const id = idIn(path, /^\/v2\/droplets\/([^/]+)$/);
    const machine = estate.find(id ?? "");
    const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 20)];
    const paged = (all: readonly object[], most = 200) => {
      const [each, from] = [Math.min(size, most), (page - 1) * Math.min(size, most)];
      const links = from + each < all.length ? { pages: { next: `https://x/?page=${page + 1}` } } : {};
      return { items: all.slice(from, from + each), links, meta: { total: all.length } };
    };
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /v2/account":
        return fine({
          account: { uuid: "person-1", email: "you@example.com", team: { uuid: "team-1", name: "My Team" } },
        });
      case "GET /v2/sizes": {
        const { items, ...rest } = paged(SIZES);
        return fine({ sizes: items, ...rest });
      }
      case "GET /v2/droplets": {
        const { items, ...rest } = paged(
          query.get("type") === "gpus" ? estate.billed().map(shown) : [],
          LARGEST,
        );
        return fine({ droplets: items, ...rest });
      }
      case "GET one":
        return machine ? fine({ droplet: shown(machine) }) : failed(404, "not_found");
      case "DELETE one":
        if (!machine) return failed(404, "not_found");
        // What it is busy with comes first.
        if (shown(machine).locked) return failed(422, "unprocessable_entity");
        estate.stop(machine);
        return { status: 204, body: "" };
      case "POST /v2/droplets": {
        const asked = (body ?? {}) as Readonly<Record<string, unknown>>;
        const { name, region, size: kind, image, ssh_keys: keys } = asked;
        const where = String(region);
        if (kind !== SIZE.slug || !SIZE.regions.includes(where) || !image || !Array.isArray(keys))
          return failed(422, "unprocessable_entity");
        if (typeof name !== "string" || !/^[\w.-]{1,255}$/.test(name))
          return failed(422, "unprocessable_entity");
        const droplet = shown(estate.launch({ name, kind, where, gpus: GPU_INFO.count }));
        return { status: 202, body: { droplet, links: { actions: [{ id: 7, rel: "create" }] } } };
      }
      default:
        return undefined;
    }
  },
};
