import type { LedgerOrder } from "../../../orders/ledger-order.ts";
import type { About, Order } from "../../../orders/order.ts";

export const BASE = "/api/v1";

const FOLDERS: Readonly<Record<About, string>> = {
  fleet: "/fleets/{target}",
  file: "/fleet-files/{target}",
  deployment: "/deployments/{target}",
  account: "/account",
};

/** Where an order is asked for, below BASE. A PUT or DELETE is of the thing itself. */
export function pathOf({ name, about, method }: Pick<Order, "name" | "about" | "method">): string {
  return method === "POST" ? `${FOLDERS[about]}/${name}` : FOLDERS[about];
}

/** The same of an order about all parts of a fleet, or about all that fleets have in one service. */
export function ledgerPathOf({ name, about, method }: LedgerOrder): string {
  return about === "file"
    ? `/ledger${pathOf({ name, about, method })}`
    : `/ledger/${about}s/{target}/${name}`;
}

/** What a read is called, by those who have no paths: `/fleets/{fleet}` is getFleet, `/account/stop` getAccountStop. */
export function readId(path: string): string {
  const parts = path.split("/").slice(1);
  const named = parts.map((part, at) => (parts[at + 1]?.startsWith("{") ? part.replace(/s$/, "") : part));
  return `get${named
    .filter((part) => !part.startsWith("{"))
    .map(capital)
    .join("")}`;
}

/** What an order is called: `end-ask` of a fleet is endAskFleet. */
export function orderId({ name, about }: { readonly name: string; readonly about: string }): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) + capital(about);
}

/** `pause` of a fleet with all of its parts is pauseAllOfFleet; of a service, pauseService. */
export function ledgerOrderId({ name, about }: LedgerOrder): string {
  return orderId({ name, about: about === "service" ? about : `allOf-${about}` });
}

/** `spend-rows` is SpendRows. */
function capital(part: string): string {
  return part
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
