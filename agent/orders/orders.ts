import { ACCOUNT_ORDERS } from "./account-orders.ts";
import { FILE_ORDERS } from "./file-orders.ts";
import { FLEET_ORDERS } from "./fleet-orders.ts";
import { MACHINE_ORDERS } from "./machine-orders.ts";
import type { Order } from "./order.ts";

/** All that may be ordered, by the API as by the command line. */
export const ORDERS: readonly Order[] = [
  ...FLEET_ORDERS,
  ...FILE_ORDERS,
  ...MACHINE_ORDERS,
  ...ACCOUNT_ORDERS,
];
