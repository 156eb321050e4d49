import type { Machine, StandIn } from "./estate.ts";
import { idIn } from "./estate.ts";

const STATUS = {
  starting: "PROVISIONING",
  serving: "ACTIVE",
  halted: "STOPPED",
  stopping: "DELETING",
  over: "",
};
const KIND = { cloudId: "H100_80GBx2", gpuType: "H100_80GB", socket: "SXM5", gpuCount: 2 };
const offer = (provider: string, dataCenter: string | null, onDemand: number, more: object = {}) => ({
  ...KIND,
  provider,
  dataCenter,
  stockStatus: "Available",
  security: "secure_cloud",
  prices: { onDemand, currency: "USD" },
  prepaidTime: null,
  ...more,
});
/** One is sold out, one has no place, and the cheapest are one in another currency and one of which 30 days are paid at once. */
const OFFERS = [
  offer("hyperstack", "CANADA-1", 4.5),
  offer("hyperstack", "NORWAY-1", 4.2, { stockStatus: "Unavailable" }),
  offer("denvr", "Msc1", 4.9),
  offer("nebius", null, 3.9),
  offer("lambdalabs", "us-east-1", 3.2, { prepaidTime: 720 }),
  offer("datacrunch", "FIN-01", 3.5, { prices: { onDemand: 3.5, currency: "EUR" } }),
];

const shown = ({ id, name, where, gpus, state }: Machine) => ({
  id: `pod-${id}`,
  name,
  providerType: where.split("/")[0],
  status: STATUS[state],
  installationFailure: null,
  createdAt: "2026-11-26T09:00:00Z",
  gpuName: KIND.gpuType,
  gpuCount: gpus,
  socket: KIND.socket,
  priceHr: OFFERS.find(({ provider }) => where.startsWith(provider))?.prices.onDemand ?? 4.5,
  stoppedPriceHr: null,
  provisioningPriceHr: 0,
  sshConnection: state === "serving" ? "ubuntu@198.51.100.8 -p 22" : null,
  ip: state === "serving" ? "198.51.100.8" : null,
});

const failed = (status: number, param: string) => ({
  status,
  body: { errors: [{ param, details: `It is a wrong ${param}.` }] },
});
/** A scaled-down page: an account with more pods than one holds needs several, and they shift as pods come and go. */
const LARGEST = 3;

/** Prime Intellect 0.1.0: pods of other clouds' machines, in pages by offset, and 422 for all that is wrong. */
export const prime: StandIn = {
  isLaunch: ({ method, path }) => method === "POST" && path === "/api/v1/pods/",
  soldOut: failed(422, "cloudId"),
  madeInError: () => failed(422, "provider"),
  wish: {
    gpus: 8,
    select: { gpuModel: KIND.gpuType },
    parameters: { image: "ubuntu_22_cuda_12", sshKeyId: "key-7" },
    budget: { perHour: "60", floor: "20" },
    match: "none",
  },
  answer(estate, { method, path, query, body }) {
    const id = idIn(path, /^\/api\/v1\/pods\/([^/]+)$/);
    const machine = estate.billed().find((each) => `pod-${each.id}` === id);
    switch (`${method} ${id === undefined ? path : "one"}`) {
      case "GET /api/v1/availability/gpus": {
        const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("page_size") ?? 100)];
        if (!(size >= 1 && size <= 100)) return failed(422, "page_size");
        const items = OFFERS.slice((page - 1) * size, page * size);
        return { status: 200, body: { items, totalCount: OFFERS.length } };
      }
      case "GET /api/v1/pods/": {
        const [offset, asked] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 100)];
        const [limit, all] = [Math.min(asked, LARGEST), estate.billed()];
        const data = all.slice(offset, offset + limit).map(shown);
        return { status: 200, body: { total_count: all.length, offset, limit, data, status: null } };
      }
      case "GET one":
        return machine
          ? { status: 200, body: shown(machine) }
          : failed(estate.variant === 0 ? 404 : 422, "pod_id");
      case "DELETE one":
        if (!machine) return failed(estate.variant === 0 ? 404 : 422, "pod_id");
        estate.stop(machine);
        return { status: 200, body: { status: STATUS[machine.state] } };
      case "POST /api/v1/pods/": {
        const { pod, provider } = (body ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        const found = OFFERS.find(
          (each) =>
            each.provider === provider?.type &&
            each.dataCenter === pod?.dataCenterId &&
            each.cloudId === pod?.cloudId &&
            each.gpuType === pod?.gpuType &&
            each.socket === pod?.socket &&
            each.gpuCount === pod?.gpuCount,
        );
        if (found?.stockStatus !== "Available" || typeof pod?.name !== "string")
          return failed(422, "cloudId");
        if (found.prepaidTime !== null) return undefined;
        const where = `${found.provider}/${found.dataCenter}`;
        return {
          status: 200,
          body: shown(estate.launch({ name: pod.name, kind: found.cloudId, where, gpus: 2 })),
        };
      }
      case "GET /api/v1/user/whoami":
        return { status: 200, body: { data: { id: "user-7", email: "you@example.com", name: "You" } } };
      case "GET /api/v1/billing/wallet":
        return { status: 200, body: { wallet_id: "wallet-7", balance_usd: 812.5, currency: "USD" } };
      default:
        return undefined;
    }
  },
};
