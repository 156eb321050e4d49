import type { WishInput } from "../../agent/fleet/wish.ts";
import type { Player } from "./play.ts";

/** The product's own agent, with this wish. */
export function product(wish: WishInput): Player {
  return async (on) => {
    await on.declare({ training: wish });
    on.start();
  };
}
