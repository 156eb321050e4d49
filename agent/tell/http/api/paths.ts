import type { About, Order } from "../../../orders/order.ts";

export const BASE = "/api/v1";

const FOLDERS: Readonly<Record<About, string>> = {
  fleet: "/fleets/{target}",
  deployment: "/deployments/{target}",
  account: "/account",
};

/** Where an order is asked for, below BASE. A PUT or DELETE is of the thing itself. */
export function pathOf({ name, about, method }: Order): string {
  return method === "POST" ? `${FOLDERS[about]}/${name}` : FOLDERS[about];
}
